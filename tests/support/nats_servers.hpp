// Real nats-server processes on loopback: one, or three as a cluster, with JetStream, and TLS by
// certificates of an authority of their own. Who may say what depends on the name in a client's
// certificate (without TLS: everybody may say everything).
//
// Threading: one thread. Throws std::runtime_error where servers do not start.
#pragma once

#include "pollux/bus/bus.hpp"
#include "support/certificate.hpp"
#include "support/program.hpp"
#include "support/temp_folder.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace pollux::test {

// Subjects that somebody may publish to and subscribe to.
struct NatsUser {
  std::string name;
  std::vector<std::string> publish, subscribe;
};
NatsUser nats_everything(const std::string& name);
// An agent speaks below px.up.<its name> and hears below px.to.<its name>.
NatsUser nats_agent(const std::string& name);
NatsUser nats_brain(const std::string& name);
// The section of a configuration file that leads there.
std::string nats_section(const bus::Options& client);

struct NatsServersOptions {
  int servers = 1;  // 1 or 3
  bool tls = true;
  bool jetstream = true;
  std::vector<NatsUser> users = {};  // with TLS
  std::size_t max_payload = 4u << 20;
};

class NatsServers {
 public:
  using Options = NatsServersOptions;
  static bool installed();

  explicit NatsServers(Options options);
  ~NatsServers();

  // For connect(): all servers, and a certificate of that name; entries live for 15 s.
  bus::Options client(const std::string& name);
  // The same with one server, by its index.
  bus::Options client_of(int server, const std::string& name);
  std::string url(int server) const;
  std::uint16_t port(int server) const { return servers_.at(server).client_port; }
  const Authority& authority() const { return authority_; }
  const TempFolder& folder() const { return folder_; }

  void kill(int server);       // -9
  void terminate(int server);  // asked to end, and it does
  void freeze(int server);
  void go_on(int server);
  void launch(int server);  // likewise, without waiting: where more than one must come back
  void start(int server);   // one that has ended; comes back when it is ready
  pid_t pid(int server) const { return servers_.at(server).program->pid(); }
  // Which of them leads the cluster; -1: none does at the moment.
  int leader() const;
  // Which of them leads the stream of the bucket; -1: none does at the moment.
  int leader_of(const std::string& bucket) const;

 private:
  struct Server {
    std::uint16_t client_port = 0, cluster_port = 0, monitor_port = 0;
    std::string configuration;
    std::unique_ptr<TempFolder> folder;
    std::unique_ptr<Program> program;
  };
  void configure();
  std::string configuration(int server) const;
  std::string authorization() const;

  bool wait_ready(int server);
  std::string write_certificate(const std::string& name, const Certificate& certificate);

  Options options_;
  Authority authority_;
  TempFolder folder_;
  std::vector<Server> servers_;
};

}  // namespace pollux::test

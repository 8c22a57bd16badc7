// The real programs of one installation, on loopback: NATS servers with TLS, a brain, and its
// agents. Threading: one thread.
#pragma once

#include "support/nats_servers.hpp"
#include "support/program.hpp"
#include "support/temp_folder.hpp"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace pollux::bench {

class Fleet {
 public:
  // `names`: agents that the brain knows, whether they are started or not.
  explicit Fleet(std::vector<std::string> names, int servers = 3);

  struct AgentPlan {
    std::string settings = {};  // of its `agent:` section, as ", slots: 60"
    std::string sections = {};  // of its file, besides those that all have
    bus::Options nats = {};     // no servers: as its name says
    std::vector<std::pair<std::string, std::string>> environment = {};
  };
  void start_agent(const std::string& name, const AgentPlan& plan);
  test::Program& agent(const std::string& name) { return *agents_.at(name)->program; }
  void end_agent(const std::string& name, int signal);

  // `sections`: pages and all; a database that is there goes on.
  void start_brain(const std::string& sections);
  void restart_brain();  // as it was
  void end_brain(int signal);
  const test::Program& brain() const { return *brain_; }
  std::string database() const { return brain_folder_->file("brain.db"); }
  std::string brain_log() const { return brain_->text("err"); }

  test::NatsServers& nats() { return nats_; }

 private:
  struct Agent {
    test::TempFolder folder;
    std::unique_ptr<test::Program> program;
  };
  const std::vector<std::string> names_;
  test::NatsServers nats_;
  std::unique_ptr<test::TempFolder> brain_folder_ = std::make_unique<test::TempFolder>();
  std::unique_ptr<test::Program> brain_;
  std::map<std::string, std::unique_ptr<Agent>> agents_;
};

// A daemon without agents, to compare with.
std::unique_ptr<test::Program> start_daemon(const test::TempFolder& folder,
                                            const std::string& yaml);
// That a process has used so far, all its threads; in seconds.
double cpu_of(pid_t pid);

}  // namespace pollux::bench

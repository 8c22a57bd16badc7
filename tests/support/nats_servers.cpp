#include "support/nats_servers.hpp"

#include "support/tcp.hpp"

#include <chrono>
#include <stdexcept>
#include <thread>

#include <sys/wait.h>

#ifdef __SANITIZE_THREAD__
// libnats reads from and writes to a TLS connection on two threads. When the other side is gone,
// reading writes a last word into OpenSSL's buffer, beside the thread that sends.
extern "C" const char* __tsan_default_suppressions();
extern "C" const char* __tsan_default_suppressions() {
  return "race:libssl.so\nrace:libcrypto.so\n";
}
#endif

namespace pollux::test {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr const char* binary = "/usr/sbin/nats-server";

std::string list(const std::vector<std::string>& subjects) {
  std::string text;
  for (const std::string& subject : subjects) {
    text += (text.empty() ? "\"" : ", \"") + subject + "\"";
  }
  return "[" + text + "]";
}

// All at once, so that no two are the same.
std::vector<std::uint16_t> free_ports(std::size_t count) {
  boost::asio::io_context io;
  std::vector<boost::asio::ip::tcp::acceptor> held;
  std::vector<std::uint16_t> ports;
  for (std::size_t i = 0; i < count; ++i) {
    held.emplace_back(io,
                      boost::asio::ip::tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0));
    ports.push_back(held.back().local_endpoint().port());
  }
  return ports;
}

bool has_ended(pid_t pid) {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == pid;
}

}  // namespace

NatsUser nats_everything(const std::string& name) {
  return {name, {">"}, {">"}};
}

NatsUser nats_agent(const std::string& name) {
  return {name, {"px.up." + name + ".>"}, {"px.to." + name + ".>"}};
}

NatsUser nats_brain(const std::string& name) {
  return {name,
          {"px.to.>", "px.b.>", "$JS.API.>", "$JS.FC.>", "$KV.px.>"},
          {"px.up.>", "px.b.>", "_INBOX.>"}};
}

std::string nats_section(const bus::Options& client) {
  return "nats: { servers: " + list(client.servers) + ", ca_file: " + client.ca_file +
         ", certificate_file: " + client.certificate_file + ", key_file: " + client.key_file +
         " }\n";
}

bool NatsServers::installed() {
  return fs::exists(binary);
}

NatsServers::NatsServers(Options options) : options_(std::move(options)) {
  const auto server = authority_.issue("server", "DNS:localhost,IP:127.0.0.1");
  folder_.write("ca.pem", authority_.pem());
  write_certificate("server", server);
  // A port may be taken between its choice and its use.
  constexpr int tries = 5;
  for (int i = 0; i < tries; ++i) {
    configure();
    for (int s = 0; s < options_.servers; ++s) launch(s);
    bool ready = true;
    for (int s = 0; s < options_.servers; ++s) ready = ready && wait_ready(s);
    if (ready) return;
  }
  throw std::runtime_error("nats-server does not start: " + servers_[0].program->text("err"));
}

NatsServers::~NatsServers() {
  for (Server& server : servers_) {
    if (server.program) server.program->send(SIGCONT);
  }
}

std::string NatsServers::write_certificate(const std::string& name,
                                           const Certificate& certificate) {
  folder_.write(name + ".pem", certificate.pem);
  folder_.write(name + ".key", certificate.key_pem);
  return folder_.file(name);
}

void NatsServers::configure() {
  servers_.clear();
  servers_.resize(options_.servers);
  const auto ports = free_ports(3 * servers_.size());
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    servers_[i].client_port = ports[3 * i];
    servers_[i].cluster_port = ports[3 * i + 1];
    servers_[i].monitor_port = ports[3 * i + 2];
    servers_[i].folder = std::make_unique<TempFolder>();
  }
  for (int i = 0; i < options_.servers; ++i) {
    servers_[i].configuration = servers_[i].folder->write("nats.conf", configuration(i));
  }
}

std::string NatsServers::authorization() const {
  std::string text = "authorization { users: [\n";
  for (const NatsUser& user : options_.users) {
    text += "  { user: \"CN=" + user.name +
            "\", permissions: { publish: { allow: " + list(user.publish) +
            " }, subscribe: { allow: " + list(user.subscribe) + " } } }\n";
  }
  return text + "] }\n";
}

std::string NatsServers::configuration(int index) const {
  const Server& server = servers_[index];
  const std::string files = "cert_file: \"" + folder_.file("server.pem") + "\", key_file: \"" +
                            folder_.file("server.key") + "\", ca_file: \"" +
                            folder_.file("ca.pem") + "\"";
  std::string text = "server_name: s" + std::to_string(index) +
                     "\nlisten: \"127.0.0.1:" + std::to_string(server.client_port) +
                     "\"\nhttp: \"127.0.0.1:" + std::to_string(server.monitor_port) +
                     "\"\nmax_payload: " + std::to_string(options_.max_payload) +
                     "\nmax_pending: 16777216\nwrite_deadline: \"2s\"\nping_interval: "
                     "\"2s\"\nping_max: 2\n";
  if (options_.jetstream) {
    text += "jetstream { store_dir: \"" + server.folder->file("jetstream") +
            "\", max_mem: 67108864, max_file: 67108864 }\n";
  }
  if (options_.tls) {
    text += "tls { " + files + ", verify_and_map: true, timeout: 2 }\n" + authorization();
  }
  if (options_.servers > 1) {
    text += "cluster { name: test, no_advertise: true, listen: \"127.0.0.1:" +
            std::to_string(server.cluster_port) + "\"";
    if (options_.tls) text += ", tls { " + files + ", verify: true, timeout: 2 }";
    std::vector<std::string> routes;
    for (const Server& other : servers_) {
      if (&other == &server) continue;
      routes.push_back("nats://127.0.0.1:" + std::to_string(other.cluster_port));
    }
    text += ", routes: " + list(routes) + " }\n";
  }
  return text;
}

void NatsServers::launch(int index) {
  Server& server = servers_.at(index);
  server.program = std::make_unique<Program>(binary, *server.folder,
                                             std::vector<std::string>{"-c", server.configuration});
}

bool NatsServers::wait_ready(int index) {
  // "ok" only when its part of JetStream, and in a cluster the leader, is known.
  const auto end = steady_clock::now() + 60s;
  while (steady_clock::now() < end) {
    if (get_body(servers_[index].monitor_port, "/healthz").find("\"ok\"") != std::string::npos) {
      return true;
    }
    if (has_ended(servers_[index].program->pid())) return false;
    std::this_thread::sleep_for(20ms);
  }
  return false;
}

std::string NatsServers::url(int server) const {
  return (options_.tls ? "tls://127.0.0.1:" : "nats://127.0.0.1:") +
         std::to_string(servers_.at(server).client_port);
}

bus::Options NatsServers::client_of(int server, const std::string& name) {
  bus::Options client;
  client.servers = {url(server)};
  client.name = name;
  client.replicas = options_.servers;
  if (!options_.tls) return client;
  client.ca_file = folder_.file("ca.pem");
  if (!fs::exists(folder_.file(name + ".pem"))) write_certificate(name, authority_.issue(name));
  client.certificate_file = folder_.file(name + ".pem");
  client.key_file = folder_.file(name + ".key");
  return client;
}

bus::Options NatsServers::client(const std::string& name) {
  bus::Options all = client_of(0, name);
  for (int i = 1; i < options_.servers; ++i) all.servers.push_back(url(i));
  return all;
}

void NatsServers::kill(int server) {
  servers_.at(server).program->send(SIGKILL);
  servers_.at(server).program->wait();
}

void NatsServers::terminate(int server) {
  servers_.at(server).program->send(SIGTERM);
  servers_.at(server).program->wait();
}

void NatsServers::freeze(int server) {
  servers_.at(server).program->send(SIGSTOP);
}

void NatsServers::go_on(int server) {
  servers_.at(server).program->send(SIGCONT);
}

void NatsServers::start(int server) {
  launch(server);
  if (!wait_ready(server)) {
    throw std::runtime_error("nats-server does not come back: " +
                             servers_[server].program->text("err"));
  }
}

int NatsServers::leader() const {
  for (int i = 0; i < options_.servers; ++i) {
    if (!servers_[i].program || servers_[i].program->pid() < 0) continue;
    const std::string all = get_body(servers_[i].monitor_port, "/jsz");
    const std::size_t cluster = all.find("\"meta_cluster\"");
    const std::string leader = "\"leader\": \"s";
    const std::size_t at = cluster == std::string::npos ? cluster : all.find(leader, cluster);
    if (at != std::string::npos) return all[at + leader.size()] - '0';
  }
  return -1;
}

int NatsServers::leader_of(const std::string& bucket) const {
  for (int i = 0; i < options_.servers; ++i) {
    if (!servers_[i].program || servers_[i].program->pid() < 0) continue;
    const std::string all = get_body(servers_[i].monitor_port, "/jsz?streams=true&accounts=true");
    const std::size_t stream = all.find("\"name\": \"KV_" + bucket + "\"");
    if (stream == std::string::npos) continue;
    const std::string leader = "\"leader\": \"s";
    const std::size_t at = all.find(leader, stream);
    if (at != std::string::npos) return all[at + leader.size()] - '0';
  }
  return -1;
}

}  // namespace pollux::test

#include "bench/agents/fleet.hpp"

#include <csignal>
#include <fstream>

#include <unistd.h>

namespace pollux::bench {
namespace {

test::NatsServersOptions servers_for(const std::vector<std::string>& names, int servers) {
  test::NatsServersOptions options;
  options.servers = servers;
  options.users = {test::nats_brain("brain")};
  for (const std::string& name : names) options.users.push_back(test::nats_agent(name));
  return options;
}

}  // namespace

Fleet::Fleet(std::vector<std::string> names, int servers)
    : names_(std::move(names)), nats_(servers_for(names_, servers)) {}

void Fleet::start_agent(const std::string& name, const AgentPlan& plan) {
  std::unique_ptr<Agent>& agent = agents_[name];
  agent = std::make_unique<Agent>();
  const bus::Options nats = plan.nats.servers.empty() ? nats_.client(name) : plan.nats;
  const std::string file =
      agent->folder.write("agent.yaml", "agent: { name: " + name + plan.settings + " }\n" +
                                            test::nats_section(nats) + plan.sections);
  agent->program = std::make_unique<test::Program>(
      POLLUX_BINARY, agent->folder, std::vector<std::string>{"agent", "--config", file},
      plan.environment);
}

void Fleet::end_agent(const std::string& name, int signal) {
  agents_.at(name)->program->send(signal);
  agents_.at(name)->program->send(SIGCONT);
  static_cast<void>(agents_.at(name)->program->wait());
}

void Fleet::start_brain(const std::string& sections) {
  std::string yaml =
      "database: brain.db\n" + test::nats_section(nats_.client("brain")) + "access_points:\n";
  for (const std::string& name : names_)
    yaml += "  - { name: at-" + name + ", agent: " + name + " }\n";
  brain_folder_->write("brain.yaml", yaml + sections);
  restart_brain();
}

void Fleet::restart_brain() {
  brain_ = std::make_unique<test::Program>(
      POLLUX_BINARY, *brain_folder_,
      std::vector<std::string>{"run", "--config", brain_folder_->file("brain.yaml")});
}

void Fleet::end_brain(int signal) {
  brain_->send(signal);
  static_cast<void>(brain_->wait());
}

std::unique_ptr<test::Program> start_daemon(const test::TempFolder& folder,
                                            const std::string& yaml) {
  const std::string file = folder.write("daemon.yaml", yaml);
  return std::make_unique<test::Program>(POLLUX_BINARY, folder,
                                         std::vector<std::string>{"run", "--config", file});
}

double cpu_of(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text{std::istreambuf_iterator<char>(stat), {}};
  // The name, in brackets, may have blanks.
  std::istringstream fields(text.substr(text.rfind(')') + 1));
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;
  double user = 0, system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace pollux::bench

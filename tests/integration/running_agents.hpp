// A daemon as a brain, and agents, each the real program, over real NATS servers.
#pragma once

#include "integration/running_daemon.hpp"
#include "support/behaviours.hpp"
#include "support/nats_servers.hpp"
#include "support/origin.hpp"

#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace pollux::test {

class RunningAgents : public RunningDaemon {
 protected:
  void SetUp() override {
    if (!NatsServers::installed()) GTEST_SKIP() << "nats-server is not installed";
  }
  void TearDown() override {
    RunningDaemon::TearDown();
    agents_.clear();
  }

  void serve_nats(int servers = 1) {
    NatsServersOptions options;
    options.servers = servers;
    options.users = {nats_brain("brain"), nats_agent("one"), nats_agent("two")};
    nats_ = std::make_unique<NatsServers>(options);
  }
  void start_agent(const std::string& name, const std::string& certificate = "",
                   const std::string& more = "") {
    start_agent_with(name, certificate, more, "network: { allow: [127.0.0.0/8] }\n");
  }
  // `sections`: of its file, besides those that all have.
  void start_agent_with(const std::string& name, const std::string& certificate,
                        const std::string& more, const std::string& sections) {
    const std::string file = name + ".yaml";
    std::ofstream(folder_ / file) << "agent: { name: " << name << more << " }\n"
                                  << nats_section(
                                         nats_->client(certificate.empty() ? name : certificate))
                                  << sections << "hosts: { delay: 0s, connections: 64 }\n";
    // Its browser, which is another user's, has its folder there.
    const TempFolder& folder = agent_folders_[name];
    std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
    agents_[name] = std::make_unique<Program>(
        POLLUX_BINARY, folder,
        std::vector<std::string>{"agent", "--config", (folder_ / file).string()},
        std::vector<std::pair<std::string, std::string>>{{"TMPDIR", folder.path().string()}});
  }
  std::string agents_section(const std::vector<std::string>& names) {
    std::string text = nats_section(nats_->client("brain")) + "access_points:\n";
    for (const std::string& name : names)
      text += "  - { name: at-" + name + ", agent: " + name + " }\n";
    return text;
  }
  void configure_brain(const std::vector<std::string>& urls, const std::string& budget,
                       const std::vector<std::string>& names, const std::string& more = "") {
    configure(urls, budget,
              "defaults: { min_interval: 0s, max_interval: 2s, timeout: 3s }\n" +
                  agents_section(names) + more);
  }
  // As nats.content of the brain, which is configured already.
  void set_content(const std::string& way) {
    std::ifstream file(folder_ / "pollux.yaml");
    std::string text{std::istreambuf_iterator<char>(file), {}};
    text.insert(text.find("nats: { ") + 8, "content: " + way + ", ");
    std::ofstream(folder_ / "pollux.yaml") << text;
  }
  // Of the first agent, as its brain counted; -1: it is not known.
  double agents_figure(const std::string& name) {
    const auto open = reader();
    if (!open) return -1;
    const auto meta = open->meta();
    if (!meta.ok() || !meta->contains("agents")) return -1;
    const std::string key = "\"" + name + "\":";
    const std::string& row = meta->at("agents");
    const std::size_t at = row.find(key);
    return at == std::string::npos ? -1 : std::strtod(row.c_str() + at + key.size(), nullptr);
  }
  bool agent_logged(const std::string& name, const std::string& what) {
    return eventually(
        [&] { return agents_.at(name)->text("err").find(what) != std::string::npos; });
  }

  std::unique_ptr<NatsServers> nats_;
  std::map<std::string, TempFolder> agent_folders_;
  std::map<std::string, std::unique_ptr<Program>> agents_;
  Origin origin_;
};

}  // namespace pollux::test

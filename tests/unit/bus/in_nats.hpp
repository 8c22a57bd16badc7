// Members of an installation on real servers, each over a wire of its own that can be cut.
#pragma once

#include "engine/asio_loop.hpp"
#include "support/nats_servers.hpp"
#include "support/relay.hpp"
#include "unit/bus/installation.hpp"

#include <chrono>
#include <map>

#include <boost/asio/executor_work_guard.hpp>

namespace pollux::bus {

class InNats final : public Installation {
 public:
  explicit InNats(test::NatsServersOptions options) : servers(with_users(std::move(options))) {}

  std::unique_ptr<Bus> join(const std::string& name) override {
    auto made = connect(loop, options(name));
    EXPECT_TRUE(made) << (made ? "" : made.error().message);
    return made ? std::move(*made) : nullptr;
  }
  Options options(const std::string& name) {
    const int server = static_cast<int>(wires_.size()) % servers_count_;
    Options all = servers.client_of(server, name);
    auto& wire = wires_[name];
    if (!wire) wire = std::make_unique<test::Relay>(servers.port(server));
    const std::string scheme = all.servers[0].substr(0, all.servers[0].find(':'));
    all.servers = {scheme + "://127.0.0.1:" + std::to_string(wire->port())};
    all.entries_live = entries_live();
    return all;
  }
  void cut_off(const std::string& name) override { wires_.at(name)->cut_off(); }
  void mend(const std::string& name) override { wires_.at(name)->mend(); }
  void hold(const std::string& name) { wires_.at(name)->hold(); }
  bool wait_for(const std::function<bool()>& happened) override {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!happened()) {
      if (std::chrono::steady_clock::now() > end) return false;
      io.run_for(std::chrono::milliseconds(5));
    }
    return true;
  }
  void pass() override { io.run_for(std::chrono::milliseconds(100)); }
  Duration entries_live() const override { return std::chrono::seconds(2); }
  std::size_t largest_payload() const override { return 1 << 20; }

 private:
  test::NatsServersOptions with_users(test::NatsServersOptions options) {
    servers_count_ = options.servers;
    options.max_payload = largest_payload();
    for (const char* name : {"first", "second"}) {
      options.users.push_back(test::nats_everything(name));
    }
    options.users.push_back(test::nats_agent("fra-1"));
    return options;
  }
  int servers_count_ = 1;

 public:
  boost::asio::io_context io;
  engine::AsioLoop loop{io};
  test::NatsServers servers;

 private:
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> never_idle_{
      io.get_executor()};
  std::map<std::string, std::unique_ptr<test::Relay>> wires_;
};

}  // namespace pollux::bus

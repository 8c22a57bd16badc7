// A brain, three agents and a cluster of three NATS servers at work, in which anything can be lost:
// each agent reaches the servers through relays of its own, and sees a wall clock of its own.
// Threading: one thread.
#pragma once

#include "bench/agents/fleet.hpp"
#include "bench/agents/loss_web.hpp"
#include "bench/agents/old_agent.hpp"
#include "support/relay.hpp"
#include "support/shifted_wall_clock.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace pollux::bench {

class LossWorld {
 public:
  static constexpr int budget = 60;
  static constexpr std::size_t holders = 4;  // of leases: the brain and its agents
  static constexpr std::chrono::milliseconds delay{300};

  explicit LossWorld(std::chrono::seconds timeout);
  ~LossWorld();

  std::chrono::seconds timeout() const { return timeout_; }
  LossWeb& web() { return web_; }
  Fleet& fleet() { return fleet_; }

  // Until every agent polls; false: it does not come to that.
  bool wait_until_steady();
  // Who polls most hosts at the moment.
  std::string busiest_agent() const;

  void start_agent(const std::string& name) { start_agent(name, relayed(name)); }
  void start_agent(const std::string& name, const bus::Options& nats);
  void cut_off(const std::string& name);
  void hold(const std::string& name);
  void mend(const std::string& name);
  void shift_clock(const std::string& name, std::chrono::seconds by);
  // Client certificates that do not do: of another name, and of another authority.
  bus::Options with_name_of_another(const std::string& name);
  bus::Options with_foreign_certificate(const std::string& name);
  void speak_as_old_agent(const std::string& name);
  const OldAgent* old_agent() const { return old_.get(); }
  void end_old_agent() { old_.reset(); }
  // The index of the server that the brain is connected to; that leads the cluster.
  int server_of_brain();
  int leading_server();

  struct Totals {
    std::size_t changes = 0;
    LossWeb::Counted counted;
    std::size_t unknown = 0;  // pages whose content the brain has never seen
    std::int64_t page_errors = 0;
  };
  // Waits until everything that was shown has been written, at most so long.
  Totals totals(std::chrono::seconds at_most);
  // Polls that the brain gave up, of agents as a row of its database says them.
  std::size_t lost_polls() const;

 private:
  bus::Options relayed(const std::string& name);
  Totals read_totals() const;

  const std::chrono::seconds timeout_;
  const std::vector<std::string> agents_{"one", "two", "three"};
  LossWeb web_;
  Fleet fleet_;
  std::map<std::string, std::vector<std::unique_ptr<test::Relay>>> relays_;
  test::TempFolder clocks_folder_;
  std::map<std::string, std::unique_ptr<test::ShiftedWallClock>> clocks_;
  test::Authority foreign_;
  std::unique_ptr<OldAgent> old_;
};

}  // namespace pollux::bench

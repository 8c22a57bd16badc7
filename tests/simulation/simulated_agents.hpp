// Agents of the simulated engine: each with a worker, a line to the hub and a door to the one
// simulated web. They are killed, frozen, cut off, slowed down and started anew, as one seed says,
// and each has a clock of its own. Threading: one thread.
#pragma once

#include "pollux/agent/remote_fetcher.hpp"
#include "pollux/agent/worker.hpp"
#include "pollux/base/event_loop.hpp"
#include "pollux/base/rng.hpp"
#include "pollux/bus/memory.hpp"
#include "pollux/fetch/router.hpp"
#include "simulation/simulated_web.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace pollux::simulation {

// One web, asked through several fetchers: tokens of each are its own.
class WebDoors final : fetch::Handler {
 public:
  explicit WebDoors(SimulatedWeb& web) : web_(web) { web_.set_handler(*this); }
  // One that is destroyed hears nothing of what it had asked; servers see it through.
  std::unique_ptr<fetch::Fetcher> open(fetch::Handler& handler);

 private:
  class Door;
  struct Asked {
    Door* door;
    fetch::Token token;
  };
  void on_ready(fetch::Token token) override;
  void on_piece(fetch::Token, std::string) override {}
  void on_done(fetch::Response response) override;

  SimulatedWeb& web_;
  std::unordered_map<fetch::Token, Asked> asked_;  // by the web's own tokens
  std::uint64_t last_ = 0;
};

struct AgentLosses {
  std::uint64_t kills = 0, freezes = 0, cuts = 0, slow_lines = 0, sleeps = 0;
};

class SimulatedAgents {
 public:
  SimulatedAgents(EventLoop& loop, const Clock& clock, std::size_t agents, std::uint64_t seed);
  ~SimulatedAgents();
  static std::string name(std::size_t agent);

  // What the poll loop fetches with; polling begins when the remote one has settled.
  fetch::Fetcher& make_fetcher(SimulatedWeb& web, fetch::Handler& handler,
                               const std::vector<fetch::AccessPoint>& points,
                               std::function<leases::Ceiling()> budget);
  agent::RemoteFetcher& remote() { return *remote_; }
  // One of them, or its line, suffers something, for up to twenty seconds.
  void lose_something();
  const AgentLosses& losses() const { return losses_; }
  std::uint64_t polls_of(std::size_t agent) const;

 private:
  struct Agent;
  void start(std::size_t agent);
  void set_line(std::size_t agent, const bus::Line& line, Duration time);
  void later(Duration time, std::function<void()> what);

  EventLoop& loop_;
  const Clock& clock_;
  Rng rng_;
  bus::MemoryHub hub_;
  std::unique_ptr<bus::Bus> brain_bus_;
  std::unique_ptr<WebDoors> doors_;
  std::vector<std::unique_ptr<Agent>> agents_;
  std::unique_ptr<fetch::Router> router_;
  agent::RemoteFetcher* remote_ = nullptr;
  AgentLosses losses_;
  std::vector<std::unique_ptr<Timer>> timers_;
  std::uint64_t instances_ = 0;
};

}  // namespace pollux::simulation

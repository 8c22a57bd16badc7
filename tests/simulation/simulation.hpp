// The whole engine on a virtual clock: poll loop, scheduler, learner, reloads and saving, without
// curl and without SQLite, against a simulated web. Everything follows from one seed. While it runs
// an observer on the side of the servers checks what must never happen.
#pragma once

#include "pollux/base/time.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace pollux::simulation {

struct SimulationOptions {
  std::uint64_t seed = 1;
  std::size_t hosts = 1000;
  double budget = 1;
  Duration length = std::chrono::hours(24 * 7);
  Duration delay = std::chrono::seconds(1);
  Duration reload_every = std::chrono::hours(5);
  Duration command_every = Duration::zero();      // by somebody who steers it; zero: nobody does
  std::size_t agents = 0;                         // that poll for it; 0: it polls itself
  Duration loss_every = std::chrono::minutes(3);  // of an agent, or of its line
};

struct SimulationResult {
  std::vector<std::string> violations;  // the first hundred, in words
  std::uint64_t violation_count = 0;
  std::uint64_t requests = 0, polls = 0, changes = 0, errors = 0, reloads = 0, steps = 0;
  std::uint64_t commands = 0, polls_by_hand = 0, of_these_soon = 0;
  std::uint64_t requests_decided = 0;  // by the engine; servers may see fewer, never more
  std::vector<std::uint64_t> polls_of_agents;
  std::uint64_t losses = 0;  // of agents
  std::uint64_t polls_lost = 0, polls_unused = 0;
  std::uint64_t forgotten_blocks = 0;  // a Retry-After whose answer was lost with its agent
  double budget_used = 0;              // part of it
  double fullest_second = 0;           // requests
  double share_error = 0;              // polls against shares, the worst tenth of the healthy pages
};

SimulationResult simulate(const SimulationOptions& options);

}  // namespace pollux::simulation

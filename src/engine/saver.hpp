// What changes slowly is saved every few seconds: learner nodes, hosts, placements, counts and how
// the daemon does. Polls go to the store as they end. Threading: the engine's thread.
#pragma once

#include "engine/lists.hpp"
#include "engine/metrics.hpp"
#include "engine/poll_loop.hpp"
#include "engine/saved_clocks.hpp"
#include "engine/stall_probe.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace pollux::engine {

class Saver {
 public:
  Saver(EventLoop& loop, const Clock& clock, Lists& lists, PollLoop& poll_loop, store::Sink& sink)
      : clock_(clock),
        lists_(lists),
        poll_loop_(poll_loop),
        sink_(sink),
        timer_(loop.make_timer()),
        stall_probe_(loop, clock) {}

  void begin();   // from now on
  void finish();  // once more, and no further
  void save();
  Metrics metrics();  // since the start, as of now
  // Of agents, if there are any.
  using Agents = std::function<std::vector<agent::AgentFigures>()>;
  void tell_of_agents(Agents agents) { agents_ = std::move(agents); }

 private:
  struct Since {  // what earlier saves have told
    Instant counted_until{};
    std::uint64_t turns = ~std::uint64_t{0};
    double starved_seconds = 0;
    std::uint64_t overflows = 0;
    std::optional<double> poll_rate;  // smoothed over minutes
    std::optional<Moment> clocks;     // as they were read the last time
  };
  void plan_next();
  void wait();
  bool has_jumped(const Moment& at) const;
  void note_rate(double polls, double seconds);

  const Clock& clock_;
  Lists& lists_;
  PollLoop& poll_loop_;
  store::Sink& sink_;
  std::unique_ptr<Timer> timer_;
  StallProbe stall_probe_;
  Since since_;
  Agents agents_;
  Instant next_{};
  const std::string boot_ = boot_id();
};

}  // namespace pollux::engine

// Fetches and detection on a virtual clock, driven by the controller as the poll loop drives it.
// There is always a page to fetch.
#pragma once

#include "pollux/base/rng.hpp"
#include "pollux/concurrency/controller.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <vector>

namespace pollux::concurrency {

class SimulatedDaemon {
 public:
  struct World {
    double fetch_seconds = 0.2;  // mean; between a half and one and a half of it
    double detect_seconds = 0.0001;
    double jitter = 0.5;
    double most_per_second = 1e9;    // answers that our processor can handle
    std::size_t queue_holds = 1024;  // pages; more are put aside until there is room
  };
  SimulatedDaemon(const ControllerOptions& options, const World& initial)
      : world(initial), controller_(options) {}

  // Pages that detection finished meanwhile.
  std::size_t run(double seconds) {
    const std::size_t before = finished_;
    const double until = now_ + seconds;
    for (;;) {
      start();
      const double arrival = fetches_.empty() ? until : fetches_.top().ends;
      const double detection = serving_ ? served_at_ : until;
      const double next = std::min(arrival, detection);
      if (next >= until) break;
      now_ = next;
      if (arrival <= detection) {
        arrive();
      } else {
        detect();
      }
    }
    now_ = until;
    return finished_ - before;
  }

  Controller& controller() { return controller_; }
  Instant now() const { return Instant(from_seconds(now_)); }
  std::size_t longest_queue = 0;
  std::size_t started = 0, lost = 0;
  World world;

 private:
  struct Fetch {
    double ends, began;
    bool operator>(const Fetch& other) const { return ends > other.ends; }
  };

  void start() {
    while (controller_.may_start() && controller_.waiting() < world.queue_holds) {
      controller_.started(now());
      ++started;
      const double shift = (rng_.uniform() * 2 - 1) * world.jitter;
      const double answered = now_ + world.fetch_seconds * (1 + shift);
      handled_ = std::max(answered, handled_ + 1 / world.most_per_second);
      fetches_.push({world.most_per_second < 1e9 ? handled_ : answered, now_});
    }
  }
  void arrive() {
    const Fetch fetch = fetches_.top();
    fetches_.pop();
    if (controller_.waiting() >= world.queue_holds) controller_.overflowed();
    controller_.arrived(now(), from_seconds(now_ - fetch.began), 4000);
    longest_queue = std::max(longest_queue, controller_.waiting());
    serve();
  }
  void serve() {
    if (serving_ || controller_.waiting() == 0) return;
    serving_ = true;
    service_ = world.detect_seconds * (0.5 + rng_.uniform());
    served_at_ = now_ + service_;
  }
  void detect() {
    serving_ = false;
    ++finished_;
    controller_.served(1, service_);
    controller_.detected(now());
    serve();
  }

  Controller controller_;
  Rng rng_{7};
  double now_ = 1, handled_ = 0, served_at_ = 0, service_ = 0;
  bool serving_ = false;
  std::size_t finished_ = 0;
  std::priority_queue<Fetch, std::vector<Fetch>, std::greater<>> fetches_;
};

}  // namespace pollux::concurrency

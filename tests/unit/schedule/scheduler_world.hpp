// A scheduler with shares set by hand, and a list of pages that is polled step by step.
#pragma once

#include "pollux/schedule/scheduler.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace pollux::schedule {

using namespace std::chrono_literals;

// Shares (or intervals) set by hand.
class FixedPolicy : public learn::Policy {
 public:
  explicit FixedPolicy(std::vector<double> weights, learn::Timeline line = learn::Timeline::shared)
      : weights_(std::move(weights)), line_(line) {
    for (const double w : weights_) sum_ += w;
  }
  std::string_view name() const override { return "fixed"; }
  learn::Timeline timeline() const override { return line_; }
  void add(PageSlot, double, const std::optional<learn::PageMemory>&) override {}
  void remove(PageSlot) override {}
  void set_importance(PageSlot, double) override {}
  void feed(PageSlot, const learn::Observation&) override {}
  double share(PageSlot page) const override { return weights_[index(page)] / sum_; }
  double interval(PageSlot page) const override { return weights_[index(page)]; }
  void set_sweep(double) override {}
  std::vector<PageSlot> take_moved() override { return std::exchange(moved, {}); }
  void move(std::uint32_t page, double interval) {
    if (page < weights_.size()) weights_[page] = interval;
    moved.push_back(PageSlot{page});
  }
  std::vector<PageSlot> moved;
  std::vector<learn::Look> take_looks() override { return std::exchange(proposed, {}); }
  bool still_wanted(const learn::Look&) const override { return wants_looks; }
  void propose(std::uint32_t page, double value = 1, std::uint32_t because = 0) {
    proposed.push_back({.page = PageSlot{page}, .because = PageSlot{because}, .value = value});
  }
  std::vector<learn::Look> proposed;
  bool wants_looks = true;
  learn::PageMemory memory(PageSlot) const override { return {}; }
  std::size_t memory_bytes() const override { return 0; }

 private:
  std::vector<double> weights_;
  learn::Timeline line_;
  double sum_ = 0;
};

inline constexpr Politeness no_politeness{Duration::zero(), 1 << 20};
inline constexpr Limits no_limits{Duration::zero(), std::chrono::hours(24 * 365 * 100)};

// A list of pages polled step by step: `polls_per_second` chances to start, each poll takes
// `flight`.
struct World {
  World(std::vector<double> weights, Options options,
        learn::Timeline line = learn::Timeline::shared)
      : policy(std::move(weights), line), scheduler(options, policy) {}

  void host(std::uint32_t h, Politeness politeness) { scheduler.add_host(HostSlot{h}, politeness); }
  void page(std::uint32_t p, std::uint32_t h, Limits limits = no_limits) {
    scheduler.add(PageSlot{p}, HostSlot{h}, limits, now);
    host_of[p] = h;
  }
  void run(Duration length, Duration step, Duration flight = Duration::zero()) {
    const Instant end = now + length;
    for (; now < end; now += step) {
      for (std::size_t i = 0; i < flying.size();) {
        if (flying[i].first <= now) {
          end_poll(flying[i].second);
          flying.erase(flying.begin() + static_cast<std::ptrdiff_t>(i));
        } else {
          ++i;
        }
      }
      const auto choice = scheduler.next(now);
      if (!choice) {
        ++idle;
        continue;
      }
      const std::uint32_t p = index(choice->page);
      starts[p].push_back(now);
      if (choice->look) looks.push_back(p);
      ++reasons[choice->reason];
      if (flight == Duration::zero()) {
        end_poll(p);
      } else {
        flying.emplace_back(now + flight, p);
      }
    }
  }
  void end_poll(std::uint32_t p) {
    scheduler.release_host(HostSlot{host_of[p]}, now);
    scheduler.finish(PageSlot{p}, now,
                     not_before.contains(p) ? std::optional(now + not_before[p]) : std::nullopt,
                     cost.contains(p) ? cost[p] : 1);
  }
  double polls(std::uint32_t p) { return static_cast<double>(starts[p].size()); }
  Duration longest_gap(std::uint32_t p) {
    Duration longest{};
    for (std::size_t i = 1; i < starts[p].size(); ++i)
      longest = std::max(longest, starts[p][i] - starts[p][i - 1]);
    return longest;
  }
  Duration shortest_gap(std::uint32_t p) {
    Duration shortest = Duration::max();
    for (std::size_t i = 1; i < starts[p].size(); ++i)
      shortest = std::min(shortest, starts[p][i] - starts[p][i - 1]);
    return shortest;
  }

  FixedPolicy policy;
  Scheduler scheduler;
  Instant now{1000s};
  std::map<std::uint32_t, std::uint32_t> host_of;
  std::map<std::uint32_t, std::vector<Instant>> starts;
  std::map<std::uint32_t, Duration> not_before;
  std::map<std::uint32_t, int> cost;  // requests that a poll of the page causes
  std::map<Reason, int> reasons;
  std::vector<std::uint32_t> looks;  // the pages of those that were made, in their order
  std::vector<std::pair<Instant, std::uint32_t>> flying;
  int idle = 0;
};

inline Options options(double budget, double explore = 0) {
  return {.budget = budget, .explore = explore, .seed = 5};
}

}  // namespace pollux::schedule

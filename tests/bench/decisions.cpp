// What one decision costs (choose, release, feed, finish) and how that grows with the list.
// Prints a line per size, best of five, and the ratio to the smallest; one core, no I/O.
#include "pollux/learn/policy.hpp"
#include "pollux/schedule/scheduler.hpp"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

using namespace pollux;

namespace {

struct Cost {
  double nanoseconds;
  double bytes_per_page;
};

Cost measure(const std::string& name, std::uint32_t pages, int decisions) {
  auto policy = learn::make_policy({name, 1});
  Rng rng(42);
  policy->set_sweep(pages);
  for (std::uint32_t p = 0; p < pages; ++p) policy->add(PageSlot{p}, 1, std::nullopt);
  schedule::Scheduler scheduler({.budget = 1, .explore = 0.03, .seed = 1}, *policy);
  scheduler.add_host(HostSlot{0}, {Duration::zero(), 1 << 30});
  Instant now{std::chrono::seconds(1)};
  const schedule::Limits limits{Duration::zero(), std::chrono::hours(24 * 36500)};
  for (std::uint32_t p = 0; p < pages; ++p) scheduler.add(PageSlot{p}, HostSlot{0}, limits, now);

  std::vector<float> last(pages, 1);
  const auto step = [&](double second) {
    now = Instant(from_seconds(second));
    const auto choice = scheduler.next(now);
    const std::uint32_t p = index(choice->page);
    const double elapsed = second - static_cast<double>(last[p]) + 1;
    last[p] = static_cast<float>(second);
    // Rates fall with the slot; enough hits to keep the automata moving.
    const double rate =
        20.0 / static_cast<double>(pages) / (1 + static_cast<double>(p % 1000) / 50);
    scheduler.release_host(HostSlot{0}, now);
    policy->feed(choice->page, {rng.chance(1 - std::exp(-rate * elapsed)), elapsed, second});
    scheduler.finish(choice->page, now);
  };
  double second = 1;
  for (int i = 0; i < decisions / 4; ++i) step(second += 1);  // warm up
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < decisions; ++i) step(second += 1);
  const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
  return {spent.count() / decisions,
          static_cast<double>(policy->memory_bytes() + scheduler.memory_bytes()) / pages};
}

}  // namespace

int main(int argc, char** argv) {
  const std::string policy = argc > 1 ? argv[1] : "htraa";
  const int decisions = argc > 2 ? std::atoi(argv[2]) : 1'000'000;
  std::printf("%-10s %10s %14s %14s %12s %12s\n", "policy", "pages", "ns/decision", "decisions/s",
              "x of 1 000", "bytes/page");
  double smallest = 0;
  for (const std::uint32_t pages : {1'000u, 10'000u, 100'000u, 1'000'000u}) {
    Cost cost = measure(policy, pages, decisions);
    for (int again = 1; again < 5; ++again) {
      const Cost other = measure(policy, pages, decisions);
      if (other.nanoseconds < cost.nanoseconds) cost = other;
    }
    if (smallest == 0) smallest = cost.nanoseconds;
    std::printf("%-10s %10u %14.0f %14.0f %12.2f %12.1f\n", policy.c_str(), pages, cost.nanoseconds,
                1e9 / cost.nanoseconds, cost.nanoseconds / smallest, cost.bytes_per_page);
  }
  return 0;
}

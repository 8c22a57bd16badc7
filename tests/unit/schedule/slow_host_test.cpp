// One slow host with a thousand pages, and everybody else: on a virtual clock, with the production
// scheduler and the production budget, and as many places for requests as the daemon has.
#include "pollux/schedule/budget.hpp"
#include "pollux/schedule/scheduler.hpp"

#include <algorithm>
#include <queue>
#include <vector>

#include <gtest/gtest.h>

namespace pollux::schedule {
namespace {

using namespace std::chrono_literals;

// Half of the pages have hardly any share: they live by their max_interval.
class UnequalShares final : public learn::Policy {
 public:
  std::string_view name() const override { return "unequal"; }
  void add(PageSlot, double, const std::optional<learn::PageMemory>&) override {}
  void remove(PageSlot) override {}
  void set_importance(PageSlot, double) override {}
  void feed(PageSlot, const learn::Observation&) override {}
  double share(PageSlot page) const override { return (index(page) % 2 == 0 ? 2 : 1e-3) / pages; }
  void set_sweep(double) override {}
  learn::PageMemory memory(PageSlot) const override { return {}; }
  std::size_t memory_bytes() const override { return 0; }
  double pages = 1;
};

constexpr std::uint32_t hosts = 50, pages_each = 20, slow_pages = 1000;
constexpr Duration wanted_every = 20s;  // fifty polls a second for the healthy pages
constexpr double rate = 60;  // enough for them, but not for the slow host's thousand as well
constexpr std::size_t places = 128;

struct Flight {
  Instant end;
  std::uint32_t page, host;
  bool operator>(const Flight& other) const { return end > other.end; }
};

// How late the healthy pages were, in seconds after their max_interval, sorted.
std::vector<double> lateness(bool with_slow_host) {
  UnequalShares policy;
  policy.pages = hosts * pages_each + (with_slow_host ? slow_pages : 0);
  Scheduler scheduler({.budget = rate, .explore = 0.03, .seed = 7}, policy);
  Instant now(1h);
  const Instant end = now + 10min;
  Budget budget(rate, now);
  std::vector<std::uint32_t> host_of;
  const auto add = [&](std::uint32_t host) {
    const PageSlot page{static_cast<std::uint32_t>(host_of.size())};
    host_of.push_back(host);
    scheduler.add(page, HostSlot{host}, {15s, wanted_every}, now);
  };
  for (std::uint32_t h = 0; h < hosts; ++h) {
    scheduler.add_host(HostSlot{h}, {100ms, 1});
    for (std::uint32_t i = 0; i < pages_each; ++i) add(h);
  }
  scheduler.add_host(HostSlot{hosts}, {1s, 1});
  for (std::uint32_t i = 0; with_slow_host && i < slow_pages; ++i) add(hosts);

  std::priority_queue<Flight, std::vector<Flight>, std::greater<>> flying;
  std::vector<Instant> last(host_of.size(), Instant::min());
  std::vector<double> late;
  while (now < end) {
    while (!flying.empty() && flying.top().end <= now) {
      const Flight done = flying.top();
      flying.pop();
      scheduler.release_host(HostSlot{done.host}, now);
      scheduler.finish(PageSlot{done.page}, now);
    }
    while (flying.size() < places && budget.next_allowed() <= now) {
      const auto choice = scheduler.next(now);
      if (!choice) break;
      budget.take(now);
      const std::uint32_t page = index(choice->page);
      // The slow one never answers before its time-out.
      flying.push(
          {now + (host_of[page] == hosts ? Duration(20s) : Duration(50ms)), page, host_of[page]});
      if (host_of[page] != hosts && last[page] != Instant::min())
        late.push_back(std::max(0.0, to_seconds(now - last[page] - wanted_every)));
      last[page] = now;
    }
    now += 1ms;
  }
  std::sort(late.begin(), late.end());
  return late;
}

double percentile(const std::vector<double>& sorted, double part) {
  return sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1))];
}

TEST(SlowHost, with_a_thousand_pages_does_not_delay_the_pages_of_others) {
  const std::vector<double> alone = lateness(false), beside = lateness(true);
  ASSERT_GE(alone.size(), 20'000u);
  EXPECT_GE(static_cast<double>(beside.size()), 0.99 * static_cast<double>(alone.size()));
  const double before = percentile(alone, 0.99), after = percentile(beside, 0.99);
  std::printf("lateness p99 of 1000 healthy pages: %.3f s alone, %.3f s beside the slow host\n",
              before, after);
  EXPECT_GT(before, 0) << "there is a lateness to grow";
  EXPECT_LE(after, 1.1 * before);
}

}  // namespace
}  // namespace pollux::schedule

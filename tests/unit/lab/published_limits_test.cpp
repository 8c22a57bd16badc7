// The published H-TRAA chooses in its tree; hosts, back-offs and limits are the scheduler's. The
// two together must neither stall nor burst.
#include "pollux/base/rng.hpp"
#include "pollux/learn/policy.hpp"
#include "pollux/schedule/scheduler.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace pollux::lab {
namespace {

using namespace std::chrono_literals;

class PublishedLimits : public testing::TestWithParam<const char*> {};

TEST_P(PublishedLimits, a_slow_host_and_pages_that_back_off_hold_up_nobody) {
  constexpr std::uint32_t pages = 60;  // twenty on each host
  const auto policy = learn::make_policy({.policy = GetParam(), .seed = 3});
  for (std::uint32_t i = 0; i < pages; ++i) policy->add(PageSlot{i}, 1, std::nullopt);
  policy->set_sweep(pages / 10.0);
  schedule::Scheduler scheduler({.budget = 10, .explore = 0.03, .seed = 5}, *policy);
  scheduler.add_host(HostSlot{0}, {.delay = 2s, .connections = 1});
  scheduler.add_host(HostSlot{1}, {.delay = 0s, .connections = 4});
  scheduler.add_host(HostSlot{2}, {.delay = 0s, .connections = 4});
  Instant now{};
  for (std::uint32_t i = 0; i < pages; ++i) {
    scheduler.add(PageSlot{i}, HostSlot{i / 20}, {.min_interval = 200ms, .max_interval = 10min},
                  now);
  }
  Rng rng(7);
  std::vector<int> polls(pages, 0);
  std::vector<Instant> last(pages, Instant{} - 10s);
  Instant host_free{};
  int idle = 0;
  for (int turn = 0; turn < 20000; ++turn) {
    now += 100ms;
    const auto choice = scheduler.next(now);
    if (!choice) {
      ++idle;
      continue;
    }
    const std::uint32_t page = index(choice->page);
    const Duration waited = now - last[page];
    ASSERT_GE(waited, Duration(200ms));
    last[page] = now;
    ++polls[page];
    const HostSlot host{page / 20};
    if (host == HostSlot{0}) {
      ASSERT_GE(now, host_free);
      host_free = now + 2s;
    }
    scheduler.note_sent(host, now);
    scheduler.release_host(host, now);
    if (page % 20 == 3) {  // fails: never fed, left alone for a while
      scheduler.finish(choice->page, now, now + 60s);
      continue;
    }
    const double rate = page % 20 == 5 ? 0.5 : 0.01;
    policy->feed(choice->page, {.changed = rng.chance(-std::expm1(-rate * to_seconds(waited))),
                                .elapsed = to_seconds(waited),
                                .now = to_seconds(now.time_since_epoch())});
    scheduler.finish(choice->page, now);
  }
  EXPECT_LT(idle, 200);
  int slow_host = 0;
  for (std::uint32_t i = 0; i < pages; ++i) {
    if (i < 20) slow_host += polls[i];
    if (i % 20 == 3) {
      EXPECT_LE(polls[i], 40) << i;  // left alone as long as it was told
    } else {
      EXPECT_GT(polls[i], 10) << i;
    }
  }
  EXPECT_GT(slow_host, 700);  // it could have a thousand
}

INSTANTIATE_TEST_SUITE_P(Lab, PublishedLimits, testing::Values("htraa-rp", "htraa-ri", "htraa-ip"),
                         [](const auto& parameter) {
                           return std::string("update_") + (parameter.param + 6);
                         });

}  // namespace
}  // namespace pollux::lab

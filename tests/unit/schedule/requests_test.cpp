// What requests mean to the scheduler: pauses between them, and who pays for many.
#include "unit/schedule/scheduler_world.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace pollux::schedule {
namespace {

TEST(Scheduler, a_pause_counts_from_the_end_whatever_politeness_is_told_meanwhile) {
  World w({1}, options(10));
  w.host(0, {1s, 1});
  w.page(0, 0);
  ASSERT_TRUE(w.scheduler.next(w.now));
  w.now += 7s;
  w.end_poll(0);
  w.scheduler.set_pause(HostSlot{0}, 20s);
  const Instant end = w.now;
  for (int reload = 0; reload < 15; ++reload) {
    w.now += 1s;
    w.scheduler.set_politeness(HostSlot{0}, {1s, 1}, w.now);
    EXPECT_EQ(w.scheduler.host_ready_at(HostSlot{0}), end + 20s);
  }
  EXPECT_FALSE(w.scheduler.next(end + 19s));
  EXPECT_TRUE(w.scheduler.next(end + 20s));
}

TEST(Scheduler, the_delay_counts_from_when_a_request_is_sent_however_long_its_name_takes) {
  World w({1, 1, 1}, options(10));
  w.host(0, {10s, 4});
  for (std::uint32_t p = 0; p < 3; ++p) w.page(p, 0);
  ASSERT_TRUE(w.scheduler.next(w.now));
  EXPECT_FALSE(w.scheduler.next(w.now + 1min)) << "they would be sent together";
  EXPECT_EQ(w.scheduler.host_ready_at(HostSlot{0}), Instant::max());
  w.now += 1min;
  EXPECT_TRUE(w.scheduler.note_sent(HostSlot{0}, w.now)) << "connections are left";
  EXPECT_FALSE(w.scheduler.next(w.now + 9s));
  const auto second = w.scheduler.next(w.now + 10s);
  ASSERT_TRUE(second) << "while the first is under way";
  // It never gets ready: that is no request, but it does not hold up the others.
  w.scheduler.release_host(HostSlot{0}, w.now + 11s, Sent::no);
  w.scheduler.finish(second->page, w.now + 11s);
  EXPECT_TRUE(w.scheduler.next(w.now + 21s));
}

TEST(Scheduler, a_poll_that_causes_many_requests_counts_for_as_many) {
  World w(std::vector<double>(50, 1), options(10));
  w.host(0, no_politeness);
  for (std::uint32_t p = 0; p < 50; ++p) w.page(p, 0);
  w.cost[0] = 12;
  w.run(3000s, 100ms);  // 600 for each
  EXPECT_NEAR(w.polls(0) * 12, w.polls(1), 12 + 6);
}

TEST(Scheduler, max_interval_and_exploring_do_not_pay_for_redirects) {
  std::vector<double> weights(200, 1);
  weights[0] = 0.01;
  World w(weights, options(10, 0.2));
  w.host(0, no_politeness);
  for (std::uint32_t p = 0; p < 200; ++p)
    w.page(p, 0, {Duration::zero(), p == 0 ? Duration(10s) : Duration(24h)});
  w.cost[0] = 6;
  w.run(1800s, 100ms);
  for (const Instant from : w.starts[0]) {
    const auto requests = 6 * std::ranges::count_if(w.starts[0], [&](Instant at) {
                            return at >= from && at < from + 10min;
                          });
    EXPECT_LE(requests, 12) << "in ten minutes; its share is less than one";
  }
  EXPECT_GE(w.polls(0), 4) << "but it is polled";
}

}  // namespace
}  // namespace pollux::schedule

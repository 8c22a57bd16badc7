#include "pollux/base/clock.hpp"

#include <gtest/gtest.h>

namespace pollux {
namespace {

using namespace std::chrono_literals;

TEST(Clock, the_system_clock_never_goes_back) {
  const SystemClock clock;
  Instant last = clock.now();
  for (int i = 0; i < 1000; ++i) {
    const Instant now = clock.now();
    ASSERT_GE(now, last);
    last = now;
  }
  EXPECT_GT(clock.wall(), WallTime(1700000000s));
}

TEST(Clock, a_manual_clock_moves_only_when_told) {
  ManualClock clock(WallTime(1000ms));
  EXPECT_EQ(clock.now(), Instant{});
  clock.advance(1500us);
  EXPECT_EQ(clock.now(), Instant(1500us));
  EXPECT_EQ(clock.wall(), WallTime(1001ms));
  clock.set(Instant(5s));
  EXPECT_EQ(clock.wall(), WallTime(6000ms));
}

TEST(Clock, endless_seconds_saturate) {
  EXPECT_EQ(from_seconds(1e300), Duration::max());
  EXPECT_EQ(from_seconds(-1e300), Duration::min());
  EXPECT_EQ(from_seconds(std::numeric_limits<double>::quiet_NaN()), Duration::max());
  EXPECT_EQ(from_seconds(1.5), 1500ms);
  EXPECT_DOUBLE_EQ(to_seconds(1500ms), 1.5);
}

}  // namespace
}  // namespace pollux

#include "engine/saved_clocks.hpp"

#include "unit/engine/noon.hpp"

#include <gtest/gtest.h>

namespace pollux::engine {
namespace {

using namespace std::chrono_literals;

const Moment then{Instant(100h), noon};

TEST(SavedClocks, that_went_on_together_tell_nothing) {
  const Moment now{then.now + 5min, noon + 5min};
  EXPECT_FALSE(by_saved_clocks(saved_clocks(then, "run"), now, "run"));
}

TEST(SavedClocks, tell_what_time_it_were_had_nobody_set_the_clock) {
  for (const std::chrono::hours set : {12h, -12h}) {
    const Moment now{then.now + 5min, noon + 5min + set};
    const auto before = by_saved_clocks(saved_clocks(then, "run"), now, "run");
    ASSERT_TRUE(before);
    EXPECT_EQ(before->now, now.now);
    EXPECT_EQ(before->wall, noon + 5min);
  }
}

TEST(SavedClocks, of_another_run_of_the_machine_or_of_none_tell_nothing) {
  const Moment now{then.now + 5min, noon + 12h};
  EXPECT_FALSE(by_saved_clocks(saved_clocks(then, "run"), now, "another"));
  EXPECT_FALSE(by_saved_clocks("", now, ""));
  EXPECT_FALSE(by_saved_clocks("garbage", now, "garbage"));
  EXPECT_FALSE(by_saved_clocks(saved_clocks({now.now + 1h, noon}, "run"), now, "run"));
}

// Rows may have been stored before the clock was set, or after it.
TEST(SavedClocks, a_row_goes_by_the_clock_by_which_its_last_request_was_lately) {
  for (const std::chrono::hours set : {12h, -12h}) {
    const Moment now{then.now + 1min, noon + 1min + set};
    const auto before = by_saved_clocks(saved_clocks(then, "run"), now, "run");
    store::HostRow row;
    EXPECT_EQ(clock_of(row, now, before).wall, now.wall) << "nothing is known of it";
    row.last_request_at = noon + 30s;
    EXPECT_EQ(clock_of(row, now, before).wall, noon + 1min);
    row.last_request_at = noon + 50s + set;
    EXPECT_EQ(clock_of(row, now, before).wall, now.wall);
  }
}

}  // namespace
}  // namespace pollux::engine

#include "engine/page_table.hpp"

#include "unit/engine/noon.hpp"

#include <gtest/gtest.h>

namespace pollux::engine {
namespace {

using namespace std::chrono_literals;

const Moment moment{Instant(1h), noon};

TEST(Moment, a_wait_goes_on_over_a_restart) {
  EXPECT_EQ(moment.to_instant_future(noon + 10s, noon - 50s), moment.now + 10s);
  EXPECT_EQ(moment.to_instant_future(noon - 1s, noon - 50s), moment.now);
}

TEST(Moment, a_clock_set_back_a_day_does_not_make_a_wait_longer_than_it_was) {
  EXPECT_EQ(moment.to_instant_future(noon + 24h + 60s, noon + 24h), moment.now + 60s);
  EXPECT_EQ(moment.to_instant_past(noon + 24h), moment.now);
}

TEST(Moment, a_clock_set_ahead_a_day_ends_waits) {
  EXPECT_EQ(moment.to_instant_future(noon - 24h + 60s, noon - 24h), moment.now);
  EXPECT_EQ(moment.to_instant_past(noon - 24h), moment.now - 24h);
}

TEST(Moment, times_that_make_no_sense_stall_nothing_for_more_than_a_day) {
  EXPECT_EQ(moment.to_instant_future(noon + 24h * 3650, WallTime{}), moment.now + 24h);
  EXPECT_EQ(moment.to_instant_future(noon + 1h, noon + 2h), moment.now);
}

}  // namespace
}  // namespace pollux::engine

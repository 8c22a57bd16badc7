#include "pollux/report/text.hpp"

#include <gtest/gtest.h>

namespace pollux::report {
namespace {

constexpr WallTime now{std::chrono::hours(1'000)};

TEST(Text, the_past_is_told_in_whole_seconds) {
  EXPECT_EQ(ago(std::nullopt, now), "never");
  EXPECT_EQ(ago(now - std::chrono::milliseconds(999), now), "just now");
  EXPECT_EQ(ago(now - std::chrono::milliseconds(3'900), now), "3 s ago");
}

TEST(Text, the_future_may_be_now_or_unknown) {
  EXPECT_EQ(until(std::nullopt, now), "unknown");
  EXPECT_EQ(until(now - std::chrono::hours(1), now), "now");
  EXPECT_EQ(until(now + std::chrono::minutes(5), now), "in 5 min");
}

TEST(Text, seconds_and_parts_of_a_whole) {
  EXPECT_EQ(seconds_text(std::nullopt), "—");
  EXPECT_EQ(seconds_text(6.7), "6.7 s");
  EXPECT_EQ(percent_text(0.0075), "0.75 %");
}

}  // namespace
}  // namespace pollux::report

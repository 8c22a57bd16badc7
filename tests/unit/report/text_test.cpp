#include "pollux/report/text.hpp"

#include <gtest/gtest.h>

namespace pollux::report {
namespace {

constexpr WallTime present{std::chrono::hours(1'000)};

TEST(Text, the_past_is_told_in_whole_seconds) {
  EXPECT_EQ(ago(std::nullopt, present), "never");
  EXPECT_EQ(ago(present - std::chrono::milliseconds(999), present), "just now");
  EXPECT_EQ(ago(present - std::chrono::milliseconds(3'900), present), "3 s ago");
}

TEST(Text, the_future_may_be_now_or_unknown) {
  EXPECT_EQ(until(std::nullopt, present), "unknown");
  EXPECT_EQ(until(present - std::chrono::hours(1), present), "now");
  EXPECT_EQ(until(present + std::chrono::minutes(5), present), "in 5 min");
}

TEST(Text, seconds_and_parts_of_a_whole) {
  EXPECT_EQ(seconds_text(std::nullopt), "—");
  EXPECT_EQ(seconds_text(6.7), "6.7 s");
  EXPECT_EQ(percent_text(0.0075), "0.75 %");
}

TEST(Text, numbers_are_written_in_digits_however_large_or_small) {
  EXPECT_EQ(percent_text(73), "7300 %");
  EXPECT_EQ(percent_text(123456.7), "12345670 %");
  EXPECT_EQ(percent_text(9.996), "1000 %");
  EXPECT_EQ(percent_text(1), "100 %");
  EXPECT_EQ(percent_text(1e-6), "0.0001 %");
  EXPECT_EQ(percent_text(1e-9), "< 0.0001 %");
  EXPECT_EQ(percent_text(0), "0 %");
  EXPECT_EQ(number_text(1234.5), "1234");
  EXPECT_EQ(number_text(0.01234), "0.0123");
}

TEST(Text, yaml_is_quoted_so_that_it_can_be_pasted) {
  EXPECT_EQ(yaml_text("updated \\d+ ago"), "'updated \\d+ ago'");
  EXPECT_EQ(yaml_text("it's"), "'it''s'");
  EXPECT_EQ(yaml_text("a\n\"b\\"), "\"a\\x0a\\\"b\\\\\"");
}

}  // namespace
}  // namespace pollux::report

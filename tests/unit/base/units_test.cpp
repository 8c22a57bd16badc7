#include "pollux/base/units.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace pollux {
namespace {

using namespace std::chrono_literals;

TEST(Units, durations_are_read_with_their_units) {
  const std::pair<std::string_view, Duration> cases[] = {
      {"250ms", 250ms},        {"30s", 30s},     {"5m", 5min},
      {"5min", 5min},          {"6h", 6h},       {"1d", 24h},
      {"2w", 14 * 24h},        {"1h30m", 90min}, {"1.5h", 90min},
      {"1d 2h 3m 4s", 93784s}, {" 10 s ", 10s},  {"0s", 0s},
      {"0.5ms", 500us}};
  for (const auto& [text, expected] : cases) {
    const auto got = parse_duration(text);
    ASSERT_TRUE(got.ok()) << text << ": " << got.error().message;
    EXPECT_EQ(*got, expected) << text;
  }
}

TEST(Units, odd_durations_are_refused_with_a_cure) {
  for (const std::string_view text :
       {"",       " ",    "5",     "0",   "s",    "-5s",    "5x",  "5s5s",
        "5m1h",   "1h30", "1..5s", ".5s", "1e5s", "nan",    "inf", "99999999999999999999d",
        "1e308s", "5S",   "5 s x", "%s",  "{}",   "36526d", "+5s"}) {
    const auto got = parse_duration(text);
    ASSERT_FALSE(got.ok()) << text;
    EXPECT_NE(got.error().message.find("write for example"), std::string::npos);
  }
}

TEST(Units, a_duration_without_unit_says_so) {
  EXPECT_NE(parse_duration("30").error().message.find("'30' has no unit"), std::string::npos);
}

TEST(Units, bytes_know_binary_and_decimal_units) {
  const std::pair<std::string_view, std::uint64_t> cases[] = {
      {"512", 512},         {"0", 0},
      {"512B", 512},        {"64KiB", 65536},
      {"10MiB", 10u << 20}, {"1GiB", 1u << 30},
      {"10MB", 10000000},   {"2kB", 2000},
      {"1.5KiB", 1536},     {"10 MiB", 10u << 20}};
  for (const auto& [text, expected] : cases) {
    const auto got = parse_bytes(text);
    ASSERT_TRUE(got.ok()) << text;
    EXPECT_EQ(*got, expected) << text;
  }
  for (const std::string_view text : {"", "-1", "10M", "10mib", "1.5", "0.3KiB", "nan",
                                      "99999999999999999999TiB", "1e9", "MiB", "10MiB5"}) {
    EXPECT_FALSE(parse_bytes(text).ok()) << text;
  }
}

TEST(Units, rates_are_polls_per_second) {
  const std::pair<std::string_view, double> cases[] = {{"20", 20},
                                                       {"0.5", 0.5},
                                                       {"20/s", 20},
                                                       {"300/min", 5},
                                                       {"5000/h", 5000.0 / 3600},
                                                       {"100/d", 100.0 / 86400},
                                                       {"20 /s", 20}};
  for (const auto& [text, expected] : cases) {
    const auto got = parse_rate(text);
    ASSERT_TRUE(got.ok()) << text;
    EXPECT_DOUBLE_EQ(*got, expected) << text;
  }
  EXPECT_TRUE(std::isinf(*parse_rate("unlimited")));
}

TEST(Units, budgets_that_mean_nothing_are_refused) {
  for (const std::string_view text :
       {"0", "0.0", "-1", "nan", "NaN", ".nan", "inf", ".inf", "1e308", "1e5", "99999999999", "20/",
        "20/m", "20/fortnight", "0.000000001", "unlimited/s", "Unlimited", "20,5", "0x20"}) {
    EXPECT_FALSE(parse_rate(text).ok()) << text;
  }
}

TEST(Units, durations_are_shown_in_at_most_two_units) {
  const std::pair<Duration, std::string_view> cases[] = {
      {0us, "0 s"},        {250us, "0.25 ms"},
      {250ms, "250 ms"},   {999600us, "1 s"},
      {1500ms, "1.5 s"},   {59940ms, "59.9 s"},
      {59970ms, "1 min"},  {60s, "1 min"},
      {90s, "1 min 30 s"}, {3599600ms, "1 h"},
      {6h, "6 h"},         {90min, "1 h 30 min"},
      {76h, "3 d 4 h"},    {24h, "1 d"},
      {24h - 1s, "1 d"},   {Duration::max(), "never"},
      {-1500ms, "-1.5 s"}, {Duration::min(), "-never"}};
  for (const auto& [duration, expected] : cases) EXPECT_EQ(format_duration(duration), expected);
}

TEST(Units, bytes_and_rates_are_shown_in_a_readable_unit) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1536), "1.5 KiB");
  EXPECT_EQ(format_bytes(10u << 20), "10 MiB");
  EXPECT_EQ(format_bytes((1u << 20) - 1), "1 MiB");
  EXPECT_EQ(format_bytes(std::numeric_limits<std::uint64_t>::max()), "16 EiB");
  EXPECT_EQ(format_rate(20), "20/s");
  EXPECT_EQ(format_rate(12345), "12345/s");
  EXPECT_EQ(format_rate(5.0 / 60), "5/min");
  EXPECT_EQ(format_rate(1.0 / 60), "1/min");
  EXPECT_EQ(format_rate(1.2 / 3600), "1.2/h");
  EXPECT_EQ(format_rate(3.0 / 86400), "3/d");
  EXPECT_EQ(format_rate(0), "0/s");
  EXPECT_EQ(format_rate(std::numeric_limits<double>::infinity()), "unlimited");
}

TEST(Units, what_is_shown_can_be_read_again) {
  for (const Duration d : {Duration(250ms), Duration(90s), Duration(6h), Duration(76h)}) {
    EXPECT_EQ(*parse_duration(format_duration(d)), d);
  }
  for (const double rate : {20.0, 0.5, 5.0 / 60}) {
    EXPECT_DOUBLE_EQ(*parse_rate(format_rate(rate)), rate);
  }
  EXPECT_EQ(*parse_bytes(format_bytes(1536)), 1536u);
}

TEST(Units, time_is_iso_8601_in_utc) {
  EXPECT_EQ(format_time(WallTime{}), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(format_time(WallTime(1794873520123ms)), "2026-11-16T23:58:40.123Z");
  EXPECT_EQ(format_time(WallTime(-1ms)), "1969-12-31T23:59:59.999Z");
}

}  // namespace
}  // namespace pollux

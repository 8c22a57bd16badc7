#include "cli/when.hpp"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

namespace pollux::cli {
namespace {

using namespace std::chrono_literals;

// 2026-11-16, 08:30 in UTC.
constexpr WallTime day = std::chrono::sys_days(std::chrono::year(2026) / 11 / 16);
constexpr WallTime now = day + 8h + 30min;

WallTime when(const std::string& text) {
  const Result<WallTime> moment = parse_when(text, now, "--since");
  EXPECT_TRUE(moment.ok()) << text;
  return moment ? *moment : WallTime{};
}

TEST(When, is_a_while_ago_a_day_or_a_moment) {
  EXPECT_EQ(when("3h"), now - 3h);
  EXPECT_EQ(when("2d"), now - 48h);
  EXPECT_EQ(when("now"), now);
  EXPECT_EQ(when("today"), day);
  EXPECT_EQ(when("yesterday"), day - 24h);
  EXPECT_EQ(when("2026-11-15"), day - 24h);
  EXPECT_EQ(when("2026-11-15T08:30"), now - 24h);
  EXPECT_EQ(when("2026-11-15 08:30:01"), now - 24h + 1s);
  EXPECT_EQ(when("2026-11-15T08:30:00.5Z"), now - 24h + 500ms);
}

TEST(When, refuses_what_it_does_not_understand_and_names_the_option) {
  for (const char* text :
       {"", "tomorrow", "3", "-1", "2026-13-01", "15.11.2026", "2026-09-21T14:13:20+02:00"}) {
    const Result<WallTime> moment = parse_when(text, now, "--until");
    ASSERT_FALSE(moment.ok()) << text;
    EXPECT_EQ(moment.error().exit_code, ExitCode::usage);
    EXPECT_TRUE(moment.error().message.starts_with("--until ")) << moment.error().message;
    EXPECT_NE(moment.error().message.find("2026-11-15"), std::string::npos) << "what to write";
  }
}

TEST(When, a_version_is_a_whole_number) {
  EXPECT_EQ(parse_version_number("3"), 3);
  EXPECT_EQ(parse_version_number("-2"), -2);
  for (const char* text : {"", "3h", "2026-11-15", "yesterday", "-", "99999999999999999999"}) {
    EXPECT_FALSE(parse_version_number(text)) << text;
  }
}

}  // namespace
}  // namespace pollux::cli

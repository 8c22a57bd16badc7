#include "cli/output.hpp"

#include "cli/since.hpp"

#include <gtest/gtest.h>

namespace pollux::cli {
namespace {

TEST(Output, widths_are_those_of_a_terminal) {
  EXPECT_EQ(display_width("plain"), 5U);
  EXPECT_EQ(display_width("übung"), 5U);
  EXPECT_EQ(display_width("日本"), 4U);
  EXPECT_EQ(display_width("e\u0301"), 1U);  // a combining accent takes no room
  EXPECT_EQ(display_width(""), 0U);
}

TEST(Output, text_is_shortened_between_characters) {
  EXPECT_EQ(shortened("https://example.org", 19), "https://example.org");
  EXPECT_EQ(shortened("https://example.org", 9), "https://…");
  EXPECT_EQ(shortened("日本日本", 5), "日本…");
  EXPECT_EQ(shortened("日本日本", 4), "日…");
  EXPECT_EQ(shortened("abc", 0), "");
}

TEST(Output, tables_are_aligned) {
  Table table({{"N", Align::right}, {"NAME"}});
  table.add({"1", "日本"});
  table.add({"100", "b"});
  EXPECT_EQ(table.text(std::nullopt), "  N  NAME\n  1  日本\n100  b\n");
}

TEST(Output, the_last_column_gives_way_to_the_terminal) {
  Table table({{"N"}, {"URL"}});
  table.add({"1", "https://example.org/a/very/long/path"});
  EXPECT_EQ(table.text(20), "N  URL\n1  https://example.…\n");
  EXPECT_EQ(table.text(1), "N  URL\n1  https://e…\n");
}

TEST(Output, cells_cannot_forge_lines) {
  Table table({{"URL"}});
  table.add({"a\nb\x1b[31m"});
  EXPECT_EQ(table.text(std::nullopt), "URL\na\\x0ab\\x1b[31m\n");
}

TEST(Output, the_column_that_may_be_shortened_gives_way) {
  Table table(
      report::Table{{{"URL", Align::left, report::Fit::shortened}, {"N", Align::right}},
                    {{std::string("https://example.org/a/very/long/path"), report::Cell("7", 7)}}});
  EXPECT_EQ(table.text(20), "URL                N\nhttps://example.…  7\n");
}

TEST(Since, durations_count_back_from_now) {
  const WallTime now(std::chrono::hours(1000));
  EXPECT_EQ(*parse_since("2d", now), now - std::chrono::hours(48));
}

TEST(Since, moments_are_utc) {
  const auto ms = [](const char* text) {
    const Result<WallTime> time = parse_since(text, WallTime{});
    return time.ok() ? time->time_since_epoch().count() : -1;
  };
  EXPECT_EQ(ms("2026-09-21"), 1'789'948'800'000);
  EXPECT_EQ(ms("2026-09-21T14:13:20Z"), 1'790'000'000'000);
  EXPECT_EQ(ms("2026-09-21 14:13:20"), 1'790'000'000'000);
  EXPECT_EQ(ms("2026-09-21T14:13:20.040Z"), 1'790'000'000'040);
  EXPECT_EQ(ms("2026-09-21T14:13"), 1'789'999'980'000);
}

TEST(Since, anything_else_is_a_usage_error_that_says_what_to_write) {
  for (const char* text : {"", "yesterday", "5", "2026-13-45", "2026-09-21T14:13:20+02:00"}) {
    const Result<WallTime> time = parse_since(text, WallTime{});
    ASSERT_FALSE(time.ok()) << text;
    EXPECT_EQ(time.error().exit_code, ExitCode::usage);
    EXPECT_NE(time.error().message.find("2026-11-15"), std::string::npos);
  }
}

}  // namespace
}  // namespace pollux::cli

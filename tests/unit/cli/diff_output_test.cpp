#include "cli/diff_output.hpp"

#include "cli/output.hpp"

#include <chrono>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace pollux::cli {
namespace {

report::DiffFacts facts(std::string_view old_text, std::string_view new_text) {
  return {.url = "https://example.org/",
          .from = {1, WallTime(std::chrono::hours(500'000)), "aa"},
          .to = {2, WallTime(std::chrono::hours(500'001)), "bb"},
          .old_text = old_text,
          .new_text = new_text};
}

const report::DiffFacts prices = facts("price 99.90 EUR\n", "price 94.90 EUR\n");
constexpr Screen pipe{};

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(DiffOutput, goes_by_what_it_is_shown_on) {
  EXPECT_TRUE(diff_text(prices, DiffStyle::automatic, pipe).starts_with("--- https://"));
  const std::string narrow = diff_text(prices, DiffStyle::automatic, {.width = 80, .colour = true});
  EXPECT_TRUE(has(narrow, "price \x1b[31m99.90\x1b[0m\x1b[32m94.90\x1b[0m EUR\n")) << narrow;
  const std::string wide = diff_text(prices, DiffStyle::automatic, {.width = 160, .colour = true});
  EXPECT_TRUE(has(wide, " | price \x1b[32m94.90\x1b[0m EUR\n")) << wide;
}

TEST(DiffOutput, the_style_can_be_chosen) {
  const Screen screen{.width = 200, .colour = true};
  EXPECT_TRUE(has(diff_text(prices, DiffStyle::unified, screen), "\x1b[31m-price 99.90 EUR"));
  EXPECT_TRUE(has(diff_text(prices, DiffStyle::word, pipe), "price [-99.90-]{+94.90+} EUR\n"));
  EXPECT_TRUE(has(diff_text(prices, DiffStyle::side, pipe), "price 99.90 EUR "));
}

TEST(DiffOutput, two_columns_fit_and_long_lines_go_on_below) {
  std::string before = "start ", after = "begin ";
  for (int i = 0; i < 15; ++i) {
    before += "漢字 word ";
    after += "漢字 word ";
  }
  const std::string text =
      diff_text(facts(before, after), DiffStyle::side, {.width = 60, .colour = false});
  std::istringstream lines(text.substr(text.find("\n\n") + 2));
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    EXPECT_LE(display_width(line), 60u) << line;
    EXPECT_TRUE(has(line, " | ")) << line;
  }
  EXPECT_GT(count, 1) << text;
}

TEST(DiffOutput, terminals_get_no_control_characters_and_pipes_all_bytes) {
  const report::DiffFacts odd = facts("a\x1b[2J\n", "b\x1b[2J\n");
  for (const DiffStyle style : {DiffStyle::word, DiffStyle::unified, DiffStyle::side}) {
    EXPECT_FALSE(has(diff_text(odd, style, {.width = 80, .colour = false}), "\x1b"));
  }
  EXPECT_TRUE(has(diff_text(odd, DiffStyle::automatic, pipe), "+b\x1b[2J\n"));
}

TEST(DiffOutput, what_is_no_text_is_told_by_its_size) {
  using namespace std::string_view_literals;
  EXPECT_TRUE(
      has(diff_text(facts("a\0b"sv, "cc"), DiffStyle::automatic, pipe), "No text: 3 B → 2 B\n"));
}

}  // namespace
}  // namespace pollux::cli

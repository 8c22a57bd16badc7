// Whether masks of times are worth looking for, told from where two texts differ first and last.
#include "extract/mask_tokens.hpp"
#include "pollux/extract/masks.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace pollux::extract {
namespace {

std::string around(const std::string& place) {
  return "News of the day, last seen " + place + " by somebody\nand a line behind it";
}

TEST(MaskGuess, times_that_differ_may_be_all_that_differs) {
  const std::vector<std::pair<std::string, std::string>> pairs = {
      {"3 minutes ago", "5 minutes ago"},
      {"3 minutes ago", "an hour ago"},
      {"just now", "3 minutes ago"},
      {"9:05", "10:05"},
      {"12:30:05 UTC", "12:30:06 UTC"},
      {"2025-05-12", "2025-05-13"},
      {"Mon, 12 May 2025 10:00", "Tue, 13 May 2025 09:59"},
      {"2025-05-12T10:00:00Z", "2025-05-12T10:00:01Z"}};
  for (const auto& [before, now] : pairs) {
    EXPECT_TRUE(may_differ_in_times_only(around(before), around(now))) << before << ", " << now;
    EXPECT_TRUE(may_differ_in_times_only(before, now)) << before << ", " << now;
  }
}

TEST(MaskGuess, news_is_more_than_times_wherever_the_times_are) {
  EXPECT_FALSE(may_differ_in_times_only(around("an old word"), around("a new word")));
  EXPECT_FALSE(may_differ_in_times_only("price 99.90", "price 94.90"));
  const std::string clock = around("10:05"), later = around("10:06");
  const std::string far(200, '-');
  EXPECT_FALSE(may_differ_in_times_only(clock + far + "old", later + far + "new"));
  EXPECT_FALSE(may_differ_in_times_only("old" + far + clock, "new" + far + later));
  EXPECT_FALSE(may_differ_in_times_only(far, far + far));
}

TEST(MaskGuess, what_is_masked_already_may_hide_a_time) {
  EXPECT_TRUE(may_differ_in_times_only(around("7"), around("‹number›")));
  EXPECT_TRUE(may_differ_in_times_only(around("same"), around("same")));
}

// Whatever find_masks() can explain has been guessed.
TEST(MaskGuess, what_masks_explain_was_worth_the_while) {
  const auto at = [](int minutes) { return WallTime(std::chrono::minutes(29'000'000 + minutes)); };
  const std::vector<WallTime> seen = {at(0), at(5), at(65)};
  const std::vector<std::vector<std::string>> places = {
      {"3 minutes ago", "8 minutes ago", "an hour ago"},
      {"3 minutes ago", "8 minutes ago", "68 minutes ago"},
      {"08:20", "08:25", "09:25"},
      {"08:20:00", "08:25:00", "09:25:00"}};
  std::size_t explained = 0;
  for (const auto& values : places) {
    std::vector<std::string> texts;
    for (const std::string& value : values) texts.push_back(around(value));
    const std::vector<std::string_view> looks(texts.begin(), texts.end());
    if (!find_masks(looks, Looks::versions, true, seen).explained) continue;
    ++explained;
    for (std::size_t i = 1; i < looks.size(); ++i)
      EXPECT_TRUE(may_differ_in_times_only(looks[i - 1], looks[i])) << looks[i];
  }
  EXPECT_GE(explained, 2u);
}

// Of the first that finds something, in this order.
std::size_t length_by_readers(const std::string& text) {
  for (const auto& read : {datetime_length, date_length, time_length, age_length}) {
    if (const std::size_t length = read(text); length > 0) return length;
  }
  return 0;
}
std::size_t length_ahead(const std::string& text) {
  const std::optional<TimeAhead> found = time_ahead(text);
  return found ? found->length : 0;
}

// The quick look at the first words may be wrong in one way only.
TEST(MaskGuess, a_time_is_never_passed_over) {
  const std::vector<std::string> parts = {
      "12",     "2025",   "05",  "1",  "20250512", "may",       "Mai",  "März",    "sept", "Mon",
      "Montag", "th",     "of",  "de", "just",     "yesterday", "a",    "an",      "few",  "einem",
      "une",    "vor",    "il",  "y",  "hace",     "minute",    "h",    "hours",   "días", "ago",
      "now",    "moment", "UTC", "pm", "at",       "basket",    "Ends", "oneself", "5Tag", "Th"};
  const std::vector<std::string> joints = {" ", "", "-", "/", ".", ":", ", ", "T", "  "};
  std::uint32_t state = 1;
  const auto next = [&](std::size_t below) {
    state = state * 1664525 + 1013904223;
    return (state >> 8) % below;
  };
  int times = 0, passed_over = 0;
  for (int i = 0; i < 200'000; ++i) {
    std::string text = parts[next(parts.size())];
    for (int j = 0; j < 4; ++j) text += joints[next(joints.size())] + parts[next(parts.size())];
    const bool is_time =
        datetime_length(text) + date_length(text) + time_length(text) + age_length(text) > 0;
    ASSERT_TRUE(!is_time || may_begin_a_time(text)) << text;
    ASSERT_EQ(length_ahead(text), length_by_readers(text)) << text;
    times += is_time ? 1 : 0;
    passed_over += may_begin_a_time(text) ? 0 : 1;
  }
  EXPECT_GT(times, 1000);
  EXPECT_GT(passed_over, 20'000);
}

}  // namespace
}  // namespace pollux::extract

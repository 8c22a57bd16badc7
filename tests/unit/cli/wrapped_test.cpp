#include "cli/wrapped.hpp"

#include <gtest/gtest.h>

namespace pollux::cli {
namespace {

TEST(Wrapped, lines_end_between_words) {
  EXPECT_EQ(word_wrapped("one two three four five six", 20), "one two three four\nfive six");
  EXPECT_EQ(word_wrapped("topic     one two three four five", 30, 10),
            "topic     one two three four\n          five");
  EXPECT_EQ(word_wrapped("what fits stays", 20), "what fits stays");
  EXPECT_EQ(word_wrapped("", 20), "");
}

TEST(Wrapped, a_word_that_is_too_wide_stays_whole) {
  EXPECT_EQ(word_wrapped("see https://example.org/a/very/long/path now", 22, 2),
            "see\n  https://example.org/a/very/long/path\n  now");
}

TEST(Wrapped, line_feeds_and_what_a_line_begins_with_stay) {
  EXPECT_EQ(word_wrapped("a:\n  pollux demo   watch it\n\nb", 40),
            "a:\n  pollux demo   watch it\n\nb");
}

TEST(Wrapped, without_a_width_or_without_room_nothing_is_wrapped) {
  const std::string text = "one two three four five six seven eight";
  EXPECT_EQ(word_wrapped(text, std::nullopt), text);
  EXPECT_EQ(word_wrapped(text, 10), text);
  EXPECT_EQ(word_wrapped(text, 30, 20), text);
}

TEST(Wrapped, columns_count_and_not_bytes) {
  EXPECT_EQ(word_wrapped("ääää öööö üüüü ßßßß ñ", 20), "ääää öööö üüüü ßßßß\nñ");
}

}  // namespace
}  // namespace pollux::cli

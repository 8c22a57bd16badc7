#include "pollux/diff/diff.hpp"
#include "random_text.hpp"

#include <string>

#include <gtest/gtest.h>

namespace pollux::diff {
namespace {

std::size_t characters(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0U) != 0x80 ? 1 : 0;
  return count;
}

TEST(Summary, one_place_is_told_with_what_stands_before_it) {
  EXPECT_EQ(summary("Blue shirt\nprice 99.90\nin stock", "Blue shirt\nprice 94.90\nin stock"),
            "price 99.90 → 94.90");
  EXPECT_EQ(summary("the best price: 99.90 € today", "the best price: 94.90 € today"),
            "best price: 99.90 → 94.90");
}

TEST(Summary, a_few_places_are_told_one_after_the_other) {
  EXPECT_EQ(
      summary("price 99.90\nmany other words\nstock 3", "price 94.90\nmany other words\nstock 2"),
      "price 99.90 → 94.90; stock 3 → 2");
}

TEST(Summary, what_is_only_added_or_removed_has_a_sign) {
  EXPECT_EQ(summary("in stock", "in stock only 3 left"), "in stock +only 3 left");
  EXPECT_EQ(summary("one\ntwo three\nfour", "one\nfour"), "−two three");
  EXPECT_EQ(summary("", "hello"), "+hello");
}

TEST(Summary, more_than_that_is_counted_in_lines_and_the_first_words_are_shown) {
  const std::string before = "News\nan old story that has gone from the page now\nImprint";
  const std::string after =
      "News\nfirst new story with all of its many words here\nsecond new story\nImprint";
  EXPECT_EQ(summary(before, after),
            "+2 −1 lines: first new story with all of its many words here / second new story");
}

TEST(Summary, white_space_is_said_to_be_that) {
  EXPECT_EQ(summary("a b", "a  b"), "white space");
  EXPECT_EQ(summary("a", "a"), "");
}

TEST(Summary, it_is_cut_between_characters) {
  std::string euros = "+";
  for (int i = 0; i < 300; ++i) euros += "€";
  const std::string text = summary("", euros);
  EXPECT_EQ(characters(text), 200u);
  EXPECT_TRUE(text.ends_with("€…")) << text;
}

TEST(Summary, exactly_200_characters_are_not_cut) {
  EXPECT_EQ(summary("", std::string(199, 'x')), "+" + std::string(199, 'x'));
  EXPECT_EQ(characters(summary("", std::string(200, 'x'))), 200u);
}

TEST(Summary, control_characters_are_made_visible) {
  EXPECT_EQ(summary("a", std::string("a \x1b[31mred\x07")), "a +\\x1b[31mred\\x07");
}

TEST(Summary, any_texts_give_one_short_line) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    std::string a = random_text(rng, rng.below(100), 40);
    std::string b = edited(rng, a, static_cast<int>(rng.below(8)));
    for (int i = 0; i < 5; ++i)
      b.insert(rng.below(b.size() + 1), 1, static_cast<char>(rng.below(256)));
    const std::string text = summary(a, b);
    EXPECT_FALSE(text.empty());
    EXPECT_LE(characters(text), 200u);
    EXPECT_EQ(text.find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace pollux::diff

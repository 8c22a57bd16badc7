#include "pollux/diff/diff.hpp"

#include <string>

#include <gtest/gtest.h>

namespace pollux::diff {
namespace {

TEST(Growth, is_a_line_of_words_more) {
  EXPECT_TRUE(
      is_growth("Title\nold news\nfoot", "Title\nnew things have happened\nold news\nfoot"));
  EXPECT_TRUE(is_growth("a line\nb line", "a line\nwords in between here\nb line\nand more words"));
}

TEST(Growth, is_a_list_that_moves_on) {
  const std::string before = "Title\nthird item here\nsecond item here\nfirst item here\nfoot";
  EXPECT_TRUE(
      is_growth(before, "Title\nfourth entry of all\nthird item here\nsecond item here\nfoot"));
  EXPECT_TRUE(
      is_growth(before, "Title\nsecond item here\nfirst item here\nanother entry comes\nfoot"));
}

TEST(Growth, may_come_with_a_number_that_went_on) {
  EXPECT_TRUE(is_growth("Version 9, 12:30\nold news\nfoot",
                        "Version 10, 12:31\nnew things have happened\nold news\nfoot"));
  EXPECT_FALSE(is_growth("Version 9, 12:30\nold news", "Version 10, 12:31\nold news"));
}

TEST(Growth, is_not_what_is_replaced_where_it_stands) {
  EXPECT_FALSE(is_growth("Title\nbuy our red shoes\nfoot", "Title\ntry the best coffee\nfoot"));
  EXPECT_FALSE(is_growth("a b c\nviews: 12", "a b c\nviews: 13"));
}

TEST(Growth, is_not_a_list_in_another_order) {
  EXPECT_FALSE(is_growth("one is here\ntwo is here\nthree is here",
                         "three is here\none is here\ntwo is here"));
  EXPECT_FALSE(is_growth("one is here\ntwo is here", "two is here\none is here\ntwo is here"));
}

TEST(Growth, may_repeat_what_every_entry_has) {
  EXPECT_TRUE(is_growth("Title\nan older story\nRead more\nfoot",
                        "Title\nsomething new has happened\nRead more\nan older story\nRead "
                        "more\nfoot"));
}

TEST(Growth, is_not_a_token_more) {
  EXPECT_FALSE(is_growth("Title\nfoot", "Title\nfade12 beef34 cafe56\nfoot"));
  EXPECT_FALSE(is_growth("Title\nfoot", "Title\n\u2014 \u2014 \u2014 \U0001F600\nfoot"));
  EXPECT_FALSE(is_growth("Title\nfoot", "Title\n8f3a9c77d1\nfoot"));
  EXPECT_FALSE(is_growth("Title\nfoot", "Title\n12:30:59 41\nfoot"));
  EXPECT_FALSE(is_growth("Title\nfoot", "Title\nfoot"));
  EXPECT_FALSE(is_growth("Title\nwords that are gone\nfoot", "Title\nfoot"));
}

// As many lines as a text of this size can have, all of them new.
TEST(Growth, of_very_many_lines_is_told_in_one_go) {
  std::string before, now;
  for (int i = 0; i < 40'000; ++i)
    before += std::string(1, static_cast<char>('a' + i % 26)) + " x\n";
  for (int i = 0; i < 100'000; ++i) now += "word\n";
  EXPECT_TRUE(is_growth(before, now + before));
  EXPECT_FALSE(is_growth(now, now + now));
}

TEST(Growth, is_not_where_most_of_a_list_went) {
  EXPECT_FALSE(is_growth("aaa bbb ccc\nddd eee fff\nggg hhh iii\njjj kkk lll",
                         "some new words here\naaa bbb ccc"));
}

}  // namespace
}  // namespace pollux::diff

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

TEST(Growth, is_not_a_token_more) {
  EXPECT_FALSE(is_growth("Title\nfoot", "Title\n8f3a9c77d1\nfoot"));
  EXPECT_FALSE(is_growth("Title\nfoot", "Title\n12:30:59 41\nfoot"));
  EXPECT_FALSE(is_growth("Title\nfoot", "Title\nfoot"));
  EXPECT_FALSE(is_growth("Title\nwords that are gone\nfoot", "Title\nfoot"));
}

TEST(Growth, is_not_where_most_of_a_list_went) {
  EXPECT_FALSE(is_growth("aaa bbb ccc\nddd eee fff\nggg hhh iii\njjj kkk lll",
                         "some new words here\naaa bbb ccc"));
}

}  // namespace
}  // namespace pollux::diff

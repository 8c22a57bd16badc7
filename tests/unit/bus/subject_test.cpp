#include "pollux/bus/subject.hpp"

#include <string>

#include <gtest/gtest.h>

namespace pollux::bus {
namespace {

TEST(Subject, wildcards_stand_for_words) {
  EXPECT_TRUE(matches("a.b", "a.b"));
  EXPECT_TRUE(matches("a.*", "a.b"));
  EXPECT_TRUE(matches("*.b", "a.b"));
  EXPECT_TRUE(matches("a.>", "a.b"));
  EXPECT_TRUE(matches("a.>", "a.b.c"));
  EXPECT_TRUE(matches(">", "a"));
  EXPECT_FALSE(matches("a.>", "a"));
  EXPECT_FALSE(matches("a.*", "a"));
  EXPECT_FALSE(matches("a.*", "a.b.c"));
  EXPECT_FALSE(matches("a.b", "a.bb"));
  EXPECT_FALSE(matches("a.b.c", "a.b"));
  EXPECT_FALSE(matches("a", "a.b"));
}

TEST(Subject, only_whole_subjects_may_be_published_to) {
  EXPECT_TRUE(is_subject("px.up.fra-1.ask"));
  EXPECT_TRUE(is_subject("_INBOX.x"));
  for (const char* bad : {"", ".", "a.", ".a", "a..b", "a b", "a.*", "a.>", "a\nb", "a*"}) {
    EXPECT_FALSE(is_subject(bad)) << bad;
  }
  EXPECT_FALSE(is_subject(std::string(256, 'a')));
}

TEST(Subject, a_pattern_may_have_wildcards_in_their_places) {
  for (const char* good : {"a", "a.*", "*.b", "a.>", ">", "*"}) EXPECT_TRUE(is_pattern(good));
  for (const char* bad : {"", "a.>.b", ">.a", "a*", "a.", "a b"}) EXPECT_FALSE(is_pattern(bad));
}

TEST(Subject, names_are_plain_words) {
  EXPECT_TRUE(is_word("fra-1"));
  EXPECT_TRUE(is_word("a_B9"));
  for (const char* bad : {"", "a.b", "a b", "a*", "ä", ">"}) EXPECT_FALSE(is_word(bad)) << bad;
  EXPECT_TRUE(is_word(std::string(64, 'a')));
  EXPECT_FALSE(is_word(std::string(65, 'a')));
}

}  // namespace
}  // namespace pollux::bus

#include "pollux/base/glob.hpp"

#include <string>

#include <gtest/gtest.h>

namespace pollux {
namespace {

// By the definition, without any cleverness: what the quick way must agree with.
bool covers(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern.front() == '*') {
    return covers(pattern.substr(1), text) || (!text.empty() && covers(pattern, text.substr(1)));
  }
  if (text.empty() || (pattern.front() != '?' && pattern.front() != text.front())) return false;
  return covers(pattern.substr(1), text.substr(1));
}

TEST(Glob, a_pattern_covers_the_whole_text) {
  EXPECT_TRUE(glob_matches("https://a.example/x", "https://a.example/x"));
  EXPECT_FALSE(glob_matches("https://a.example/", "https://a.example/x"));
  EXPECT_FALSE(glob_matches("a.example/x", "https://a.example/x"));
  EXPECT_TRUE(glob_matches("", ""));
  EXPECT_FALSE(glob_matches("", "x"));
}

TEST(Glob, a_star_crosses_slashes_and_may_stand_for_nothing) {
  EXPECT_TRUE(glob_matches("https://shop.example/*", "https://shop.example/a/b?c=d"));
  EXPECT_TRUE(glob_matches("https://shop.example/*", "https://shop.example/"));
  EXPECT_TRUE(glob_matches("*://*.example/*.html", "http://a.b.example/x/y.html"));
  EXPECT_FALSE(glob_matches("*://*.example/*.html", "http://a.b.example/x/y.htm"));
  EXPECT_TRUE(glob_matches("**", ""));
}

TEST(Glob, a_question_mark_is_one_character) {
  EXPECT_TRUE(glob_matches("/p?", "/p1"));
  EXPECT_TRUE(glob_matches("/?q=*", "/?q=1")) << "that of a query, too";
  EXPECT_FALSE(glob_matches("/p?", "/p"));
  EXPECT_FALSE(glob_matches("/p?", "/p12"));
}

TEST(Glob, brackets_and_backslashes_stand_for_themselves) {
  EXPECT_TRUE(glob_matches("a[b]\\c", "a[b]\\c"));
  EXPECT_FALSE(glob_matches("[ab]", "a"));
}

TEST(Glob, all_short_patterns_do_what_the_definition_says) {
  constexpr std::string_view letters = "ab*?";
  for (std::size_t p = 0; p < 4096; ++p) {
    std::string pattern;
    for (std::size_t rest = p, i = 0; i < 6; ++i, rest /= 4) pattern += letters[rest % 4];
    for (std::size_t t = 0; t < 64; ++t) {
      std::string text;
      for (std::size_t rest = t, i = 0; i < 6; ++i, rest /= 2) text += letters[rest % 2];
      ASSERT_EQ(glob_matches(pattern, text), covers(pattern, text)) << pattern << " " << text;
    }
  }
}

TEST(Glob, many_stars_take_no_longer) {
  std::string pattern;
  for (int i = 0; i < 100; ++i) pattern += "a*";
  EXPECT_FALSE(glob_matches(pattern + "b", std::string(10'000, 'a')));
}

TEST(Glob, long_pieces_with_question_marks_do_what_the_definition_says) {
  for (const std::size_t length : {33, 63, 64, 65, 128, 129, 200}) {
    std::string piece(length, 'a');
    piece[length / 2] = '?';
    std::string text = std::string(500, 'b') + std::string(length, 'a') + "c";
    EXPECT_TRUE(glob_matches("*" + piece + "*", text)) << length;
    EXPECT_TRUE(glob_matches("*" + piece + "*c", text)) << length;
    EXPECT_FALSE(glob_matches("*" + piece + "a*", text.substr(0, 500 + length))) << length;
    text[500 + length / 2] = 'x';
    EXPECT_TRUE(glob_matches("*" + piece + "*", text)) << length;
    text[500] = 'x';
    EXPECT_FALSE(glob_matches("*" + piece + "*", text)) << length;
    EXPECT_FALSE(glob_matches("*" + piece + "*" + piece + "*", text)) << length;
  }
}

// Hours, if each place of each text were tried to its end.
TEST(Glob, patterns_made_to_take_long_do_not) {
  const std::string text(8000, 'a');
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(glob_matches("*" + std::string(4000, 'a') + "b*", text));
    EXPECT_FALSE(
        glob_matches("*" + std::string(2000, 'a') + "?" + std::string(2000, 'a') + "b*", text));
  }
}

}  // namespace
}  // namespace pollux

#include "pollux/base/text.hpp"

#include <gtest/gtest.h>

namespace pollux {
namespace {

TEST(Text, ordinary_text_is_untouched) {
  EXPECT_EQ(printable("Grüße, 世界 🌍 %s {}"), "Grüße, 世界 🌍 %s {}");
  EXPECT_EQ(printable(""), "");
}

TEST(Text, control_characters_and_escapes_are_shown_as_hex) {
  EXPECT_EQ(printable("a\nb\r\t\x1b[31m"), "a\\x0ab\\x0d\\x09\\x1b[31m");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(printable("\x7f"), "\\x7f");
  EXPECT_EQ(printable("\xc2\x85"), "\\xc2\\x85");  // U+0085, a C1 control: a line break to some
}

TEST(Text, invalid_utf8_is_shown_as_hex) {
  EXPECT_EQ(printable("\xff"), "\\xff");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");                    // overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond Unicode
  EXPECT_EQ(printable("\xe2\x82"), "\\xe2\\x82");                    // cut short
}

TEST(Text, line_separators_and_direction_overrides_are_shown_as_hex) {
  EXPECT_EQ(printable("\xe2\x80\xa8"), "\\xe2\\x80\\xa8");
  EXPECT_EQ(printable("\xe2\x80\xae"), "\\xe2\\x80\\xae");
  EXPECT_EQ(printable("\xe2\x80\x8f"), "\\xe2\\x80\\x8f");
  EXPECT_EQ(printable("\xd8\x9c"), "\\xd8\\x9c");
  EXPECT_EQ(printable("\xe2\x81\xa7"), "\\xe2\\x81\\xa7");
}

TEST(Text, long_text_is_cut_with_an_ellipsis) {
  EXPECT_EQ(printable("abcdef", 3), "abc…");
  EXPECT_EQ(printable("abc", 3), "abc");
}

TEST(Text, the_beginning_of_a_text_has_whole_characters) {
  EXPECT_EQ(beginning_of("abc", 3), "abc");
  EXPECT_EQ(beginning_of("abcd", 3), "abc");
  EXPECT_EQ(beginning_of("a€b", 2), "a");
  EXPECT_EQ(beginning_of("a€b", 4), "a€");
  EXPECT_EQ(beginning_of("€", 0), "");
}

TEST(Text, userinfo_of_a_url_is_redacted) {
  EXPECT_EQ(printable_url("https://me:secret@example.org/x@y"), "https://***@example.org/x@y");
  EXPECT_EQ(printable_url("https://a@b:c@example.org"), "https://***@example.org");
  EXPECT_EQ(printable_url("https://example.org/x@y"), "https://example.org/x@y");
  EXPECT_EQ(printable_url("https://example.org?m=x@y"), "https://example.org?m=x@y");
  EXPECT_EQ(printable_url("no url\n"), "no url\\x0a");
}

}  // namespace
}  // namespace pollux

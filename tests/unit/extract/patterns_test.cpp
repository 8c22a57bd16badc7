#include "extract/patterns.hpp"

#include <gtest/gtest.h>

namespace pollux::extract {
namespace {

Pattern pattern(const std::string& text) {
  auto compiled = Pattern::compile(text);
  EXPECT_TRUE(compiled) << text;
  return std::move(*compiled);
}
std::string without(const std::string& what, std::string text) {
  EXPECT_FALSE(pattern(what).drop_from(text, {}));
  return text;
}

TEST(Patterns, what_matches_is_dropped) {
  EXPECT_EQ(without("updated \\d+ (minutes|hours) ago",
                    "News, updated 5 minutes ago. updated 1 hours ago"),
            "News, . ");
  EXPECT_EQ(without("x*", "axxb"), "ab") << "empty matches drop nothing";
  EXPECT_EQ(without("nothing", "abc"), "abc");
  EXPECT_EQ(without(".", "äö"), "") << "characters, not bytes";
  EXPECT_EQ(without("(?s).*", "a\nb"), "");
}

TEST(Patterns, the_ends_of_lines_are_ends) {
  EXPECT_EQ(without("^b$", "a\nb\nc"), "a\n\nc");
  EXPECT_TRUE(pattern("^b|^z").matches("a\nb"));
}

TEST(Patterns, lines_are_dropped_and_kept) {
  Patterns patterns;
  patterns.ignore_lines.push_back(pattern("^Views:"));
  std::string text = "Views: 5\nNo Views: 6\nx";
  EXPECT_FALSE(patterns.apply(text, {}));
  EXPECT_EQ(text, "No Views: 6\nx");
  patterns.keep_lines.push_back(pattern("\\d"));
  patterns.keep_lines.push_back(pattern("y"));
  text = "Views: 5\n6\nx\ny\n";
  EXPECT_FALSE(patterns.apply(text, {}));
  EXPECT_EQ(text, "6\ny\n");
}

TEST(Patterns, lines_are_sorted_and_made_unique_at_the_end) {
  Patterns patterns;
  EXPECT_TRUE(patterns.empty());
  patterns.unique_lines = true;
  EXPECT_FALSE(patterns.empty());
  std::string text = "b\na 1\nb\n\na 2";
  EXPECT_FALSE(patterns.apply(text, {}));
  EXPECT_EQ(text, "b\na 1\n\na 2\n");
  patterns.sort_lines = true;
  patterns.ignore.push_back(pattern(" \\d"));
  EXPECT_FALSE(patterns.apply(text, {}));
  EXPECT_EQ(text, "\na\nb\n") << "what patterns leave is compared";
  patterns.unique_lines = false;
  text = "c\na\nb\na";
  EXPECT_FALSE(patterns.apply(text, {}));
  EXPECT_EQ(text, "a\na\nb\nc\n");
}

TEST(Patterns, what_is_wrong_is_said) {
  for (const char* wrong : {"(", "[", "a{2000}", "\\1", "(?=x)", "*", "\xFF"}) {
    const auto compiled = Pattern::compile(wrong);
    EXPECT_FALSE(compiled) << wrong;
  }
  EXPECT_EQ(Pattern::compile("(").error().message, "missing ): ( in \"(\"");
  EXPECT_FALSE(Pattern::compile(""));
  EXPECT_FALSE(Pattern::compile(std::string(5000, 'a')));
}

TEST(Patterns, bombs_of_other_engines_are_none) {
  EXPECT_EQ(without("(a+)+$", std::string(50'000, 'a') + "b"), std::string(50'000, 'a') + "b");
  EXPECT_EQ(without("(a|aa)*c", std::string(50'000, 'a')), std::string(50'000, 'a'));
}

TEST(Patterns, a_search_for_all_that_is_quadratic_ends_at_the_deadline) {
  std::string text(1'000'000, 'a');
  const auto problem = pattern("a(?s:.*z)?")
                           .drop_from(text, {.deadline = std::chrono::steady_clock::now() +
                                                         std::chrono::milliseconds(100)});
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->reason, "took too long");
}

}  // namespace
}  // namespace pollux::extract

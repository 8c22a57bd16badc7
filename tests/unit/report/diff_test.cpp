#include "pollux/report/diff.hpp"

#include "pollux/report/json.hpp"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

namespace pollux::report {
namespace {

using diff::Edit;

DiffFacts facts(std::string_view old_text, std::string_view new_text) {
  return {.url = "https://example.org/news",
          .from = {3, WallTime(std::chrono::hours(500'000)), "aa"},
          .to = {4, WallTime(std::chrono::hours(500'001)), "bb"},
          .old_text = old_text,
          .new_text = new_text};
}

// Lines named by their numbers.
std::string numbered(int from, int to) {
  std::string text;
  for (int i = from; i <= to; ++i) text += "line" + std::to_string(i) + "\n";
  return text;
}

// [-removed-] and {+added+}, a line each; a fold is "~12".
std::string marked(const Spans& spans) {
  std::string out;
  for (const Span& span : spans) {
    out += span.edit == Edit::keep  ? span.text
           : span.edit == Edit::add ? "{+" + span.text + "+}"
                                    : "[-" + span.text + "-]";
  }
  return out;
}
std::string marked(const std::vector<WordLine>& lines) {
  std::string out;
  for (const WordLine& line : lines) {
    out += (line.folded > 0 ? "~" + std::to_string(line.folded) : marked(line.spans)) + "\n";
  }
  return out;
}
std::string marked(const std::vector<SideRow>& rows) {
  std::string out;
  for (const SideRow& row : rows) {
    out += row.folded > 0
               ? "~" + std::to_string(row.folded)
               : (row.left ? marked(*row.left) : "") + "|" + (row.right ? marked(*row.right) : "");
    out += "\n";
  }
  return out;
}

TEST(DiffWords, show_what_changed_with_three_lines_around_it) {
  const std::string before = numbered(1, 10) + "price 99.90 today\n" + numbered(11, 20);
  const std::string after = numbered(1, 10) + "price 94.90 today\n" + numbered(11, 20);
  EXPECT_EQ(marked(word_lines(before, after)),
            "~7\nline8\nline9\nline10\nprice [-99.90-]{+94.90+} today\n"
            "line11\nline12\nline13\n~7\n");
}

TEST(DiffWords, show_lines_that_came_and_went) {
  EXPECT_EQ(marked(word_lines("a\nb\nc\n", "a\nc\n")), "a\n[-b-]\nc\n");
  EXPECT_EQ(marked(word_lines("a\nc\n", "a\nb\nc\n")), "a\n{+b+}\nc\n");
  EXPECT_EQ(marked(word_lines("", "a\n")), "{+a+}\n");
}

TEST(DiffWords, a_line_alone_is_not_folded) {
  const std::string before = "x\n" + numbered(1, 7) + "y\n", after = "X\n" + numbered(1, 7) + "Y\n";
  EXPECT_EQ(marked(word_lines(before, after)).find('~'), std::string::npos);
}

TEST(DiffWords, a_line_break_that_changed_is_seen) {
  EXPECT_NE(marked(word_lines("one two", "one\ntwo")).find("{+↵+}"), std::string::npos)
      << marked(word_lines("one two", "one\ntwo"));
}

TEST(DiffWords, of_a_long_line_the_neighbourhood_of_the_change_is_left) {
  std::string words;
  for (int i = 0; i < 200; ++i) words += "wörd" + std::to_string(i) + " ";
  const std::vector<WordLine> lines =
      word_lines(words + "old " + words + "x", words + "new " + words + "x");
  ASSERT_EQ(lines.size(), 1u);
  const std::string text = marked(lines.front().spans);
  EXPECT_TRUE(text.starts_with("…")) << text;
  EXPECT_TRUE(text.ends_with("…")) << text;
  EXPECT_NE(text.find("wörd199 [-old-]{+new+} wörd0"), std::string::npos) << text;
  EXPECT_LT(text.size(), 200u);
  EXPECT_EQ(text.find("\\x"), std::string::npos) << "no character is cut: " << text;
}

TEST(DiffWords, no_control_character_gets_through) {
  const std::string text = marked(word_lines("a\x1b[31m b", "a\x1b[31m c\td"));
  EXPECT_EQ(text, "a\\x1b[31m [-b-]{+c    d+}\n");
}

TEST(DiffSides, put_what_belongs_together_side_by_side) {
  EXPECT_EQ(marked(side_rows("top\nprice 99 eur\nend\n", "top\nprice 94 eur\nmore\nend\n")),
            "top|top\nprice [-99-] eur|price {+94+} eur\n|{+more+}\nend|end\n");
  EXPECT_EQ(marked(side_rows(numbered(1, 9) + "old\n", numbered(1, 9))),
            "~6\nline7|line7\nline8|line8\nline9|line9\n[-old-]|\n");
}

TEST(UnifiedDiff, is_what_diff_prints) {
  const std::string before = numbered(1, 10) + "old\n" + numbered(11, 30) + "end\n";
  const std::string after = numbered(1, 10) + "new\nmore\n" + numbered(11, 30);
  EXPECT_EQ(
      unified_diff(facts(before, after), Controls::as_they_are),
      "--- https://example.org/news (version 3)\t2027-01-15T08:00:00.000Z\n"
      "+++ https://example.org/news (version 4)\t2027-01-15T09:00:00.000Z\n"
      "@@ -8,7 +8,8 @@\n line8\n line9\n line10\n-old\n+new\n+more\n line11\n line12\n line13\n"
      "@@ -29,4 +30,3 @@\n line28\n line29\n line30\n-end\n");
  EXPECT_EQ(unified_diff(facts(before, before), Controls::as_they_are), "");
}

TEST(UnifiedDiff, near_changes_share_a_hunk) {
  const auto hunks = [](int apart) {
    const std::string text =
        unified_diff(facts("a\n" + numbered(1, apart) + "b\n", "A\n" + numbered(1, apart) + "B\n"),
                     Controls::as_they_are);
    std::size_t count = 0;
    for (std::size_t at = 0; (at = text.find("@@ -", at)) != std::string::npos; ++at) ++count;
    return count;
  };
  EXPECT_EQ(hunks(6), 1u);
  EXPECT_EQ(hunks(7), 2u);
}

TEST(UnifiedDiff, knows_texts_without_a_last_line_feed) {
  const auto body = [](std::string_view before, std::string_view after) {
    const std::string text = unified_diff(facts(before, after), Controls::as_they_are);
    return text.substr(std::min(text.find("@@"), text.size()));
  };
  const std::string mark = "\\ No newline at end of file\n";
  EXPECT_EQ(body("a\nb", "a\nc"), "@@ -1,2 +1,2 @@\n a\n-b\n" + mark + "+c\n" + mark);
  EXPECT_EQ(body("a", "a\n"), "@@ -1 +1 @@\n-a\n" + mark + "+a\n");
  EXPECT_EQ(body("a", "a\nb"), "@@ -1 +1,2 @@\n-a\n" + mark + "+a\n+b\n" + mark);
  EXPECT_EQ(body("x\na", "y\na"), "@@ -1,2 +1,2 @@\n-x\n+y\n a\n" + mark);
  EXPECT_EQ(body("", "a\n"), "@@ -0,0 +1 @@\n+a\n");
}

TEST(UnifiedDiff, shows_control_characters_only_where_asked) {
  const DiffFacts both = facts("a\x1b\n", "b\x1b\n");
  EXPECT_NE(unified_diff(both, Controls::as_they_are).find("-a\x1b\n"), std::string::npos);
  EXPECT_NE(unified_diff(both, Controls::visible).find("-a\\x1b\n"), std::string::npos);
}

TEST(DiffJson, has_both_versions_the_counts_and_the_pieces) {
  const boost::json::object json = diff_json(facts("price 99.90\n", "price 94.90 net\n"));
  EXPECT_EQ(json.at("url"), "https://example.org/news");
  EXPECT_EQ(json.at("from").at("number"), 3);
  EXPECT_EQ(json.at("to").at("hash"), "bb");
  EXPECT_EQ(json.at("to").at("at"), "2027-01-15T09:00:00.000Z");
  EXPECT_EQ(json.at("words_added").to_number<int>(), 2);
  EXPECT_EQ(json.at("words_removed").to_number<int>(), 1);
  EXPECT_EQ(json.at("summary"), "price 99.90 → 94.90 net");
  const boost::json::array& pieces = json.at("pieces").as_array();
  ASSERT_GE(pieces.size(), 3u);
  EXPECT_EQ(pieces[0].at("edit"), "keep");
  EXPECT_EQ(pieces[1].at("edit"), "remove");
  EXPECT_EQ(pieces[1].at("text"), "99.90");
  EXPECT_EQ(pieces[2].at("edit"), "add");
}

TEST(DiffJson, is_utf8_whatever_the_content_is) {
  EXPECT_EQ(json_utf8("gr\xfc\xc3\xbc\xed\xa0\x80"), "gr\uFFFD\u00fc\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(json_utf8("\xf0\x9f\x99\x82\xe2\x82"), "\U0001F642\uFFFD\uFFFD");
}

TEST(DiffHeading, names_the_versions) {
  const std::vector<std::string> heading = diff_heading(facts("a b\n", "a c d\n"));
  ASSERT_EQ(heading.size(), 3u);
  EXPECT_EQ(heading[0], "https://example.org/news");
  EXPECT_NE(heading[1].find("version 3 of 2027"), std::string::npos) << heading[1];
  EXPECT_EQ(heading[2], "+2 −1 words");
}

}  // namespace
}  // namespace pollux::report

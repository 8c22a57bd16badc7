#include "pollux/report/masks.hpp"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

namespace pollux::report {
namespace {

constexpr WallTime asked_at(std::chrono::hours(500'000));

const extract::Mask counter{
    .kind = extract::TokenKind::number, .before = {"Visitors", ":"}, .after = {"today"}};

store::MaskView row(std::int64_t id, const std::string& url, const std::string& mask) {
  return {.id = id,
          .page = PageId(7),
          .url = url,
          .mask = mask,
          .state = "learnt",
          .made_at = asked_at - std::chrono::hours(30),
          .last_matched_at = asked_at - std::chrono::minutes(5)};
}

TEST(Masks, say_what_they_hide) {
  EXPECT_EQ(mask_text(counter), "number after “Visitors :” before “today”");
  const extract::Mask beside_others{
      .kind = extract::TokenKind::number, .before = {"#hex", "in", "##"}, .after = {"#"}};
  EXPECT_EQ(mask_text(beside_others), "number after “… in #” before “…”");
  EXPECT_EQ(ignore_line({"a \\d", "it's"}), "ignore: ['a \\d', 'it''s']");
}

TEST(Masks, are_listed_page_by_page) {
  const std::string text = extract::to_text(counter);
  const std::vector<std::string> lines = masks_text(
      {row(1, "https://a/", text), row(2, "https://a/", text), row(3, "https://b/", text)}, {},
      asked_at);
  ASSERT_EQ(lines.size(), 7u);
  EXPECT_EQ(lines[0], "https://a/");
  EXPECT_NE(lines[1].find("  1  learnt, number after"), std::string::npos) << lines[1];
  EXPECT_NE(lines[1].find("last matched 5 min ago"), std::string::npos) << lines[1];
  EXPECT_EQ(lines[3], "      " + ignore_line({extract::ignore_pattern(counter)})) << "once";
  EXPECT_EQ(lines[4], "https://b/");
}

TEST(Masks, come_with_a_simple_rule_where_the_text_is_known) {
  const extract::Mask token{
      .kind = extract::TokenKind::hex, .before = {"Made", "as"}, .after = {"for", "#", "Visitors"}};
  const std::vector<store::MaskView> rows = {row(1, "https://a/", extract::to_text(token)),
                                             row(2, "https://a/", extract::to_text(counter))};
  const KeptTexts texts = {
      {"https://a/", "News\nMade as ‹hex› for 7\nVisitors : ‹number› today\n"}};
  EXPECT_EQ(masks_text(rows, texts, asked_at)[3],
            R"(      ignore: ['Made as \w+ for', 'Visitors : [\d.,]+'])");
  EXPECT_EQ(masks_json(rows, texts).at(1).at("ignore"), R"(Visitors : [\d.,]+)");
}

// A rule that is pasted beside another must not need what that one drops.
TEST(Masks, come_without_a_rule_where_none_hides_the_same) {
  const extract::Mask token{.kind = extract::TokenKind::hex, .before = {"Made", "as"}, .after = {}};
  const extract::Mask behind{
      .kind = extract::TokenKind::lines, .before = {"‹hex›"}, .after = {"And so it ends"}};
  const std::vector<store::MaskView> rows = {row(1, "https://a/", extract::to_text(token)),
                                             row(2, "https://a/", extract::to_text(behind))};
  const KeptTexts texts = {{"https://a/", "News\nMade as\n‹hex›\n‹lines›\nAnd so it ends\n"}};
  const std::vector<std::string> lines = masks_text(rows, texts, asked_at);
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[3], R"(      ignore: ['\bMade as\n\w+'])");
  EXPECT_EQ(lines[4], "      no rule hides the rest of it and nothing else");
  EXPECT_TRUE(masks_json(rows, texts).at(1).at("ignore").is_null());
}

TEST(Masks, that_cannot_be_read_are_told_all_the_same) {
  EXPECT_NE(masks_text({row(1, "https://a/", "?")}, {}, asked_at)[1].find("not readable"),
            std::string::npos);
  const boost::json::array json = masks_json({row(1, "https://a/", "?")}, {});
  EXPECT_TRUE(json.at(0).at("kind").is_null());
  EXPECT_TRUE(json.at(0).at("ignore").is_null());
}

TEST(Masks, as_json_have_their_parts_and_the_pattern) {
  const boost::json::array json = masks_json({row(4, "https://a/", extract::to_text(counter))}, {});
  EXPECT_EQ(json.at(0).at("id"), 4);
  EXPECT_EQ(json.at(0).at("page_id"), 7);
  EXPECT_EQ(json.at(0).at("kind"), "number");
  EXPECT_EQ(json.at(0).at("before").at(0), "Visitors");
  EXPECT_EQ(json.at(0).at("ignore").as_string(), extract::ignore_pattern(counter));
}

}  // namespace
}  // namespace pollux::report

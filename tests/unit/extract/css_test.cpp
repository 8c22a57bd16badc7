// What selectors_test.cpp cannot show: errors, bounds, and what differs from browsers on purpose.
#include "pollux/extract/css.hpp"

#include <string>
#include <variant>

#include <gtest/gtest.h>

namespace pollux::extract {
namespace {

HtmlTree tree_of(std::string_view html) {
  auto parsed = HtmlTree::parse(html, Limits{});
  return std::get<HtmlTree>(std::move(parsed));
}

// The ids of what matches, in document order.
std::string ids(std::string_view html, std::string_view selector) {
  const HtmlTree tree = tree_of("<!DOCTYPE html>" + std::string(html));
  const auto parsed = CssSelector::parse(selector);
  if (!parsed) return "error: " + parsed.error().message;
  const auto found = parsed->match(tree, Limits{});
  std::string out;
  for (const NodeIndex i : std::get<0>(found)) {
    const Attribute* id = tree.attribute(i, "id");
    out += (out.empty() ? "" : " ") + std::string(id == nullptr ? tree[i].name : id->value);
  }
  return out;
}
std::string error(std::string_view selector) {
  const auto parsed = CssSelector::parse(selector);
  return parsed ? "" : parsed.error().message;
}

TEST(Css, matches_come_in_document_order_and_once) {
  EXPECT_EQ(ids("<p id=a><b id=b></b></p><p id=c>", "#c, p, b, #a"), "a b c");
}

TEST(Css, a_template_is_not_matched) {
  const std::string_view html = "<template id=t><p id=a></template><p id=b>";
  EXPECT_EQ(ids(html, "p"), "b");
  EXPECT_EQ(ids(html, "template *"), "");
  EXPECT_EQ(ids(html, "template:empty"), "t");
  EXPECT_EQ(ids(html, "template:has(p)"), "");
}

TEST(Css, combinators_chain) {
  const std::string_view html =
      "<div id=a><p id=b></p><p id=c><i id=d></i></p><h1 id=e></h1></div>";
  EXPECT_EQ(ids(html, "div > p + p i"), "d");
  EXPECT_EQ(ids(html, "p ~ h1"), "e");
  EXPECT_EQ(ids(html, "body div i"), "d");
  EXPECT_EQ(ids(html, "div > i"), "");
}

TEST(Css, has_looks_at_what_follows_and_what_is_below) {
  const std::string_view html =
      "<div id=a><p id=b><i id=c></i></p><p id=d></p></div><div id=e></div>";
  EXPECT_EQ(ids(html, "div:has(i)"), "a");
  EXPECT_EQ(ids(html, "p:has(> i)"), "b");
  EXPECT_EQ(ids(html, "div:has(> i)"), "");
  EXPECT_EQ(ids(html, "p:has(+ p)"), "b");
  EXPECT_EQ(ids(html, "div:not(:has(p))"), "e");
  EXPECT_EQ(ids(html, "div:has(p i, h1)"), "a");
}

TEST(Css, flags_say_whether_case_counts) {
  const std::string_view html = "<p id=a title=X type=Y>";
  EXPECT_EQ(ids(html, "[title=x]"), "");
  EXPECT_EQ(ids(html, "[title=x i]"), "a");
  EXPECT_EQ(ids(html, "[type=y]"), "a") << "one of those that browsers compare without case";
  EXPECT_EQ(ids(html, "[type=y s]"), "");
}

TEST(Css, a_language_is_inherited) {
  const std::string_view html = "<div lang=de-AT><p id=a></p><p id=b lang=en></p></div>";
  EXPECT_EQ(ids(html, "p:lang(de)"), "a");
  EXPECT_EQ(ids(html, "p:lang(de, en)"), "a b");
}

TEST(Css, an_error_says_what_and_where) {
  EXPECT_EQ(error("ab:hover"), "unknown pseudo-class :hover at 3");
  EXPECT_EQ(error("p:nth-foo(1)"), "unknown pseudo-class :nth-foo() at 2");
  EXPECT_EQ(error("p:is(a, :visited)"), "unknown pseudo-class :visited at 9");
  EXPECT_EQ(error("p::x"), "unknown pseudo-element ::x at 2");
  EXPECT_EQ(error(""), "the selector ends too early at 1");
  EXPECT_EQ(error("p >"), "the selector ends too early at 4");
  EXPECT_EQ(error("p,"), "the selector ends too early at 3");
  EXPECT_EQ(error("> p"), "unexpected \">\" at 1");
  EXPECT_EQ(error("p > > a"), "unexpected \">\" at 5");
  EXPECT_EQ(error("p)"), "unexpected \")\" at 2");
  EXPECT_EQ(error("a['href']"), "unexpected \"'\" at 3");
  EXPECT_EQ(error("[href"), "the selector ends too early at 6");
  EXPECT_EQ(error("[href=]"), "unexpected \"]\" at 7");
  EXPECT_EQ(error("[a='b]"), "a string without an end at 4");
  EXPECT_EQ(error("[a=b x]"), "unknown flag x at 6");
  EXPECT_EQ(error("svg|a"), "a namespace prefix is not known at 1");
  EXPECT_EQ(error("[xlink|href]"), "a namespace prefix is not known at 2");
  EXPECT_EQ(error(":nth-child(x)"), "no number of an element at 12");
  EXPECT_EQ(error(":nth-child(2n+)"), "no number of an element at 12");
  EXPECT_EQ(error(":not()"), "unexpected \")\" at 6");
  EXPECT_EQ(error("#1"), "unexpected \"1\" at 2");
  EXPECT_EQ(error("p\x01"), "unexpected \"\\x01\" at 2");
}

TEST(Css, what_would_be_unbounded_is_an_error) {
  std::string nested, chained;
  for (int i = 0; i < 17; ++i) nested += ":is(";
  EXPECT_EQ(error(nested + "a"), "selectors nested too deeply at 69");
  for (int i = 0; i < 65; ++i) chained += "a ";
  EXPECT_EQ(error(chained), "more than 64 parts at 129");
  EXPECT_EQ(error(std::string(4'097, 'a')), "longer than 4 096 characters");
  EXPECT_EQ(error("a:has(b:has(c))"), "a :has() inside a :has() at 13");
}

TEST(Css, sixty_four_parts_are_matched) {
  std::string html, selector;
  for (int i = 0; i < 64; ++i) {
    html += "<div>";
    selector += i == 0 ? "div" : " > div";
  }
  const HtmlTree tree = tree_of(html);
  const auto found = CssSelector::parse(selector)->match(tree, Limits{});
  EXPECT_EQ(std::get<0>(found).size(), 1U);
}

// Every ancestor and sibling is a candidate at every step: only the number of steps keeps it from
// taking for ever.
TEST(Css, selectors_that_invite_backtracking_end) {
  std::string html;
  for (int i = 0; i < 500; ++i) html += "<div>";
  for (int i = 0; i < 50'000; ++i) html += "<p>";
  const HtmlTree tree = tree_of(html);
  std::string deep = "x", wide = "x";
  for (int i = 0; i < 60; ++i) {
    deep += " div";
    wide += " ~ p";
  }
  for (const std::string& text :
       {deep, wide, "div:has(" + deep + ")", "p:has(~ " + wide.substr(4) + ")",
        std::string("div:has(div:not(:is(div div div)) p x)"),
        std::string(":nth-last-of-type(7n+3):nth-child(2 of p:not(x))")}) {
    const auto selector = CssSelector::parse(text);
    ASSERT_TRUE(selector) << selector.error().message;
    EXPECT_TRUE(std::holds_alternative<std::vector<NodeIndex>>(selector->match(tree, Limits{})))
        << text;
  }
}

TEST(Css, a_deadline_ends_a_search_in_a_few_long_values) {
  std::string html = "<!doctype html><p class=\"";
  for (int i = 0; i < 500'000; ++i) html += "a b ";
  const HtmlTree tree = tree_of(html + "\">x");
  Limits limits;
  limits.deadline = std::chrono::steady_clock::now();
  for (const char* text : {".c, .d", "[class*=\"c\" i]", "p:not(.c)"}) {
    const auto found = CssSelector::parse(text)->match(tree, limits);
    ASSERT_TRUE(std::holds_alternative<TooComplex>(found)) << text;
  }
}

TEST(Css, a_part_of_a_value_is_found_in_any_case) {
  EXPECT_EQ(ids("<p id=1 title=ABCDE><p id=2 title=abde><p id=3 title=cd>", "[title*=\"Cd\" i]"),
            "1 3");
  EXPECT_EQ(ids("<p id=1 title=ABCDE><p id=2 title=xCdx>", "[title*=\"Cd\"]"), "2");
}

TEST(Css, a_deadline_that_is_over_ends_it) {
  const HtmlTree tree = tree_of("<p>" + std::string(3'000, 'x'));
  std::string html;
  for (int i = 0; i < 1'000; ++i) html += "<p>";
  const HtmlTree large = tree_of(html);
  Limits limits;
  limits.deadline = std::chrono::steady_clock::now();
  for (const std::string_view text : {"p", "p p", ":has(p)", ":nth-child(2 of p)"}) {
    const auto found = CssSelector::parse(text)->match(large, limits);
    ASSERT_TRUE(std::holds_alternative<TooComplex>(found)) << text;
    EXPECT_EQ(std::get<TooComplex>(found).reason, "took too long");
  }
}

}  // namespace
}  // namespace pollux::extract

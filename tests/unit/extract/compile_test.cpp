#include "pollux/extract/extract.hpp"

#include <gtest/gtest.h>

namespace pollux::extract {
namespace {

using Language = Selector::Language;

std::string problem(const Rules& rules) {
  const auto compiled = compile(rules);
  return compiled ? "" : compiled.error().message;
}
Rules with(As as, std::vector<Selector> select, std::vector<Selector> remove = {}) {
  Rules rules;
  rules.as = as;
  rules.select = std::move(select);
  rules.remove = std::move(remove);
  return rules;
}

TEST(Compile, rules_are_kept_as_they_were_written) {
  const Rules rules = with(As::text, {{Language::css, ".price"}, {Language::xpath, "//h2"}});
  const auto compiled = compile(rules);
  ASSERT_TRUE(compiled);
  EXPECT_EQ(rules_of(**compiled), rules);
  EXPECT_TRUE(compile(Rules{}));
}

TEST(Compile, an_error_names_its_rule_and_the_selector) {
  EXPECT_TRUE(problem(with(As::automatic, {{Language::css, "a:hover"}})).starts_with("select: "));
  EXPECT_TRUE(
      problem(with(As::automatic, {{Language::css, "a:hover"}})).ends_with(" in \"a:hover\""));
  EXPECT_EQ(problem(with(As::automatic, {}, {{Language::xpath, "//a["}})),
            "remove: Invalid expression in \"//a[\"");
  EXPECT_EQ(problem(with(As::automatic, {{Language::css, ""}})), "select: an empty selector");
}

TEST(Compile, languages_that_do_not_fit_are_errors) {
  EXPECT_EQ(problem(with(As::json, {{Language::css, ".a"}})),
            "select: as: json takes jq, and \".a\" is CSS");
  EXPECT_EQ(problem(with(As::raw, {{Language::css, ".a"}})),
            "select: as: raw keeps the bytes as they are; as: html keeps markup");
  EXPECT_EQ(problem(with(As::feed, {}, {{Language::xpath, "//a"}})),
            "remove: as: feed keeps whole entries; as: text takes XPath");
}

// One rule may be for pages of several kinds.
TEST(Compile, selectors_of_several_languages_stand_together_and_those_that_fit_are_asked) {
  const auto rules = compile(
      with(As::automatic, {{Language::css, "p"}, {Language::xpath, "//h1"}, {Language::jq, ".a"}}));
  ASSERT_TRUE(rules);
  const auto html = extract({"<h1>Title</h1><p>text", "text/html"}, **rules, {});
  ASSERT_TRUE(std::holds_alternative<Kept>(html));
  EXPECT_EQ(std::get<Kept>(html).content, "Title\ntext");
  EXPECT_EQ(std::get<Kept>(html).matched, (std::vector<std::size_t>{1, 1, 0}));
  const auto json = extract({R"({"a": 1, "b": 2})", "application/json"}, **rules, {});
  ASSERT_TRUE(std::holds_alternative<Kept>(json));
  EXPECT_EQ(std::get<Kept>(json).content, "1");
  EXPECT_EQ(std::get<Kept>(json).matched, (std::vector<std::size_t>{0, 0, 1}));
  EXPECT_TRUE(std::holds_alternative<Failure>(extract({"plain", "text/plain"}, **rules, {})));
}

TEST(Compile, patterns_are_checked) {
  Rules rules;
  rules.ignore = {"ok", "("};
  EXPECT_TRUE(problem(rules).starts_with("ignore: missing )")) << problem(rules);
  rules = {};
  rules.ignore_lines = {"["};
  EXPECT_TRUE(problem(rules).starts_with("ignore_lines: "));
  rules = {};
  rules.keep_lines = {""};
  EXPECT_EQ(problem(rules), "keep_lines: an empty pattern matches everywhere");
  rules = {};
  rules.alert = Alert{Alert::When::appears, "(?=x)"};
  EXPECT_TRUE(problem(rules).starts_with("alert: "));
}

TEST(Compile, amounts_are_checked) {
  Rules rules;
  rules.number = Number{Number::When::below, {5, true}};
  EXPECT_EQ(problem(rules), "number: below and above take a number, not a part");
  rules.number = Number{Number::When::changes_by, {-5, true}};
  EXPECT_EQ(problem(rules), "number: changes_by less than nothing");
  rules = {};
  rules.min_change = MinChange{MinChange::Unit::lines, -1};
  EXPECT_EQ(problem(rules), "min_change: not a number of words or lines");
}

TEST(Compile, a_program_that_is_not_there_is_an_error) {
  Rules rules;
  rules.pipe = {"no-such-program", "-"};
  EXPECT_EQ(problem(rules),
            "pipe: no program \"no-such-program\" in /usr/local/bin, /usr/bin or /bin");
  rules.pipe = {"/no/such/program"};
  EXPECT_EQ(problem(rules), "pipe: no program \"/no/such/program\" can be run");
  rules.pipe = {"cat"};
  EXPECT_EQ(problem(rules), "");
}

}  // namespace
}  // namespace pollux::extract

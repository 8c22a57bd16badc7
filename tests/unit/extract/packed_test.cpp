#include "pollux/extract/packed.hpp"

#include "pollux/extract/limits.hpp"

#include <gtest/gtest.h>

namespace pollux::extract {
namespace {

Rules every_rule() {
  Rules rules;
  rules.as = As::text;
  rules.select = {{Selector::Language::css, "main"}, {Selector::Language::xpath, "//p"}};
  rules.remove = {{Selector::Language::jq, ".a"}};
  rules.ignore = {"a"};
  rules.ignore_lines = {"b", "c"};
  rules.keep_lines = {"d"};
  rules.min_change = MinChange{MinChange::Unit::lines, 3};
  rules.alert = Alert{Alert::When::disappears, "sold out"};
  rules.number = Number{Number::When::changes_by, {5, true}};
  rules.pipe = {"cat", "-"};
  rules.sort_lines = rules.unique_lines = rules.render = true;
  return rules;
}

TEST(Packed, rules_come_back_as_they_were) {
  EXPECT_EQ(unpack_rules(pack(every_rule())), every_rule());
  EXPECT_EQ(unpack_rules(pack(Rules{})), Rules{});
}

TEST(Packed, an_extraction_comes_back_as_it_was) {
  const SharedRules rules = compile({}).value();
  const Document document{"<title>A title</title><p>Hello <input type=password></p>", "text/html"};
  const Remote before{fingerprint({}), extract(document, *rules, {}), false, "the whole"};
  const auto after = unpack_extraction(pack(before));
  ASSERT_TRUE(after);
  EXPECT_EQ(after->rules, before.rules);
  EXPECT_EQ(after->whole, "the whole");
  const Kept& was = std::get<Kept>(before.found);
  const Kept& is = std::get<Kept>(after->found);
  EXPECT_EQ(is.content, was.content);
  EXPECT_EQ(is.as, was.as);
  EXPECT_EQ(is.encoding, was.encoding);
  EXPECT_EQ(is.traits.title, "A title");
  EXPECT_EQ(is.traits.password_fields, 1u);
  EXPECT_EQ(is.traits.words, was.traits.words);

  Remote failed;
  failed.found = Failure{Failure::Kind::selector, std::string(10'000, 'm'), was.traits};
  const auto failure = unpack_extraction(pack(failed));
  ASSERT_TRUE(failure);
  EXPECT_EQ(std::get<Failure>(failure->found).kind, Failure::Kind::selector);
  EXPECT_EQ(std::get<Failure>(failure->found).message.size(), 4096u) << "as much as may travel";
}

TEST(Packed, what_is_cut_short_or_makes_no_sense_is_nothing) {
  const std::string rules = pack(every_rule());
  for (std::size_t size = 0; size < rules.size(); ++size)
    EXPECT_FALSE(unpack_rules(rules.substr(0, size)));
  EXPECT_FALSE(unpack_rules(rules + "x"));
  Remote same;
  same.same = true;
  same.found = Kept{"there is content all the same", As::text, "text/html", "UTF-8", {}, {}};
  EXPECT_FALSE(unpack_extraction(pack(same)));
  same.found = Failure{};
  EXPECT_FALSE(unpack_extraction(pack(same)));
  Remote automatic;
  automatic.found = Kept{"x", As::automatic, "text/html", "UTF-8", {}, {}};
  EXPECT_FALSE(unpack_extraction(pack(automatic)));
}

TEST(Packed, too_many_rules_are_not_handed_over) {
  Rules rules;
  rules.ignore.assign(4000, std::string(100, 'x'));
  EXPECT_EQ(pack(rules), "");
}

TEST(Packed, rules_that_start_a_program_are_known) {
  EXPECT_FALSE(starts_program({}));
  EXPECT_TRUE(starts_program(every_rule()));
  Rules jq;
  jq.select = {{Selector::Language::jq, "."}};
  EXPECT_TRUE(starts_program(jq));
}

}  // namespace
}  // namespace pollux::extract

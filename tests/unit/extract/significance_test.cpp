#include "pollux/extract/significance.hpp"

#include <gtest/gtest.h>

namespace pollux::extract {
namespace {

Significance judged(const Rules& rules, std::string_view before, std::string_view now) {
  const auto compiled = compile(rules);
  EXPECT_TRUE(compiled);
  return significance(**compiled, before, now);
}
bool counts(const Rules& rules, std::string_view before, std::string_view now) {
  return judged(rules, before, now).significant;
}
std::string hundred_words(std::string_view last) {
  std::string text;
  for (int i = 0; i < 99; ++i) text += "word" + std::to_string(i) + " ";
  return text + std::string(last);
}

TEST(FirstNumber, is_read_as_people_write_it) {
  const auto is = [](std::string_view text) { return first_number(text).value_or(-999); };
  EXPECT_EQ(is("1.299,50 €"), 1299.5);
  EXPECT_EQ(is("$1,299.50"), 1299.5);
  EXPECT_EQ(is("1,299"), 1299);
  EXPECT_EQ(is("99.9 now"), 99.9);
  EXPECT_EQ(is("1.299.000"), 1299000);
  EXPECT_EQ(is("12\u00A0345,6"), 12345.6);
  EXPECT_EQ(is("1'234.5"), 1234.5);
  EXPECT_EQ(is("from 5 to 7"), 5);
  EXPECT_EQ(is("3."), 3);
}

TEST(FirstNumber, may_be_grouped_by_spaces_and_apostrophes) {
  for (const std::string_view sign : {" ", "\u00A0", "\u2009", "\u202F", "'", "\u2019"}) {
    SCOPED_TRACE(sign);
    const auto is = [&](std::string_view head, std::string_view tail) {
      return first_number(std::string(head) + std::string(sign) + std::string(tail)).value_or(-999);
    };
    EXPECT_EQ(is("1", "299,00 €"), 1299);
    EXPECT_EQ(is("1", "299.00"), 1299);
    EXPECT_EQ(is("12", "345"), 12345);
    EXPECT_EQ(is("1" + std::string(sign) + "234", "567,5"), 1234567.5);
    // What follows is another number.
    EXPECT_EQ(is("5", "20"), 5);
    EXPECT_EQ(is("5", "2026"), 5);
    EXPECT_EQ(is("2026", "100"), 2026);
    EXPECT_EQ(is("0", "250"), 0);
    EXPECT_EQ(is("99,90", "100"), 99.9);
  }
  EXPECT_EQ(first_number("3\n250"), 3) << "another line";
}

TEST(FirstNumber, a_sign_that_cannot_group_thousands_is_decimal) {
  EXPECT_EQ(first_number("1.0845"), 1.0845);
  EXPECT_EQ(first_number("0,8931"), 0.8931);
  EXPECT_EQ(first_number("0,999"), 0.999);
  EXPECT_EQ(first_number("0.001"), 0.001);
  EXPECT_EQ(first_number("1234.567"), 1234.567);
  EXPECT_EQ(first_number("1,234.567"), 1234.567);
  EXPECT_EQ(first_number("1'234.567"), 1234.567);
  EXPECT_EQ(first_number("1.299"), 1299) << "a price";
  EXPECT_EQ(first_number("12.345.678"), 12345678);
}

TEST(FirstNumber, has_the_sign_that_touches_it) {
  EXPECT_EQ(first_number("-3"), -3);
  EXPECT_EQ(first_number("at -3.5°"), -3.5);
  EXPECT_EQ(first_number("\u22123"), -3);
  EXPECT_EQ(first_number("- 3"), 3);
  EXPECT_EQ(first_number("A-3"), 3);
  EXPECT_EQ(first_number("é-3"), 3);
}

TEST(FirstNumber, is_none_where_there_is_none) {
  EXPECT_FALSE(first_number(""));
  EXPECT_FALSE(first_number("no - number , here."));
  EXPECT_FALSE(first_number(std::string(1000, '9'))) << "beyond all numbers";
}

TEST(Significance, without_rules_everything_counts) {
  EXPECT_TRUE(counts({}, "a", "b"));
  EXPECT_EQ(judged({}, "a", "b").reason, "");
}

TEST(Significance, less_than_a_part_of_the_words_is_noise) {
  Rules rules;
  rules.min_change = MinChange{MinChange::Unit::words_percent, 2};
  const Significance one = judged(rules, hundred_words("a"), hundred_words("b"));
  EXPECT_FALSE(one.significant);
  EXPECT_EQ(one.reason, "1 % of the words, less than 2 %");
  EXPECT_TRUE(counts(rules, hundred_words("a"), hundred_words("b c d")));
  EXPECT_TRUE(counts(rules, "", "a"));
}

TEST(Significance, fewer_lines_are_noise) {
  Rules rules;
  rules.min_change = MinChange{MinChange::Unit::lines, 3};
  EXPECT_EQ(judged(rules, "a\nb\nc", "a\nx\nc").reason, "1 line, less than 3");
  EXPECT_TRUE(counts(rules, "a\nb\nc", "x\ny\nz"));
  EXPECT_TRUE(counts(rules, "a", "a\nx\ny\nz"));
}

TEST(Significance, an_alert_fires_when_it_becomes_true) {
  Rules rules;
  rules.alert = Alert{Alert::When::appears, "(?i)sold out"};
  EXPECT_EQ(judged(rules, "in stock", "Sold out").reason, "\"(?i)sold out\" appears");
  EXPECT_TRUE(counts(rules, "in stock", "Sold out"));
  EXPECT_FALSE(counts(rules, "sold out", "Sold out!"));
  EXPECT_FALSE(counts(rules, "sold out", "in stock"));
  EXPECT_FALSE(counts(rules, "a", "b"));
  rules.alert = Alert{Alert::When::disappears, "sold out"};
  EXPECT_TRUE(counts(rules, "sold out", "in stock"));
  EXPECT_FALSE(counts(rules, "in stock", "sold out"));
  EXPECT_FALSE(counts(rules, "a", "b"));
}

TEST(Significance, a_number_fires_when_it_becomes_true) {
  Rules rules;
  rules.number = Number{Number::When::below, {100, false}};
  EXPECT_EQ(judged(rules, "105.00", "94.90").reason, "below 100: 94.9");
  EXPECT_TRUE(counts(rules, "105.00", "94.90"));
  EXPECT_FALSE(counts(rules, "94.90", "90")) << "it was before";
  EXPECT_FALSE(counts(rules, "94.90", "105"));
  EXPECT_FALSE(counts(rules, "105", "100"));
  EXPECT_TRUE(counts(rules, "no price", "99"));
  EXPECT_FALSE(counts(rules, "105", "no price"));
  rules.number = Number{Number::When::above, {100, false}};
  EXPECT_TRUE(counts(rules, "99", "101"));
  EXPECT_FALSE(counts(rules, "101", "102"));
}

TEST(Significance, without_a_number_nothing_is_known) {
  Rules rules;
  rules.number = Number{Number::When::below, {100, false}};
  EXPECT_EQ(judged(rules, "90", "n/a").holds, std::nullopt);
  EXPECT_NE(judged(rules, "90", "120").holds, std::nullopt);
  EXPECT_NE(judged(rules, "n/a", "90").holds, std::nullopt);
}

std::string told(const Rules& rules, std::optional<std::string_view> before, std::string_view now) {
  const auto compiled = compile(rules);
  std::string text;
  for (const Condition& one : conditions(**compiled, before, now)) {
    text += one.rule + ", " + one.wanted + ": " +
            (one.holds ? *one.holds ? "holds" : "does not hold" : "not known") + ", " + one.reason +
            "\n";
  }
  return text;
}

TEST(Conditions, say_what_holds_of_a_content_by_itself) {
  EXPECT_EQ(told({}, {}, "99"), "");
  Rules rules;
  rules.number = Number{Number::When::below, {100, false}};
  rules.alert = Alert{Alert::When::appears, "sold out"};
  EXPECT_EQ(told(rules, {}, "now 94,90 €"),
            "number, below 100: holds, 94.9\n"
            "alert, appears \"sold out\": does not hold, it is not there\n");
  EXPECT_EQ(told(rules, {}, "sold out"),
            "number, below 100: not known, no number in the content\n"
            "alert, appears \"sold out\": holds, it is there\n");
  rules.alert = Alert{Alert::When::disappears, "sold out"};
  rules.number = Number{Number::When::above, {100, false}};
  EXPECT_EQ(told(rules, {}, "99"),
            "number, above 100: does not hold, 99\n"
            "alert, disappears \"sold out\": holds, it is not there\n");
}

TEST(Conditions, compare_where_there_is_something_to_compare_with) {
  Rules rules;
  rules.number = Number{Number::When::changes_by, {5, true}};
  rules.min_change = MinChange{MinChange::Unit::lines, 2};
  EXPECT_EQ(told(rules, {}, "99"),
            "number, changes by 5 %: not known, 99, and nothing to compare it with\n"
            "min_change, 2 lines: not known, nothing to compare with\n");
  EXPECT_EQ(told(rules, "100", "99"),
            "number, changes by 5 %: does not hold, 100 → 99, by less than 5 %\n"
            "min_change, 2 lines: does not hold, 1 line, less than 2\n");
  EXPECT_EQ(told(rules, "100\na", "90\nb"),
            "number, changes by 5 %: holds, 100 → 90\n"
            "min_change, 2 lines: holds, as much differs, or more\n");
  rules.number.reset();
  EXPECT_EQ(told(rules, "a", "a"), "min_change, 2 lines: does not hold, nothing differs\n");
}

TEST(Significance, a_number_may_have_to_change_by_so_much) {
  Rules rules;
  rules.number = Number{Number::When::changes_by, {5, true}};
  EXPECT_EQ(judged(rules, "100", "95").reason, "100 → 95");
  EXPECT_TRUE(counts(rules, "100", "95"));
  EXPECT_TRUE(counts(rules, "0.40", "0.42"));
  EXPECT_FALSE(counts(rules, "100", "96"));
  EXPECT_FALSE(counts(rules, "100 €", "100 $"));
  EXPECT_TRUE(counts(rules, "0", "1"));
  EXPECT_TRUE(counts(rules, "none", "1"));
  EXPECT_FALSE(counts(rules, "1", "none"));
  EXPECT_TRUE(counts(rules, "-100", "-94"));
  rules.number = Number{Number::When::changes_by, {5, false}};
  EXPECT_EQ(judged(rules, "100", "96").reason, "100 → 96, by less than 5");
  EXPECT_TRUE(counts(rules, "100", "105"));
}

TEST(Significance, of_several_rules_all_must_agree) {
  Rules rules;
  rules.number = Number{Number::When::below, {100, false}};
  rules.alert = Alert{Alert::When::appears, "sale"};
  EXPECT_EQ(judged(rules, "105", "94 sale").reason, "below 100: 94; \"sale\" appears");
  EXPECT_FALSE(counts(rules, "105", "94"));
  EXPECT_FALSE(counts(rules, "105", "101 sale"));
  // One of them may have been so before.
  EXPECT_EQ(judged(rules, "94", "94 sale").reason, "\"sale\" appears");
  EXPECT_EQ(judged(rules, "105 sale", "94 sale").reason, "below 100: 94");
  EXPECT_EQ(judged(rules, "94 sale", "93 sale").reason, "still below 100: 93");
}

TEST(Significance, what_is_too_small_to_count_does_not_use_up_a_condition) {
  Rules rules;
  rules.number = Number{Number::When::below, {100, false}};
  rules.min_change = MinChange{MinChange::Unit::words_percent, 50};
  const std::string many = " and twenty words that stay as they are whatever the price may be";
  EXPECT_FALSE(judged(rules, "105" + many, "94" + many).significant);
  EXPECT_FALSE(judged(rules, "105" + many, "94" + many).base_follows);
  EXPECT_TRUE(judged(rules, "94" + many, "105" + many).base_follows);
  EXPECT_TRUE(counts(rules, "105" + many, "94 in other words altogether"));
}

TEST(Significance, says_whether_a_condition_holds) {
  Rules rules;
  rules.number = Number{Number::When::below, {100, false}};
  const auto compiled = compile(rules).value();
  EXPECT_EQ(holds(*compiled, "94"), true);
  EXPECT_EQ(holds(*compiled, "105"), false);
  EXPECT_EQ(holds(*compiled, "n/a"), std::nullopt);
  EXPECT_EQ(holds(*compile({}).value(), "94"), std::nullopt);
}

}  // namespace
}  // namespace pollux::extract

#include "pollux/extract/ignore_rules.hpp"

#include "pollux/base/rng.hpp"
#include "pollux/extract/extract.hpp"

#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace pollux::extract {
namespace {

// What `ignore:` with these patterns keeps of a text.
std::string kept(const std::vector<std::string>& patterns, const std::string& text) {
  Rules rules;
  rules.as = As::text;
  rules.ignore = patterns;
  const Result<SharedRules> compiled = compile(rules);
  EXPECT_TRUE(compiled.ok()) << (compiled ? "" : compiled.error().message);
  if (!compiled) return "no rules";
  auto made = extract({.body = text, .content_type = "text/plain; charset=utf-8"}, **compiled, {});
  const auto* content = std::get_if<Kept>(&made);
  EXPECT_NE(content, nullptr);
  return content == nullptr ? "nothing" : content->content;
}

IgnoreRules rules_for(const std::string& a, const std::string& b) {
  const std::string_view looks[] = {a, b};
  return ignore_rules(find_twin_masks(looks, false).masks, looks);
}

// Two pages, each with `noise`, and what else there is on them.
std::string page(const std::string& noise, const std::string& news = "Nothing new today") {
  return "Price 99.90 EUR\nExample of a page with news\n" + news + "\n" + noise +
         "\nContact us at any time by letter or by telephone\n";
}

struct Case {
  const char* name;
  std::string first, second;
  const char* pattern;  // that people read
};
std::vector<Case> cases() {
  return {
      {"several in a sentence", "Generated 4f9a0c31b7 in 12 ms", "Generated 77b1e04c2d in 9 ms",
       R"(Generated \w+ in [\d.,]+)"},
      {"a counter", "Visitors so far: 18234", "Visitors so far: 18235",
       R"(Visitors so far: [\d.,]+)"},
      {"two rules in a row", "Views: 1201 and counting\nLikes: 311 in all",
       "Views: 1207 and counting\nLikes: 317 in all", nullptr},
      {"a token in an address", "Read more </story?id=7&session=9f2c41d07a3e>",
       "Read more </story?id=7&session=1be90c37ff42>", R"(session=\w+)"},
      {"a date as people write it", "Rendered Mon, 12 May 2025 12:30:07 GMT",
       "Rendered Mon, 12 May 2025 12:30:09 GMT", R"(Rendered \pL+, \d+ \pL+ \d+ [\d:]+ GMT)"},
      {"a date as machines do", "Built at 2025-05-12T12:30:07Z", "Built at 2025-05-12T12:30:09Z",
       R"(Built at [\d-]+T[\d:]+Z)"},
      {"a uuid", "Request f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
       "Request 0b0c6f02-31aa-4ee9-9f6b-8e1f4be0a1d7", R"(Request [\w-]+)"},
      {"signs that mean something in a pattern", "(load) [a+b] 51234? x^2|y",
       "(load) [a+b] 51239? x^2|y", nullptr},
      {"the label on another line", "Online now\n4711\nGuests", "Online now\n4733\nGuests",
       nullptr},
  };
}

TEST(IgnoreRules, what_is_printed_makes_both_looks_equal_and_hides_nothing_else) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const std::string first = page(c.first), second = page(c.second);
    const IgnoreRules made = rules_for(first, second);
    ASSERT_FALSE(made.patterns.empty());
    EXPECT_TRUE(made.equal) << made.patterns[0];
    for (const std::string& pattern : made.patterns) {
      EXPECT_EQ(pattern.find("‹"), std::string::npos) << pattern;
    }
    EXPECT_EQ(kept(made.patterns, first), kept(made.patterns, second)) << made.patterns[0];
    EXPECT_NE(kept(made.patterns, first), kept(made.patterns, page(c.second, "News of today")))
        << made.patterns[0];
    if (c.pattern != nullptr) {
      EXPECT_EQ(made.patterns.front(), c.pattern);
    }
  }
}

TEST(IgnoreRules, a_number_of_the_same_form_elsewhere_still_counts) {
  const auto text = [](const std::string& views, const std::string& seats) {
    return "Report\nGuests: " + views + " of today\nSeats taken\nGuests: " + seats +
           " of all\nEnd of it\n";
  };
  const IgnoreRules made = rules_for(text("5012", "3004"), text("5077", "3004"));
  ASSERT_EQ(made.patterns.size(), 1u);
  EXPECT_TRUE(made.equal);
  EXPECT_EQ(kept(made.patterns, text("5012", "3004")), kept(made.patterns, text("6001", "3004")));
  EXPECT_NE(kept(made.patterns, text("5012", "3004")), kept(made.patterns, text("5012", "3005")));
}

TEST(IgnoreRules, lines_that_change_places_beside_tokens) {
  const auto text = [](const std::string& ad, const std::string& token, const char* news) {
    return "Session " + token + " is yours\nAdvertisement\n" + ad + "\nLatest news of the day\n" +
           news +
           "\nA long text that stays as it is and says a lot of things about nothing in "
           "particular\nand goes on like that for a while\nToken " +
           token + " for this page\n";
  };
  const std::string first = text("Buy shoes made of wood", "4f9a0c31b7", "Rain");
  const std::string second = text("Fly to the moon by bus", "77b1e04c2d", "Rain");
  const IgnoreRules made = rules_for(first, second);
  ASSERT_FALSE(made.patterns.empty());
  EXPECT_TRUE(made.equal);
  EXPECT_EQ(kept(made.patterns, first), kept(made.patterns, second)) << made.patterns[0];
  EXPECT_NE(kept(made.patterns, first),
            kept(made.patterns, text("Buy shoes made of wood", "4f9a0c31b7", "Sun")));
}

TEST(IgnoreRules, from_a_text_in_which_masks_were_applied) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const std::string first = page(c.first), second = page(c.second);
    const std::string_view looks[] = {first, second};
    const Noise noise = find_twin_masks(looks, false);
    const std::string masked = extract::apply(noise.masks, first).text;
    const std::string_view one[] = {masked};
    const IgnoreRules made = ignore_rules(noise.masks, one);
    ASSERT_FALSE(made.patterns.empty());
    for (const std::size_t rule : made.of_mask) EXPECT_LT(rule, made.patterns.size());
    EXPECT_EQ(kept(made.patterns, first), kept(made.patterns, second)) << made.patterns[0];
    EXPECT_NE(kept(made.patterns, first), kept(made.patterns, page(c.second, "News of today")));
  }
}

TEST(IgnoreRules, many_places_on_random_pages) {
  const std::vector<std::function<std::string(Rng&)>> places = {
      [](Rng& rng) { return std::to_string(10'000 + rng.below(80'000)); },
      [](Rng& rng) {
        std::string hex = "a1";
        for (int i = 0; i < 12; ++i) hex += "0123456789abcdef"[rng.below(16)];
        return hex;
      },
      [](Rng& rng) {
        const std::string second = std::to_string(10 + rng.below(49));
        return "2025-05-12T12:30:" + second + "Z";
      }};
  const std::vector<std::string> words = {"seen",  "id",    "of", "the",  "by", "host:", "(take)",
                                          "count", "build", "at", "from", "#",  "for",   "é"};
  int equal = 0, explained = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    Rng plan(seed);
    std::string looks[2];
    for (int i = 0; i < 30; ++i) {
      const std::string word = words[plan.below(words.size())] + (plan.chance(0.2) ? "\n" : " ");
      const std::size_t place = plan.below(places.size());
      const bool noisy = plan.chance(0.2);
      for (std::string& look : looks) look += word + (noisy ? places[place](plan) + " " : "");
    }
    const std::string_view both[] = {looks[0], looks[1]};
    const Noise noise = find_twin_masks(both, false);
    if (!noise.explained || noise.masks.empty()) continue;
    ++explained;
    const IgnoreRules made = ignore_rules(noise.masks, both);
    EXPECT_EQ(made.equal, kept(made.patterns, looks[0]) == kept(made.patterns, looks[1]));
    equal += made.equal ? 1 : 0;
  }
  EXPECT_GT(explained, 50);
  EXPECT_GE(equal * 10, explained * 9) << equal << " of " << explained;
}

TEST(IgnoreRules, tokens_of_all_links_are_one_rule) {
  const auto list = [](const std::string& a, const std::string& b, const std::string& c) {
    return page("Anchors </item/1?s=" + a + ">\nBoats </item/2?s=" + b +
                ">\nChains </item/3?s=" + c + ">");
  };
  const IgnoreRules rules = rules_for(list("9f2c41d07a3e", "1be90c37ff42", "70aa5e1c2b9d"),
                                      list("d1e2f3a4b5c6", "0a1b2c3d4e5f", "77c0ffee1122"));
  EXPECT_EQ(rules.patterns, (std::vector<std::string>{R"(\bs=\w+)"}));
  EXPECT_TRUE(rules.equal);
}

// What stands before is a date, which changes by itself: so what is left is short, and must not be
// found elsewhere.
TEST(IgnoreRules, a_short_rule_takes_all_words_that_it_can_have_and_whole_ones) {
  const std::string a = page("Generated 18 Nov 2026 07:26:45 in 29 ms"),
                    b = page("Generated 18 Nov 2026 07:26:45 in 20 ms");
  const IgnoreRules rules = rules_for(a, b);
  ASSERT_EQ(rules.patterns, (std::vector<std::string>{R"(\bin [\d.,]+ ms\b)"}));
  EXPECT_TRUE(rules.equal);
  for (const char* news : {"Back in 3 days", "We begin 29 msgs later"})
    EXPECT_NE(kept(rules.patterns, page("", news)).find(news), std::string::npos) << news;
}

}  // namespace
}  // namespace pollux::extract

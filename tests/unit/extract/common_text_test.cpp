// What looks have in common where places differ that no mask may hide.
#include "pollux/extract/common_text.hpp"

#include "pollux/base/rng.hpp"
#include "pollux/extract/ignore_rules.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace pollux::extract {
namespace {

std::string page(const std::string& ad, const std::string& news = "", const std::string& end = "") {
  std::string text = "The harbour paper\n" + ad + news;
  for (const char* name : {"first", "second", "third", "fourth"})
    text += std::string("An article, the ") + name + " of four, about ships and their cargo\n";
  return text + "Price of the paper 2.40 EUR\n" + end + "All rights reserved";
}
const std::string shoes = "Shoes 70 % off\n", sea = "Two nights, only 19.99\n",
                  coffee = "Coffee from $4.50\n";

CommonText common(const std::vector<std::string>& texts,
                  const std::vector<std::string>& before = {}) {
  const std::vector<std::string_view> looks(texts.begin(), texts.end()),
      polls(before.begin(), before.end());
  return common_text(looks, polls);
}
std::string text_of(const std::vector<std::string>& texts) {
  return common(texts).text.value_or("nothing");
}

TEST(CommonText, sets_an_advertisement_with_a_price_aside_and_nothing_else) {
  EXPECT_EQ(text_of({page(shoes), page(sea), page(coffee)}), page("‹lines›\n"));
}

TEST(CommonText, shows_news_beside_the_place) {
  const std::string known = text_of({page(shoes), page(sea), page(coffee)});
  const std::string now =
      text_of({page(coffee, "A ship has come\n"), page(shoes, "A ship has come\n"),
               page(sea, "A ship has come\n")});
  EXPECT_EQ(now, page("‹lines›\n", "A ship has come\n"));
  EXPECT_NE(set_aside(known, now), known);
}

TEST(CommonText, of_lines_that_differ_in_their_figures_is_the_rest_of_them) {
  const auto status = [](const std::string& a, const std::string& b, const std::string& state) {
    return page("", "", "Mail Operational 99." + a + " %\nSearch " + state + " 99." + b + " %\n");
  };
  const std::string known =
      text_of({status("91", "92", "Operational"), status("93", "95", "Operational"),
               status("99", "98", "Operational")});
  EXPECT_EQ(known, page("", "", "Mail Operational ‹number› %\nSearch Operational ‹number› %\n"));
  EXPECT_EQ(set_aside(known, status("17", "18", "Operational")), known);
  EXPECT_NE(set_aside(known, status("17", "18", "Outage")), known) << "what stands beside it";
}

// Figures of other lines that happen to be the same do not lead it astray.
TEST(CommonText, keeps_lines_apart_whose_figures_are_the_same_by_chance) {
  const auto status = [](const char* a, const char* b, const char* c) {
    std::string lines;
    for (const char* share : {a, b, c}) lines += std::string("99.") + share + "% uptime\n";
    return page("", "", lines);
  };
  EXPECT_EQ(text_of({status("91", "92", "93"), status("92", "93", "94"), status("93", "94", "95")}),
            page("", "", "‹number› uptime\n‹number› uptime\n‹number› uptime\n"));
}

// A price that has changed between two of the looks stays changed.
TEST(CommonText, is_open_where_two_looks_in_a_row_agree) {
  const auto at = [](const std::string& ad, const std::string& price) {
    return page(ad, "Our shirt now " + price + " EUR a piece\n");
  };
  const CommonText moved =
      common({at(shoes, "99.90"), at(sea, "94.90"), at(coffee, "94.90")}, {at(coffee, "99.90")});
  EXPECT_FALSE(moved.text);
  EXPECT_TRUE(moved.open);
  const CommonText stays =
      common({at(shoes, "94.90"), at(sea, "94.90"), at(coffee, "94.90")}, {at(coffee, "99.90")});
  ASSERT_TRUE(stays.text);
  EXPECT_NE(stays.text->find("94.90"), std::string::npos) << "a price that moves for real";
}

TEST(CommonText, knows_by_polls_before_that_a_place_goes_on_differing) {
  EXPECT_TRUE(common({page(shoes), page(sea), page(sea)}, {page(coffee)}).text);
  EXPECT_FALSE(common({page(shoes), page(sea), page(sea)}, {page(shoes)}).text);
}

TEST(CommonText, is_nothing_where_little_is_left) {
  const std::vector<std::string> price = {"Bitcoin 67123.45 USD", "Bitcoin 67124.10 USD",
                                          "Bitcoin 67125.33 USD"};
  EXPECT_FALSE(common(price).text) << "what somebody has chosen to watch";
  EXPECT_FALSE(common(price).open);
  std::vector<std::string> table(3);
  for (int look = 0; look < 3; ++look) {
    for (int row = 0; row < 30; ++row)
      table[look] +=
          "COIN" + std::to_string(row) + " " + std::to_string(1000 * row + look) + ".5\n";
  }
  EXPECT_FALSE(common(table).text) << "a table of prices";
}

TEST(CommonText, a_place_takes_no_more_lines_than_it_had) {
  const std::string known = page("‹lines›\n");
  EXPECT_EQ(set_aside(known, page(shoes)), known);
  EXPECT_EQ(set_aside(known, page("")), known) << "or none";
  EXPECT_EQ(count_aside(set_aside(known, page(shoes, "A ship has come\n"))), 0u);
  EXPECT_EQ(count_aside(known), 1u);
}

TEST(CommonText, without_marks_leaves_a_text_as_it_is) {
  EXPECT_EQ(set_aside(page(sea), page(shoes, "news\n")), page(shoes, "news\n"));
  EXPECT_EQ(set_aside("", ""), "");
  EXPECT_EQ(set_aside("‹lines›", ""), "‹lines›");
}

// Wherever the places are, and however many: each look is what all have in common, and a line that
// is new is seen in it.
TEST(CommonText, of_any_page_is_found_in_each_of_its_looks) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const std::size_t lines = 10 + rng.below(30), ad_at = rng.below(lines);
    const std::size_t figure_at = rng.below(lines), news_at = rng.below(lines);
    std::uint64_t drawn = rng.below(1000);
    const auto draw = [&](bool with_news) {
      std::string text;
      for (std::size_t i = 0; i < lines; ++i) {
        if (i == ad_at) text += "Only " + std::to_string(++drawn) + ".99 today, buy!\n";
        if (with_news && i == news_at) text += "A line that is new and stays\n";
        text += "Line " + std::string(1 + i % 7, 'x') + " of the page, number " +
                std::string(1 + i / 7, 'y');
        if (i == figure_at) text += " is up 99." + std::to_string(++drawn) + " %";
        text += '\n';
      }
      return text;
    };
    std::vector<std::string> looks = {draw(false), draw(false), draw(false)};
    const std::string known = text_of(looks);
    for (const std::string& look : looks) EXPECT_EQ(set_aside(known, look), known);
    EXPECT_EQ(set_aside(known, draw(false)), known);
    const std::string now = text_of({draw(true), draw(true), draw(true)});
    EXPECT_NE(now.find("A line that is new and stays"), std::string::npos);
    EXPECT_NE(set_aside(known, now), known);
    EXPECT_NE(set_aside(known, draw(true)), known);
  }
}

TEST(PlacesAside, are_told_with_a_rule_for_each) {
  const std::string text = page("‹lines›\n", "", "Mail Operational ‹number› % of the time\n");
  const std::vector<PlaceAside> places = places_aside(text, {}, 10);
  ASSERT_EQ(places.size(), 2u);
  EXPECT_EQ(places[0].pattern, R"(Operational\s*\S*\d\S*\s*%)");
  EXPECT_EQ(places[1].around.before, std::vector<std::string>{"The harbour paper"});
  EXPECT_FALSE(places[1].pattern.empty());
  EXPECT_TRUE(places_aside(text, {}, 1).size() == 1);
  const std::vector<Mask> masks = {places[1].around};
  EXPECT_EQ(places_aside(text, masks, 10).size(), 1u) << "those that a mask has made are its own";
}

}  // namespace
}  // namespace pollux::extract

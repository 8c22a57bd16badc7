// Counters that go on more slowly than looks follow each other.
#include "pollux/extract/masks.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace pollux::extract {
namespace {

bool is_masked(const std::vector<std::string>& texts) {
  const std::vector<std::string_view> looks(texts.begin(), texts.end());
  const Noise noise = find_masks(looks, Looks::counts, false);
  return noise.explained && !noise.masks.empty();
}

TEST(Counters, of_readers_are_masked_from_two_versions) {
  for (const auto& [before, now] : std::vector<std::pair<std::string, std::string>>{
           {"1,204 views today", "1,207 views today"},
           {"Views: 99 in all", "Views: 104 in all"},
           {"Viewed 1204 times so far", "Viewed 1205 times so far"},
           {"so far 5.3k likes given", "so far 5.4k likes given"},
           {"12'999 downloads of it", "13'000 downloads of it"},
           {"310 people read this", "312 people read this"},
           {"nun 1.204 Aufrufe davon", "nun 1.210 Aufrufe davon"},
           {"143 members online now", "106 members online now"}})
    EXPECT_TRUE(is_masked({before, now})) << now;
}

TEST(Counters, of_a_list_have_one_mask) {
  const auto list = [](int first, int second) {
    return "One\n" + std::to_string(first) + " likes · 3 comments\nTwo\n" + std::to_string(second) +
           " likes · 3 comments";
  };
  EXPECT_TRUE(is_masked({list(10, 20), list(10, 21)}));
}

TEST(Counters, of_what_people_say_take_three_versions) {
  EXPECT_FALSE(is_masked({"with 12 comments below", "with 13 comments below"}));
  EXPECT_TRUE(
      is_masked({"with 12 comments below", "with 13 comments below", "with 15 comments below"}));
  EXPECT_FALSE(
      is_masked({"with 12 comments below", "with 13 comments below", "with 13 comments below"}));
}

TEST(Counters, of_what_people_say_tick_with_the_views_beside_them) {
  EXPECT_TRUE(is_masked({"90 views · 17 comments so far", "93 views · 18 comments so far"}));
  EXPECT_TRUE(is_masked({"90 views · 17 comments so far", "90 views · 18 comments so far"}));
  EXPECT_FALSE(
      is_masked({"90 views so far\n17 comments below", "93 views so far\n18 comments below"}))
      << "of another line";
  EXPECT_TRUE(is_masked({"Views: ‹count›K | Comments (17) | Shares 211",
                         "Views: ‹count›K | Comments (18) | Shares 213"}))
      << "the views are masked already";
  EXPECT_TRUE(is_masked(
      {"Views: 15.3K | Comments (17) | Shares 211", "Views: 15.3K | Comments (18) | Shares 213"}));
  EXPECT_FALSE(is_masked({"it holds 211 shares of them", "it holds 213 shares of them",
                          "it holds 214 shares of them"}))
      << "of a company";
  // A list of topics, of which each has its own.
  const auto forum = [](int first, int second, int third) {
    return "How to glue a cup by anna — " + std::to_string(first) + " replies, 90 views\n" +
           "Which tent for rain by bert — 4 replies, " + std::to_string(second) + " views\n" +
           "Trains at night by cleo — " + std::to_string(third) + " replies, 71 views";
  };
  EXPECT_TRUE(is_masked({forum(5, 81, 2), forum(6, 84, 2)}));
}

TEST(Counters, of_what_people_say_have_many_names) {
  for (const std::string what : {"ratings", "reviews", "responses", "reactions", "claps",
                                 "Bewertungen", "Rezensionen", "réponses", "reseñas"}) {
    const auto page = [&](int count) { return "4.6 of 5, " + std::to_string(count) + " " + what; };
    EXPECT_FALSE(is_masked({page(218), page(222)})) << what;
    EXPECT_TRUE(is_masked({page(218), page(222), page(226)})) << what;
  }
  EXPECT_TRUE(is_masked({"Like 211 Share it", "Like 213 Share it", "Like 214 Share it"}));
  EXPECT_TRUE(is_masked({"so far 💬 17 of them", "so far 💬 18 of them", "so far 💬 20 of them"}));
}

// What is watched for.
TEST(Counters, are_no_numbers_that_matter) {
  for (const auto& [before, now] : std::vector<std::pair<std::string, std::string>>{
           {"only 12 left in stock", "only 11 left in stock"},
           {"Price 99 EUR", "Price 104 EUR"},
           {"Home 2 : 1 Away", "Home 2 : 2 Away"},
           {"Episode 12 Read now", "Episode 13 Read now"},
           {"chapter 7 is out", "chapter 8 is out"},
           {"Version 12 of it", "Version 13 of it"},
           {"341 votes for it", "360 votes for it"},
           {"Anna 120 points", "Anna 130 points"},
           {"17 bids for it", "18 bids for it"},
           {"Servers online: 5 of five", "Servers online: 4 of five"},
           {"3 open issues of it", "4 open issues of it"},
           {"41 new cases today", "58 new cases today"},
           {"rated 4.1 by readers", "rated 4.2 by readers"},
           {"20 views for 99 EUR", "21 views for 99 EUR"}}) {
    EXPECT_FALSE(is_masked({before, now})) << now;
    EXPECT_FALSE(is_masked({before, before + " x", now})) << now;
  }
}

TEST(Counters, are_known_by_versions_between_which_there_was_news) {
  EXPECT_TRUE(is_masked({"old words and this\nwith 12 comments below",
                         "new words and this\nwith 13 comments below",
                         "new words and this\nwith 15 comments below"}));
}

TEST(Counters, may_stand_still_while_there_is_news) {
  EXPECT_TRUE(is_masked({"one\nwith 12 comments below", "one\nwith 13 comments below",
                         "two\nwith 13 comments below", "two\nwith 14 comments below"}));
}

TEST(Counters, only_grow) {
  EXPECT_FALSE(is_masked({"1,204 views today", "1,199 views today"})) << "it was counted anew";
  EXPECT_FALSE(is_masked({"12 comments below", "13 comments below", "11 comments below"}));
}

TEST(Counters, are_masked_only_where_nothing_else_differs) {
  EXPECT_FALSE(is_masked({"old words\n1,204 views", "new words\n1,207 views"}));
}

TEST(Counters, are_guessed_from_where_texts_differ) {
  EXPECT_TRUE(may_differ_in_numbers_only("some 1,204 views", "some 1,207 views"));
  EXPECT_TRUE(may_differ_in_numbers_only("some 999 views", "some 1,000 views"));
  EXPECT_FALSE(may_differ_in_numbers_only("some words here", "some signs here"));
}

}  // namespace
}  // namespace pollux::extract

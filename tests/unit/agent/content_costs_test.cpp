// Which of two ways content comes by, as document 002 compares them, and what is learnt of pages.
#include "agent/content_costs.hpp"

#include <string>

#include <gtest/gtest.h>

namespace pollux::agent {
namespace {

using namespace std::chrono_literals;

Way way(Duration round_trip, double seconds_per_byte) {
  Way way;
  for (int i = 0; i < 50; ++i) {
    way.note(round_trip, 200);
    way.note(round_trip + from_seconds(seconds_per_byte * 100'000), 100'000);
  }
  return way;
}

TEST(TheWay, is_measured_by_small_messages_and_by_large_ones) {
  const Way slow = way(100ms, 8e-6);
  EXPECT_NEAR(slow.round_trip(), 0.1, 1e-6);
  EXPECT_NEAR(slow.seconds_per_byte(), 8e-6, 1e-9);
  Way unknown;
  unknown.note(5s, 1u << 20);
  EXPECT_EQ(unknown.seconds_per_byte(), 0) << "how much of it is latency is not known";
  unknown.note(-5s, 100);
  EXPECT_EQ(unknown.round_trip(), 0) << "who lies about its own part is believed no more than that";
}

// Eq. 43, where waiting costs nothing: bytes against bytes.
TEST(CostsOfContent, without_latency_are_bytes) {
  const ContentPrices prices{.hash = 40, .pair = 400, .worth = 0};
  const Way any = way(100ms, 1e-6);
  EXPECT_DOUBLE_EQ(cost_at_once({.wanted = 0.5, .bytes = 3000}, prices, any), 3000);
  EXPECT_DOUBLE_EQ(cost_hash_first({.wanted = 0.5, .bytes = 3000}, prices, any), 40 + 0.5 * 3400);
  // (1 − γ) C > hash + γ pair
  EXPECT_LT(cost_hash_first({.wanted = 0.85, .bytes = 3000}, prices, any), 3000);
  EXPECT_GT(cost_hash_first({.wanted = 0.95, .bytes = 3000}, prices, any), 3000);
}

// The bracket of eq. 42, where only time counts: γ (2 L + N η S) and what goes with it.
TEST(CostsOfContent, where_a_second_is_worth_everything_are_times) {
  const ContentPrices prices{.hash = 0, .pair = 0, .worth = 1e12};
  const Way slow = way(100ms, 1e-5);
  const ContentEstimate content{.wanted = 0.25, .bytes = 10'000};
  EXPECT_NEAR(cost_at_once(content, prices, slow) / 1e12, 0.1, 1e-4);
  EXPECT_NEAR(cost_hash_first(content, prices, slow) / 1e12, 0.25 * (0.1 + 0.1), 1e-4);
}

const std::string url = "https://a.test/page";

ContentClass named(std::string_view of) {
  return {of, true};
}

void show(ContentCosts& costs, const ContentClass& poll, Wanted wanted, std::size_t bytes,
          int times) {
  for (int i = 0; i < times; ++i) costs.judged(poll, wanted, bytes);
}

TEST(CostsOfContent, of_a_page_follow_what_becomes_of_its_content) {
  ContentCosts costs(ContentMode::automatic);
  const Way near = way(1ms, 1e-8);
  EXPECT_FALSE(costs.hash_first(named(url), near)) << "the first cannot be known";
  show(costs, named(url), Wanted::yes, 5000, 1);
  EXPECT_DOUBLE_EQ(costs.estimate(named(url)).wanted, 0.5) << "so it teaches nothing, ...";
  EXPECT_NEAR(costs.estimate(named(url)).bytes, 5000, 1) << "... but its size";
  show(costs, named(url), Wanted::no, 5000, 12);
  EXPECT_TRUE(costs.hash_first(named(url), near));
  show(costs, named(url), Wanted::yes, 5000, 60);
  EXPECT_FALSE(costs.hash_first(named(url), near));
  show(costs, named(url), Wanted::no, 5000, 12);
  EXPECT_TRUE(costs.hash_first(named(url), near));
}

TEST(CostsOfContent, of_a_new_page_follow_its_host) {
  ContentCosts costs(ContentMode::automatic);
  const Way near = way(1ms, 1e-8);
  for (int i = 0; i < 20; ++i) {
    show(costs, named("https://grows.test/" + std::to_string(i)), Wanted::yes, 3000, 4);
    show(costs, named("https://flaps.test/" + std::to_string(i)), Wanted::yes, 700, 1);
    show(costs, named("https://flaps.test/" + std::to_string(i)), Wanted::no, 700, 3);
  }
  show(costs, named("https://grows.test/new"), Wanted::yes, 3000, 1);
  show(costs, named("https://flaps.test/new"), Wanted::yes, 700, 1);
  EXPECT_FALSE(costs.hash_first(named("https://grows.test/new"), near));
  EXPECT_TRUE(costs.hash_first(named("https://flaps.test/new"), near));
}

TEST(CostsOfContent, of_pages_of_one_host_that_differ_are_told_apart) {
  ContentCosts costs(ContentMode::automatic);
  const Way near = way(1ms, 1e-8);
  for (int i = 0; i < 40; ++i) {
    show(costs, named("https://a.test/flaps"), Wanted::no, 1500, 1);
    show(costs, named("https://a.test/grows"), Wanted::yes, 1500, 1);
  }
  EXPECT_TRUE(costs.hash_first(named("https://a.test/flaps"), near));
  EXPECT_FALSE(costs.hash_first(named("https://a.test/grows"), near));
}

// A second look mostly shows what the first has shown.
TEST(CostsOfContent, of_polls_that_name_nothing_are_counted_apart) {
  ContentCosts costs(ContentMode::automatic);
  const Way near = way(1ms, 1e-8);
  for (int i = 0; i < 40; ++i) {
    show(costs, {url, true}, Wanted::yes, 1500, 1);
    show(costs, {url, false}, Wanted::no, 1500, 1);
  }
  EXPECT_FALSE(costs.hash_first({url, true}, near));
  EXPECT_TRUE(costs.hash_first({url, false}, near));
}

TEST(CostsOfContent, of_what_is_small_or_far_away_speak_for_one_message) {
  ContentCosts costs(ContentMode::automatic);
  for (int i = 0; i < 40; ++i) {
    const Wanted wanted = i % 4 == 0 ? Wanted::yes : Wanted::no;
    costs.judged(named("https://a.test/small"), wanted, 120);
    costs.judged(named("https://b.test/large"), wanted, 2000);
  }
  EXPECT_FALSE(costs.hash_first(named("https://a.test/small"), way(1ms, 0)));
  EXPECT_TRUE(costs.hash_first(named("https://b.test/large"), way(1ms, 0)));
  EXPECT_FALSE(costs.hash_first(named("https://b.test/large"), way(3s, 0)))
      << "nobody waits for that";
}

TEST(CostsOfContent, that_was_lost_bring_the_next_one_at_once) {
  ContentCosts costs(ContentMode::hash_first);
  const Way near = way(1ms, 0);
  EXPECT_TRUE(costs.hash_first(named(url), near));
  costs.lost(url);
  EXPECT_FALSE(costs.hash_first(named(url), near));
  EXPECT_TRUE(costs.hash_first(named(url), near));
}

TEST(CostsOfContent, are_not_asked_where_somebody_has_chosen) {
  const Way near = way(1ms, 0);
  for (const ContentMode mode : {ContentMode::at_once, ContentMode::always}) {
    ContentCosts costs(mode);
    show(costs, named(url), Wanted::no, 5000, 40);
    EXPECT_FALSE(costs.hash_first(named(url), near));
  }
  EXPECT_TRUE(ContentCosts(ContentMode::hash_first).hash_first(named(url), near));
}

}  // namespace
}  // namespace pollux::agent

#include "pollux/demo/world.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace pollux::demo {
namespace {

const Instant start{};
Instant at(double seconds) {
  return start + from_seconds(seconds);
}

WorldOptions options(std::size_t pages, double rate) {
  WorldOptions o;
  o.pages = pages;
  o.changes_per_second = rate;
  o.exponent = 1.0;
  o.seed = 7;
  return o;
}

std::vector<double> rates(const World& world) {
  std::vector<double> all;
  for (std::uint32_t n = 1; n <= world.size(); ++n) all.push_back(world.page(PageNumber{n}).rate);
  return all;
}

TEST(World, rates_follow_zipf_and_add_up) {
  const World world(options(40, 20), start);
  std::vector<double> all = rates(world);
  std::sort(all.rbegin(), all.rend());
  double sum = 0;
  for (const double rate : all) sum += rate;
  EXPECT_NEAR(sum, 20, 1e-9);
  EXPECT_NEAR(all[0] / all[1], 2, 1e-9);
  EXPECT_NEAR(all[0] / all[39], 40, 1e-9);
}

TEST(World, the_order_of_pages_says_nothing_about_their_rates) {
  const World world(options(400, 20), start);
  const std::vector<double> all = rates(world);
  // Spearman-like: of neighbouring pairs, about half go down. A sorted list would give all or none.
  int falling = 0;
  for (std::size_t i = 1; i < all.size(); ++i) falling += all[i] < all[i - 1];
  EXPECT_GT(falling, 150);
  EXPECT_LT(falling, 250);
}

TEST(World, the_same_seed_gives_the_same_changes_however_time_passes) {
  World fine(options(60, 50), start), coarse(options(60, 50), start);
  for (double t = 0; t <= 20; t += 0.01) fine.advance(at(t));
  fine.advance(at(20));
  coarse.advance(at(20));
  EXPECT_EQ(fine.history(), coarse.history());
  WorldOptions other = options(60, 50);
  other.seed = 8;
  World different(other, start);
  different.advance(at(20));
  EXPECT_NE(fine.history(), different.history());
}

TEST(World, the_number_of_changes_is_what_the_rates_promise) {
  World world(options(100, 50), start);
  world.advance(at(200));
  EXPECT_NEAR(static_cast<double>(world.history().size()), 10'000, 400);  // four deviations
}

TEST(World, history_is_ordered_and_agrees_with_every_page) {
  World world(options(60, 50), start);
  world.advance(at(10));
  EXPECT_TRUE(std::is_sorted(world.history().begin(), world.history().end(),
                             [](const Change& a, const Change& b) { return a.at < b.at; }));
  std::map<PageNumber, std::pair<std::uint64_t, Instant>> seen;
  for (const Change& change : world.history()) {
    ++seen[change.page].first;
    seen[change.page].second = change.at;
    EXPECT_LE(change.at, at(10));
  }
  for (std::uint32_t n = 1; n <= world.size(); ++n) {
    const World::Page& page = world.page(PageNumber{n});
    EXPECT_EQ(page.changes, seen[PageNumber{n}].first);
    EXPECT_EQ(page.changed_at, seen[PageNumber{n}].second);
  }
}

TEST(World, time_that_goes_back_changes_nothing) {
  World world(options(60, 50), start);
  world.advance(at(10));
  const std::size_t before = world.history().size();
  world.advance(at(3));
  EXPECT_EQ(world.history().size(), before);
}

TEST(World, pages_that_never_answer_never_change) {
  World world(options(50, 500), start);
  world.advance(at(20));
  std::map<Role, int> roles;
  for (std::uint32_t n = 1; n <= world.size(); ++n) {
    const World::Page& page = world.page(PageNumber{n});
    ++roles[page.role];
    const bool mute = page.role == Role::broken || page.role == Role::resetting;
    EXPECT_EQ(page.rate == 0, mute) << n;
    EXPECT_EQ(page.changes == 0, mute) << n;
  }
  for (const Role role :
       {Role::slow, Role::moved, Role::flaky, Role::broken, Role::resetting, Role::plain}) {
    EXPECT_GE(roles[role], 1);
  }
}

TEST(World, some_pages_behind_the_busiest_have_noise) {
  const World world(options(300, 45), start);
  EXPECT_EQ(world.noisy(), 27u);
  std::vector<double> rates;
  for (std::uint32_t n = 1; n <= world.size(); ++n) rates.push_back(world.page(PageNumber{n}).rate);
  std::sort(rates.begin(), rates.end(), std::greater<>());
  std::set<NoiseKind> kinds;
  for (std::uint32_t n = 1; n <= world.size(); ++n) {
    const World::Page& page = world.page(PageNumber{n});
    kinds.insert(page.noise);
    if (page.noise == NoiseKind::none) continue;
    EXPECT_LT(page.rate, rates[20]);
    EXPECT_EQ(page.role, Role::plain);
  }
  EXPECT_GE(kinds.size(), 8u);
  EXPECT_EQ(World(options(49, 45), start).noisy(), 0u);
}

TEST(World, a_short_list_has_only_plain_pages) {
  const World world(options(1, 5), start);
  EXPECT_EQ(world.page(PageNumber{1}).role, Role::plain);
  EXPECT_DOUBLE_EQ(world.page(PageNumber{1}).rate, 5);
}

}  // namespace
}  // namespace pollux::demo

#include "pollux/demo/comparison.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace pollux::demo {
namespace {

Instant at(double seconds) {
  return Instant{} + std::chrono::hours(5) + from_seconds(seconds);
}
Change change(std::uint32_t page, double seconds) {
  return {PageNumber{page}, at(seconds)};
}

// The definition, step by step.
std::uint64_t play(const std::vector<Change>& history, std::size_t pages, std::uint64_t polls,
                   Instant start, Instant end) {
  std::vector<std::size_t> seen(pages, 0);
  std::vector<bool> polled(pages, false);
  std::uint64_t found = 0;
  for (std::uint64_t k = 0; k < polls; ++k) {
    const auto own = static_cast<std::uint32_t>(k % pages);
    const double spacing = static_cast<double>((end - start).count()) / static_cast<double>(polls);
    const double now = static_cast<double>(k) * spacing;
    std::size_t changes = 0;
    for (const Change& c : history) {
      changes +=
          c.page == PageNumber{own + 1} && static_cast<double>((c.at - start).count()) <= now;
    }
    found += polled[own] && changes > seen[own];
    polled[own] = true;
    seen[own] = changes;
  }
  return found;
}

TEST(UniformWouldFind, nothing_without_polls_pages_or_time) {
  const std::vector<Change> history{change(1, 1)};
  EXPECT_EQ(uniform_would_find(history, 0, 10, at(0), at(10)), 0u);
  EXPECT_EQ(uniform_would_find(history, 1, 0, at(0), at(10)), 0u);
  EXPECT_EQ(uniform_would_find(history, 1, 10, at(10), at(10)), 0u);
  EXPECT_EQ(uniform_would_find({}, 1, 10, at(0), at(10)), 0u);
}

TEST(UniformWouldFind, the_first_poll_of_a_page_is_its_baseline) {
  // Two pages, polls at 0 (page 1), 1 (page 2), 2 (page 1), 3 (page 2).
  EXPECT_EQ(uniform_would_find(std::vector{change(2, 0.5)}, 2, 4, at(0), at(4)), 0u);
  EXPECT_EQ(uniform_would_find(std::vector{change(2, 1.5)}, 2, 4, at(0), at(4)), 1u);
  EXPECT_EQ(uniform_would_find(std::vector{change(1, -1)}, 2, 4, at(0), at(4)), 0u);
}

TEST(UniformWouldFind, several_changes_between_two_polls_are_one) {
  const std::vector<Change> history{change(1, 0.2), change(1, 0.4), change(1, 1.9), change(1, 2.1)};
  EXPECT_EQ(uniform_would_find(history, 2, 6, at(0), at(6)), 2u);
}

TEST(UniformWouldFind, a_change_at_the_moment_of_a_poll_is_found_by_it) {
  EXPECT_EQ(uniform_would_find(std::vector{change(1, 2)}, 2, 3, at(0), at(3)), 1u);
}

TEST(UniformWouldFind, changes_after_the_last_poll_are_missed) {
  EXPECT_EQ(uniform_would_find(std::vector{change(1, 2.5)}, 2, 4, at(0), at(4)), 0u);
  EXPECT_EQ(uniform_would_find(std::vector{change(1, 99)}, 2, 4, at(0), at(4)), 0u);
}

TEST(UniformWouldFind, fewer_polls_than_pages_find_nothing) {
  EXPECT_EQ(uniform_would_find(std::vector{change(1, 1), change(2, 2)}, 10, 9, at(0), at(9)), 0u);
}

TEST(UniformWouldFind, agrees_with_playing_every_poll) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    WorldOptions options;
    options.pages = 5 + seed;
    options.changes_per_second = 8;
    options.seed = seed;
    World world(options, at(0));
    world.advance(at(30));
    const std::uint64_t polls = 17 * seed + 3;
    EXPECT_EQ(uniform_would_find(world.history(), options.pages, polls, at(0), at(30)),
              play(world.history(), options.pages, polls, at(0), at(30)))
        << "seed " << seed;
  }
}

TEST(Comparison, whether_a_page_changed_within_a_time) {
  const auto at = [](int second) { return Instant(std::chrono::seconds(second)); };
  const std::vector<Change> history = {
      {PageNumber{1}, at(1)}, {PageNumber{2}, at(2)}, {PageNumber{1}, at(5)}};
  EXPECT_TRUE(changed_between(history, PageNumber{2}, at(1), at(2)));
  EXPECT_FALSE(changed_between(history, PageNumber{2}, at(2), at(9))) << "it was seen then";
  EXPECT_FALSE(changed_between(history, PageNumber{1}, at(1), at(4)));
  EXPECT_TRUE(changed_between(history, PageNumber{1}, at(1), at(5)));
  EXPECT_FALSE(changed_between({}, PageNumber{1}, at(0), at(9)));
}

}  // namespace
}  // namespace pollux::demo

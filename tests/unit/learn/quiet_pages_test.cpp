#include "learn/quiet_pages.hpp"

#include "pollux/base/rng.hpp"

#include <gtest/gtest.h>

namespace pollux::learn {
namespace {

constexpr std::uint32_t pages = 512;

// Pages in the order of their slots; the first half is one part of the web, the second another.
// What is said of quiet pages is held against what lively ones show.
class QuietPagesTest : public testing::Test {
 protected:
  QuietPagesTest() {
    for (std::uint32_t slot = 0; slot < pages; ++slot) tree_.add(slot, 1);
  }
  void poll_lively(int polls, double chance) {
    for (int i = 0; i < polls; ++i) quiet_.note(pages, 20, rng_.chance(chance), 0.1, tree_);
  }
  // Sweeps in which every page is predicted to have changed with a chance of one in ten.
  void poll(int sweeps, std::uint32_t first, std::uint32_t end, double chance) {
    for (int sweep = 0; sweep < sweeps; ++sweep)
      for (std::uint32_t slot = first; slot < end; ++slot)
        quiet_.note(slot, 0, rng_.chance(chance), 0.1, tree_);
  }
  PageTree tree_;
  QuietPages quiet_;
  Rng rng_{3};
};

TEST_F(QuietPagesTest, weigh_what_they_weigh_before_anything_is_known) {
  EXPECT_EQ(quiet_.factor(0), 1);
  EXPECT_EQ(quiet_.factor(pages + 5), 1);
}

TEST_F(QuietPagesTest, weigh_less_where_they_hardly_ever_change) {
  poll_lively(5000, 0.1);
  poll(40, 0, pages, 0.0005);
  EXPECT_LT(quiet_.factor(0), 0.5);
  EXPECT_GE(quiet_.factor(0), 0.05) << "who is to change one day must be polled to be found";
}

TEST_F(QuietPagesTest, weigh_what_they_weigh_where_the_prediction_holds) {
  poll(40, 0, pages, 0.1);
  EXPECT_EQ(quiet_.factor(0), 1);
  poll(40, 0, pages, 0.05);
  EXPECT_EQ(quiet_.factor(0), 1) << "half of what was predicted is near enough";
}

TEST_F(QuietPagesTest, of_one_part_weigh_less_than_those_of_another) {
  for (int i = 0; i < 60; ++i) {
    poll_lively(100, 0.1);
    poll(1, 0, pages / 2, 0);
    poll(1, pages / 2, pages, 0.02);
  }
  EXPECT_LT(quiet_.factor(0), 0.9);
  EXPECT_EQ(quiet_.factor(pages - 1), 1);
}

TEST_F(QuietPagesTest, are_not_blamed_for_what_lively_pages_are_predicted_too_lively_by) {
  for (int i = 0; i < 40; ++i) {
    poll_lively(100, 0.005);
    poll(1, 0, pages, 0.005);
  }
  EXPECT_EQ(quiet_.factor(0), 1);
}

TEST_F(QuietPagesTest, that_leave_leave_nothing_to_whoever_has_their_slot_next) {
  poll_lively(5000, 0.1);
  poll(40, 0, pages, 0);
  ASSERT_LT(quiet_.factor(7), 1);
  quiet_.forget(7);
  EXPECT_EQ(quiet_.factor(7), 1);
}

}  // namespace
}  // namespace pollux::learn

#include "learn/coincidences.hpp"

#include <gtest/gtest.h>

namespace pollux::learn {
namespace {

struct Listed {
  explicit Listed(std::uint32_t pages) {
    for (std::uint32_t i = 0; i < pages; ++i) tree.add(i, 1);
  }
  // A change of the page, a second after the last one. Returns when its burst began.
  double change(std::uint32_t page, double since, bool together = false) {
    TreePath path;
    tree.path_of(page, path);
    return coincidences.note(page, path, tree.pages(), since, now += 1,
                             [&](std::uint32_t) { return together; });
  }
  std::uint32_t pages_at(std::uint32_t page, std::uint32_t level) {
    TreePath path;
    tree.path_of(page, path);
    return tree.node(path.node(level)).pages;
  }
  PageTree tree;
  Coincidences coincidences;
  double now = 0;
};

TEST(Coincidences, changes_all_over_the_list_are_chance) {
  Listed list(1024);
  for (std::uint32_t i = 0; i < 200; ++i) {
    list.change(i * 419 % 1024, 0);
    EXPECT_FALSE(list.coincidences.unlikely(list.tree)) << i;
  }
}

TEST(Coincidences, changes_in_one_part_of_the_list_are_none) {
  Listed list(1024);
  for (std::uint32_t i = 0; i < 8; ++i) list.change(i * 419 % 1024, 0);
  std::uint32_t needed = 0;
  std::optional<std::uint32_t> level;
  for (; !level && needed < 8; ++needed) {
    list.change(256 + needed * 37 % 128, 0);
    level = list.coincidences.unlikely(list.tree);
  }
  ASSERT_TRUE(level) << "128 pages of 1024";
  EXPECT_LE(needed, 7U);
  EXPECT_LE(list.pages_at(256, *level), 128U);
}

TEST(Coincidences, a_page_that_changes_again_and_again_is_one) {
  Listed list(1024);
  for (int i = 0; i < 20; ++i) {
    list.change(7, 0);
    EXPECT_FALSE(list.coincidences.unlikely(list.tree));
  }
}

TEST(Coincidences, what_is_tried_in_vain_ends) {
  Listed list(1024);
  int tried = 0;
  for (std::uint32_t i = 0; i < 100; ++i) {
    list.change(i % 16, 0);
    if (!list.coincidences.unlikely(list.tree)) continue;
    list.coincidences.tried();
    ++tried;
  }
  EXPECT_GE(tried, 3);
  EXPECT_LE(tried, 10) << "what a list of a thousand may spend, and what a hundred changes add";
}

TEST(Coincidences, a_page_found_by_the_way_belongs_to_the_burst_of_its_siblings) {
  Listed list(64);
  EXPECT_EQ(list.change(1, 0), 1);
  EXPECT_EQ(list.change(2, 0), 2) << "it is not known that they change together";
  EXPECT_EQ(list.change(3, 0, true), 1);
  EXPECT_EQ(list.change(4, 2.5, true), 4) << "it was polled since: this is news";
}

}  // namespace
}  // namespace pollux::learn

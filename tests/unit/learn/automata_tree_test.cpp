#include "learn/automata_tree.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace pollux::learn {
namespace {

float by_weight(float odds, float left, float right) {
  return left * odds / (left * odds + right);
}

double total_share(const AutomataTree& tree, std::uint32_t slots) {
  double total = 0;
  for (std::uint32_t i = 0; i < slots; ++i) {
    if (tree.weight(i) > 0) total += tree.share(i, by_weight);
  }
  return total;
}

TEST(AutomataTree, with_neutral_automata_shares_are_weights) {
  AutomataTree tree(1);
  for (std::uint32_t i = 0; i < 100; ++i) {
    tree.cover(i);
    tree.set_weight(i, static_cast<float>(i + 1));
  }
  EXPECT_FLOAT_EQ(tree.total(), 5050);
  for (std::uint32_t i = 0; i < 100; ++i) {
    EXPECT_NEAR(tree.share(i, by_weight), (i + 1) / 5050.0, 1e-7);
  }
}

TEST(AutomataTree, growth_on_top_keeps_what_was_there) {
  AutomataTree tree(1);
  tree.cover(0);
  tree.set_weight(0, 3);
  EXPECT_DOUBLE_EQ(tree.share(0, by_weight), 1);
  tree.cover(5000);
  tree.set_weight(5000, 1);
  EXPECT_NEAR(tree.share(0, by_weight), 0.75, 1e-7);
  EXPECT_NEAR(tree.share(5000, by_weight), 0.25, 1e-7);
}

TEST(AutomataTree, every_automaton_on_the_path_moves_and_reports_itself) {
  AutomataTree tree(1);
  for (std::uint32_t i = 0; i < 64; ++i) {
    tree.cover(i);
    tree.set_weight(i, 1);
  }
  int asked = 0;
  tree.update(37, 1, by_weight, [&](float odds, float part, bool is_left) {
    ++asked;
    EXPECT_FLOAT_EQ(part, 0.5F);
    return odds * (is_left ? 2.0F : 0.5F);
  });
  EXPECT_EQ(asked, 6);
  EXPECT_NEAR(tree.share(37, by_weight), std::pow(2.0 / 3, 6), 1e-6);
  EXPECT_NEAR(total_share(tree, 64), 1, 1e-6);

  std::vector<NodeMemory> nodes = tree.take_changed(2);
  EXPECT_EQ(nodes.size(), 2U);
  const std::vector<NodeMemory> rest = tree.take_changed(100);
  EXPECT_EQ(rest.size(), 4U);
  EXPECT_TRUE(tree.take_changed(100).empty());
  nodes.insert(nodes.end(), rest.begin(), rest.end());
  for (const NodeMemory& node : nodes) EXPECT_EQ(node.position, 37U >> node.level);

  AutomataTree other(1);
  for (std::uint32_t i = 0; i < 64; ++i) {
    other.cover(i);
    other.set_weight(i, 1);
  }
  other.restore(nodes);
  for (std::uint32_t i = 0; i < 64; ++i) {
    EXPECT_EQ(tree.share(i, by_weight), other.share(i, by_weight));
  }
}

TEST(AutomataTree, an_automaton_with_an_empty_side_has_nothing_to_decide) {
  AutomataTree tree(1);
  tree.cover(9);
  tree.set_weight(8, 1);
  tree.update(8, 1, by_weight, [](float, float, bool) -> float {
    ADD_FAILURE();
    return 0;
  });
  EXPECT_DOUBLE_EQ(tree.share(8, by_weight), 1);
}

TEST(AutomataTree, nodes_of_a_longer_list_are_ignored_by_a_shorter_one) {
  AutomataTree tree(1);
  tree.cover(7);
  const NodeMemory far[] = {{.level = 9, .position = 0, .value = 2},
                            {.level = 1, .position = 4000, .value = 2},
                            {.level = 0, .position = 0, .value = 2}};
  tree.restore(far);
  SUCCEED();
}

}  // namespace
}  // namespace pollux::learn

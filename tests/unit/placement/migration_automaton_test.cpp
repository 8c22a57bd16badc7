#include "pollux/placement/migration_automaton.hpp"

#include <gtest/gtest.h>

namespace pollux::placement {
namespace {

// Two sites in each of two arms; `first` and `second` are a pair apart, both at the boundary but
// for what `steps` leaves.
struct Apart {
  explicit Apart(Exchange exchange) : rng(1), automaton({2, 4, 3, 1, exchange}, rng) {
    for (second = 1; automaton.arm(second) == automaton.arm(first);) ++second;
    arm = automaton.arm(first);
    other = automaton.arm(second);
  }
  void penalise() { automaton.poll_pair(first, 1, second, 1); }
  int sites_in(std::size_t a) const {
    int count = 0;
    for (std::size_t i = 0; i < 4; ++i) count += automaton.arm(i) == a ? 1 : 0;
    return count;
  }

  Rng rng;
  MigrationAutomaton automaton;
  std::size_t first = 0, second = 0, arm = 0, other = 0;
};

TEST(MigrationAutomaton, action_5_switches_the_pair_and_leaves_it_apart) {
  Apart world(Exchange::action_5);
  for (int i = 0; i < 3; ++i) world.penalise();
  EXPECT_EQ(world.automaton.arm(world.first), world.other);
  EXPECT_EQ(world.automaton.arm(world.second), world.arm);
}

TEST(MigrationAutomaton, the_others_bring_a_pair_together_and_keep_the_sizes) {
  for (const Exchange exchange : {Exchange::classic, Exchange::eager}) {
    Apart world(exchange);
    for (int i = 0; i < 3; ++i) world.penalise();
    EXPECT_EQ(world.automaton.arm(world.first), world.automaton.arm(world.second));
    EXPECT_EQ(world.sites_in(world.arm), 2);
  }
}

TEST(MigrationAutomaton, the_classic_one_waits_for_the_partner_and_the_eager_one_does_not) {
  for (const Exchange exchange : {Exchange::classic, Exchange::eager}) {
    Apart world(exchange);
    for (int i = 0; i < 2; ++i) world.penalise();  // both at the boundary
    std::size_t companion = 0;
    while (companion == world.first || world.automaton.arm(companion) != world.arm) ++companion;
    world.automaton.poll_pair(world.first, 1, companion, 1);  // rewarded: one step inwards
    ASSERT_EQ(world.automaton.depth(world.first), 1u);
    world.penalise();
    const bool together = world.automaton.arm(world.first) == world.automaton.arm(world.second);
    EXPECT_EQ(together, exchange == Exchange::eager);
  }
}

}  // namespace
}  // namespace pollux::placement

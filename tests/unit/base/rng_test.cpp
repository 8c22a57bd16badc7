#include "pollux/base/rng.hpp"

#include <gtest/gtest.h>

namespace pollux {
namespace {

TEST(Rng, a_seed_gives_the_same_sequence_every_time) {
  Rng a(42), b(42), c(43);
  bool differs = false;
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t value = a.next();
    EXPECT_EQ(value, b.next());
    differs |= value != c.next();
  }
  EXPECT_TRUE(differs);
}

TEST(Rng, seed_zero_takes_entropy_from_the_system) {
  Rng a(0), b(0);
  EXPECT_NE(a.next() ^ a.next(), b.next() ^ b.next());
}

TEST(Rng, uniform_lies_in_the_half_open_unit_interval) {
  Rng rng(1);
  double sum = 0;
  for (int i = 0; i < 100000; ++i) {
    const double x = rng.uniform();
    ASSERT_GE(x, 0);
    ASSERT_LT(x, 1);
    sum += x;
  }
  EXPECT_NEAR(sum / 100000, 0.5, 0.01);
}

TEST(Rng, below_reaches_every_value_and_no_other) {
  Rng rng(2);
  int seen[7] = {};
  for (int i = 0; i < 7000; ++i) {
    const std::uint64_t value = rng.below(7);
    ASSERT_LT(value, 7u);
    ++seen[value];
  }
  for (const int count : seen) EXPECT_NEAR(count, 1000, 150);
  EXPECT_EQ(rng.below(1), 0u);
}

TEST(Rng, exponential_has_the_mean_of_its_rate) {
  Rng rng(3);
  double sum = 0;
  for (int i = 0; i < 100000; ++i) sum += rng.exponential(4);
  EXPECT_NEAR(sum / 100000, 0.25, 0.01);
}

TEST(Rng, chance_follows_its_probability) {
  Rng rng(4);
  int hits = 0;
  for (int i = 0; i < 10000; ++i) hits += rng.chance(0.1) ? 1 : 0;
  EXPECT_NEAR(hits, 1000, 150);
  EXPECT_FALSE(rng.chance(0));
  EXPECT_TRUE(rng.chance(1));
}

}  // namespace
}  // namespace pollux

#include "pollux/learn/importance.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace pollux::learn {
namespace {

TEST(Importance, the_inverse_undoes_the_marginal_value) {
  for (const double y : {1e-3, 0.05, 0.5, 1.0, 3.6, 12.0, 25.0}) {
    EXPECT_NEAR(inverse_marginal_value(marginal_value(y)) / y, 1, 1e-3) << y;
  }
}

TEST(Importance, a_page_not_worth_a_poll_keeps_a_sliver) {
  EXPECT_TRUE(std::isfinite(inverse_marginal_value(1)));
  EXPECT_TRUE(std::isfinite(inverse_marginal_value(7)));
}

TEST(Importance, the_multiplier_makes_the_shares_fill_the_budget) {
  ImportanceHistogram list;
  list.add(1, 0.7);
  list.add(4, 0.2);
  const double mu = list.solve(0.5);
  const double spent = 0.7 / inverse_marginal_value(mu) + 0.2 / inverse_marginal_value(mu / 4);
  EXPECT_NEAR(spent, 0.5, 0.002);
}

}  // namespace
}  // namespace pollux::learn

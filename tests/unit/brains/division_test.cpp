#include "brains/division.hpp"

#include <cmath>
#include <functional>
#include <numeric>

#include <gtest/gtest.h>

namespace pollux::brains {
namespace {

// n pages of one rate that find n·x(1 − e^(−rate/x)), x polls per second each.
struct World {
  double pages, rate;
  double found(double budget) const {
    const double x = budget / pages;
    return x > 0 ? budget * -std::expm1(-rate / x) : 0;
  }
  double marginal(double budget) const {
    const double y = rate * pages / std::max(budget, 1e-9);
    return 1 - (1 + y) * std::exp(-y);
  }
};

struct Divided {
  double found = 0, best = 0;
  std::vector<double> parts;
};

Divided divide_among(const std::vector<World>& worlds, double budget, int steps) {
  Division division;
  std::vector<double> given(worlds.size(), 0);
  for (int step = 0; step < steps; ++step) {
    for (std::size_t i = 0; i < worlds.size(); ++i) {
      division.set("b" + std::to_string(i), worlds[i].marginal(given[i]),
                   static_cast<std::uint64_t>(worlds[i].pages));
    }
    division.step();
    for (std::size_t i = 0; i < worlds.size(); ++i) {
      given[i] = budget * division.part("b" + std::to_string(i));
    }
  }
  Divided result;
  // The best: budgets in the ratio of all that changes, as pages of one rate each.
  double changing = 0;
  for (const World& world : worlds) changing += world.pages * world.rate;
  for (std::size_t i = 0; i < worlds.size(); ++i) {
    result.parts.push_back(given[i] / budget);
    result.found += worlds[i].found(given[i]);
    result.best += worlds[i].found(budget * worlds[i].pages * worlds[i].rate / changing);
  }
  return result;
}

TEST(Division, begins_with_each_ones_part_of_the_pages) {
  Division division;
  division.set("a", 0, 1000);
  division.set("b", 0, 3000);
  EXPECT_NEAR(division.part("a"), 0.25, 0.01);
  EXPECT_NEAR(division.part("b"), 0.75, 0.01);
  EXPECT_EQ(division.part("nobody"), 0);
}

TEST(Division, comes_to_rest_where_the_parts_together_find_most) {
  const auto result =
      divide_among({{1000, 0.001}, {1000, 0.01}, {4000, 0.002}, {500, 0.05}}, 30, 1200);
  EXPECT_GE(result.found, 0.99 * result.best);
  EXPECT_NEAR(std::accumulate(result.parts.begin(), result.parts.end(), 0.0), 1, 1e-6);
}

TEST(Division, of_equal_brains_is_equal_whatever_their_number) {
  for (const int brains : {1, 2, 3, 7, 20}) {
    const auto result =
        divide_among(std::vector<World>(static_cast<std::size_t>(brains), {1000, 0.01}), 10, 300);
    for (const double part : result.parts) EXPECT_NEAR(part * brains, 1, 0.02) << brains;
  }
}

TEST(Division, forgets_nobody) {
  const auto result = divide_among({{1000, 0.1}, {1000, 1e-9}}, 10, 5000);
  EXPECT_NEAR(result.parts[1], Division::least_part / 2, 0.002);
}

TEST(Division, follows_brains_that_come_and_go) {
  Division division;
  for (const char* name : {"a", "b", "c"}) division.set(name, 0.5, 100);
  division.step();
  division.remove("b");
  EXPECT_EQ(division.part("b"), 0);
  EXPECT_NEAR(division.part("a") + division.part("c"), 1, 1e-6);
  division.set("d", 0.5, 100);
  division.set("e", std::nan(""), 100);
  division.step();
  double sum = 0;
  for (const std::string& name : division.names()) sum += division.part(name);
  EXPECT_NEAR(sum, 1, 1e-6);
  EXPECT_EQ(division.size(), 4u);
}

}  // namespace
}  // namespace pollux::brains

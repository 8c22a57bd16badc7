#include "learn/likeness.hpp"

#include "pollux/base/rng.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace pollux::learn {
namespace {

// Pages polled in turn, a poll a second, each at its own rate.
class PolledList {
 public:
  explicit PolledList(std::vector<double> changes_per_sweep)
      : rates_(std::move(changes_per_sweep)), sums_(rates_.size()), last_(rates_.size(), 0) {}

  void set_rates(std::vector<double> rates) { rates_ = std::move(rates); }
  void poll(double sweeps) {
    const auto count = static_cast<double>(rates_.size());
    for (const double until = now_ + sweeps * count; now_ < until; now_ += 1) {
      const auto page = static_cast<std::size_t>(rng_.below(rates_.size()));
      const double elapsed = now_ + 1 - last_[page];
      const bool changed = rng_.chance(-std::expm1(-rates_[page] * elapsed / count));
      likeness.note(sums_[page], changed, elapsed, count, rates_.size());
      sums_[page].observe(changed, elapsed, 0.99F);
      last_[page] = now_ + 1;
    }
  }
  double pages() const { return static_cast<double>(rates_.size()); }

  Likeness likeness;

 private:
  std::vector<double> rates_;
  std::vector<RateSums> sums_;
  std::vector<double> last_;
  double now_ = 0;
  Rng rng_{7};
};

// Log-uniform over three orders of magnitude.
std::vector<double> spread(std::size_t pages) {
  std::vector<double> rates;
  for (std::size_t i = 0; i < pages; ++i)
    rates.push_back(0.01 * std::pow(1000, static_cast<double>(i) / static_cast<double>(pages)));
  return rates;
}

TEST(Likeness, a_list_is_taken_for_different_before_it_is_known) {
  const Likeness fresh;
  EXPECT_FALSE(fresh.alike());
  EXPECT_EQ(fresh.prior(30).mean, 0);
  EXPECT_EQ(fresh.prior(30).time, 30);
}

TEST(Likeness, pages_of_one_rate_are_known_by_it_within_two_sweeps) {
  for (const double rate : {0.3, 1.0, 3.0}) {
    PolledList list(std::vector<double>(1000, rate));
    list.poll(2);
    ASSERT_TRUE(list.likeness.alike()) << rate;
    EXPECT_NEAR(list.likeness.prior(1000).mean * list.pages(), rate, 0.2 * rate);
    EXPECT_EQ(list.likeness.prior(1000).hits, 50);
  }
}

TEST(Likeness, pages_whose_rates_are_spread_stay_different) {
  PolledList list(spread(1000));
  for (int i = 0; i < 40; ++i) {
    list.poll(1);
    ASSERT_FALSE(list.likeness.alike()) << i;
  }
}

TEST(Likeness, a_list_that_is_alike_no_more_is_noticed) {
  PolledList list(std::vector<double>(500, 1.0));
  list.poll(30);
  ASSERT_TRUE(list.likeness.alike());
  list.set_rates(spread(500));
  list.poll(30);
  EXPECT_FALSE(list.likeness.alike());
}

}  // namespace
}  // namespace pollux::learn

// A burst makes the copies of its siblings outdated, too: looks help under every objective, with
// age models and without.
#include "pollux/lab/watch.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace pollux::lab {
namespace {

// Sites of equal size, half of which are deployed anew now and then; every page changes by itself
// besides. It knows which copies are outdated and since when.
class OutdatedSites final : public World {
 public:
  static constexpr std::size_t sites = 8, pages_each = 24;
  // Bursts of a site and a page's own changes, on the average so many seconds apart. A poll takes
  // one second.
  OutdatedSites(double burst_every, double own_every, std::uint64_t seed)
      : burst_every_(burst_every), own_every_(own_every), rng_(seed) {
    since_.assign(pages(), fresh);
    for (std::size_t i = 0; i < sites; ++i)
      bursts_.push_back(i % 2 == 0 && burst_every > 0 ? rng_.exponential(1 / burst_every) : 1e300);
    for (std::size_t i = 0; i < pages(); ++i) own_.push_back(rng_.exponential(1 / own_every));
  }
  std::size_t pages() const override { return sites * pages_each; }
  double rate(std::uint32_t) const override { return 1 / own_every_; }
  bool advance(double now) override {
    for (std::size_t i = 0; i < sites; ++i) {
      if (bursts_[i] > now) continue;
      for (std::size_t p = i * pages_each; p < (i + 1) * pages_each; ++p) outdate(p, now);
      bursts_[i] = now + rng_.exponential(1 / burst_every_);
    }
    for (std::size_t p = 0; p < pages(); ++p) {
      if (own_[p] <= now) {
        outdate(p, now);
        own_[p] = now + rng_.exponential(1 / own_every_);
      }
    }
    return false;
  }
  bool poll(std::uint32_t page, double) override {
    const bool changed = since_[page] != fresh;
    since_[page] = fresh;
    return changed;
  }
  double outdated() const {
    double count = 0;
    for (const double since : since_) count += since != fresh ? 1 : 0;
    return count;
  }
  double age(double now) const {  // seconds out of date, of all pages
    double sum = 0;
    for (const double since : since_) sum += since != fresh ? now - since : 0;
    return sum;
  }

 private:
  static constexpr double fresh = -1;
  void outdate(std::size_t page, double now) {
    if (since_[page] == fresh) since_[page] = now;
  }
  double burst_every_, own_every_;
  Rng rng_;
  std::vector<double> bursts_, own_, since_;
};

struct Cost {
  double outdated = 0, age = 0;  // means over pages and time
  std::size_t looks = 0;
};

Cost watch_sites(learn::Objective objective, bool age_model, bool looks, double burst_every,
                 std::uint64_t seed) {
  OutdatedSites world(burst_every, 8'000, seed);
  Watch watch(
      world,
      {.seed = seed, .objective = objective, .age_model = age_model, .parts = {.looks = looks}});
  Cost cost;
  constexpr int polls = 48'000, counted_from = 12'000;
  for (int i = 0; i < polls; ++i) {
    const Watch::Poll poll = watch.step();
    if (i < counted_from) continue;
    cost.outdated += world.outdated();
    cost.age += world.age(poll.now);
    cost.looks += poll.look ? 1 : 0;
  }
  const double counted = (polls - counted_from) * static_cast<double>(world.pages());
  cost.outdated /= counted;
  cost.age /= counted;
  return cost;
}

struct Case {
  learn::Objective objective;
  bool age_model;
  // What this objective is about.
  double of(const Cost& cost) const {
    return objective == learn::Objective::age ? cost.age : cost.outdated;
  }
};

class BurstObjectives : public testing::TestWithParam<Case> {};

TEST_P(BurstObjectives, looks_find_bursts_and_copies_are_outdated_less) {
  double with = 0, without = 0;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const Cost looked = watch_sites(GetParam().objective, GetParam().age_model, true, 4'000, seed);
    EXPECT_GT(looked.looks, 100U);
    with += GetParam().of(looked);
    without +=
        GetParam().of(watch_sites(GetParam().objective, GetParam().age_model, false, 4'000, seed));
  }
  RecordProperty("ratio", std::to_string(with / without));
  EXPECT_LT(with / without, 0.9);
}

TEST_P(BurstObjectives, where_there_are_no_bursts_looks_do_no_harm) {
  double with = 0, without = 0;
  // One seed differs from the next by .05; the mean of sixteen is good to .012.
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    with += GetParam().of(watch_sites(GetParam().objective, GetParam().age_model, true, 0, seed));
    without +=
        GetParam().of(watch_sites(GetParam().objective, GetParam().age_model, false, 0, seed));
  }
  RecordProperty("ratio", std::to_string(with / without));
  EXPECT_LT(with / without, 1.03);
}

INSTANTIATE_TEST_SUITE_P(Every, BurstObjectives,
                         testing::Values(Case{learn::Objective::changes, false},
                                         Case{learn::Objective::freshness, true},
                                         Case{learn::Objective::freshness, false},
                                         Case{learn::Objective::age, true},
                                         Case{learn::Objective::age, false}),
                         [](const auto& tested) {
                           return std::string(name_of(tested.param.objective)) +
                                  (tested.param.age_model ? "_with_ages" : "");
                         });

}  // namespace
}  // namespace pollux::lab

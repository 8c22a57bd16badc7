#include "learn/age_model.hpp"

#include "pollux/base/rng.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace pollux::learn {
namespace {

constexpr PageSlot page{0};
constexpr double hour = 3600;

// Polls a page whose changes come after `lifetime()`, every `every` seconds give or take a half.
template <typename Lifetime>
double watch(AgeModel& model, Lifetime lifetime, double rate, double every, int polls, Rng& rng,
             bool tells = false) {
  double now = 0, polled = 0, changed = 0, next = lifetime();
  for (int i = 0; i < polls; ++i) {
    now += every * (0.5 + rng.uniform());
    const bool hit = next <= now;
    while (next <= now) {
      changed = next;
      next += lifetime();
    }
    Observation seen{.changed = hit, .elapsed = now - polled, .now = now};
    if (tells) seen.modified_ago = now - changed;
    model.feed(page, seen, rate);
    polled = now;
  }
  return now - changed;
}

TEST(AgeCurve, edges_and_steps_agree) {
  for (int step = 0; step < age_grid::last; ++step) {
    EXPECT_EQ(age_grid::step_of(age_grid::edge(step) * 1.01), step);
  }
  EXPECT_EQ(age_grid::step_of(0), 0);
  EXPECT_EQ(age_grid::step_of(1e12), age_grid::last - 1);
}

// The age at which the cumulative hazard is this.
double age_at(const Hazard& hazard, double cumulative) {
  std::size_t at = curve_steps - 1;
  while (at > 0 && hazard.cumulative(hazard.begin(at)) > cumulative) --at;
  return hazard.begin(at) + (cumulative - hazard.cumulative(hazard.begin(at))) / hazard.rate(at);
}

TEST(AgeCurve, cumulative_hazard_is_the_integral_and_its_inverse_inverts) {
  std::array<double, curve_steps> rates{};
  for (std::size_t i = 0; i < rates.size(); ++i) rates[i] = 1e-4 * static_cast<double>(1 + i % 3);
  const Hazard hazard(30, rates);
  double sum = 0, age = 0;
  for (const double to : {10.0, 300.0, 5000.0, 20000.0, 90000.0}) {
    for (; age < to; age += 1) sum += hazard.rate_at(age + 0.5);
    EXPECT_NEAR(hazard.cumulative(to), sum, 1e-3 * sum);
    EXPECT_NEAR(age_at(hazard, hazard.cumulative(to)), to, 1e-6 * to);
  }
}

TEST(AgeCurve, a_window_that_moves_keeps_what_was_seen) {
  AgeCounts counts;
  counts.follow(1 / hour);
  counts.changes[12] = 5;
  counts.seconds[12] = 700;
  EXPECT_FALSE(counts.follow(1.2 / hour));  // a wobble
  EXPECT_TRUE(counts.follow(1 / (8 * hour)));
  float changes = 0, seconds = 0;
  for (std::size_t i = 0; i < curve_steps; ++i) {
    changes += counts.changes[i];
    seconds += counts.seconds[i];
  }
  EXPECT_EQ(changes, 5);
  EXPECT_EQ(seconds, 700);
}

TEST(AgeModel, without_a_change_seen_a_page_is_memoryless) {
  AgeModel model;
  model.add(page, {});
  model.feed(page, {.changed = false, .elapsed = hour, .now = hour}, 1 / hour);
  const AgeForecast forecast = model.forecast(page, 1 / hour);
  EXPECT_EQ(model.trust(page), 0);
  EXPECT_NEAR(forecast.outdated(hour), 1 - std::exp(-1.0), 1e-12);
  EXPECT_NEAR(forecast.time_outdated(hour), hour * std::exp(-1.0), 1e-6 * hour);
  EXPECT_NEAR(forecast.wait_for(0.5, 1e9), hour * std::log(2.0), 1e-6 * hour);
  EXPECT_NEAR(forecast.outdated_after_poll(5 * hour, hour), 1 - std::exp(-1.0), 1e-12);
}

TEST(AgeModel, a_periodic_page_is_fresh_after_a_change_and_outdated_after_a_period) {
  AgeModel model;
  model.add(page, {});
  Rng rng(3);
  const double age = watch(
      model, [&] { return 24 * hour * (0.98 + 0.04 * rng.uniform()); }, 1 / (24 * hour), 5 * hour,
      400, rng);
  EXPECT_GT(model.trust(page), 0.9);
  const AgeForecast forecast = model.forecast(page, 1 / (24 * hour));
  const double left = 24 * hour - age;
  EXPECT_LT(forecast.outdated(std::max(left - 7 * hour, 0.0)), 0.15);
  EXPECT_GT(forecast.outdated(left + 7 * hour), 0.85);
  EXPECT_NEAR(forecast.wait_for(0.5, 1e9), left, 5 * hour);
}

TEST(AgeModel, a_bursty_page_changes_again_soon_or_not_for_long) {
  AgeModel model;
  model.add(page, {});
  Rng rng(4);
  const auto lifetime = [&] { return rng.exponential(1 / (rng.chance(0.7) ? hour : 80 * hour)); };
  const double rate = 1 / (24.7 * hour);
  watch(model, lifetime, rate, 2 * hour, 3000, rng);
  model.feed(page, {.changed = true, .elapsed = hour / 2, .now = 0}, rate);
  const double young = model.forecast(page, rate).outdated(2 * hour);
  for (int i = 0; i < 30; ++i)
    model.feed(page, {.changed = false, .elapsed = hour, .now = 0}, rate);
  const double old = model.forecast(page, rate).outdated(2 * hour);
  EXPECT_GT(young, 5 * old);
  EXPECT_GT(young, 0.3);
}

TEST(AgeModel, a_memoryless_page_is_treated_as_one) {
  double error = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    AgeModel model;
    model.add(page, {});
    Rng rng(seed);
    watch(
        model, [&] { return rng.exponential(1 / (10 * hour)); }, 1 / (10 * hour), 5 * hour, 200,
        rng);
    const double forecast = model.forecast(page, 1 / (10 * hour)).outdated(5 * hour);
    error += std::abs(forecast - (1 - std::exp(-0.5))) / 20;
  }
  EXPECT_LT(error, 0.05);
}

TEST(AgeModel, a_new_page_is_drawn_to_the_habits_of_the_others) {
  AgeModel model;
  constexpr PageSlot fresh{1};
  model.add(page, {});
  model.add(fresh, {});
  Rng rng(5);
  watch(
      model, [&] { return 24 * hour; }, 1 / (24 * hour), 5 * hour, 2000, rng);
  // Two changes seen; by itself it would be hardly better known than a memoryless page.
  const double rate = 1 / (6 * hour);
  for (int i = 0; i < 9; ++i) {
    model.feed(fresh, {.changed = i % 4 == 0, .elapsed = 1.5 * hour, .now = 0}, rate);
  }
  const AgeForecast after_a_change = model.forecast(fresh, rate);
  EXPECT_LT(after_a_change.outdated(hour), 1 - std::exp(-1.0 / 6));
}

TEST(AgeModel, last_modified_is_trusted_once_it_has_been_right) {
  AgeModel model;
  model.add(page, {});
  Rng rng(6);
  EXPECT_FALSE(model.trusts_last_modified(page));
  const double age = watch(
      model, [&] { return 24 * hour; }, 1 / (24 * hour), 5 * hour, 300, rng, true);
  EXPECT_TRUE(model.trusts_last_modified(page));
  // The age is known to the second, so is the next change (as far as the steps of the curve tell).
  EXPECT_NEAR(model.forecast(page, 1 / (24 * hour)).wait_for(0.5, 1e9), 24 * hour - age, 3 * hour);
}

TEST(AgeModel, a_date_invented_for_every_answer_is_not_trusted) {
  AgeModel model;
  model.add(page, {});
  for (int i = 0; i < 60; ++i) {
    model.feed(page, {.changed = i % 3 == 0, .elapsed = hour, .now = i * hour, .modified_ago = 0.0},
               1 / (3 * hour));
  }
  EXPECT_FALSE(model.trusts_last_modified(page));
}

TEST(AgeModel, a_date_older_than_the_previous_poll_is_not_trusted) {
  AgeModel model;
  model.add(page, {});
  for (int i = 0; i < 60; ++i) {
    model.feed(page, {.changed = true, .elapsed = hour, .now = i * hour, .modified_ago = 30 * hour},
               1 / hour);
  }
  EXPECT_FALSE(model.trusts_last_modified(page));
}

TEST(AgeModel, what_is_remembered_continues_exactly_and_garbage_is_forgotten) {
  AgeModel model;
  model.add(page, {});
  EXPECT_TRUE(model.memory(page).empty());
  Rng rng(8);
  watch(
      model, [&] { return 24 * hour; }, 1 / (24 * hour), 5 * hour, 100, rng);
  AgeModel resumed;
  resumed.add(page, model.memory(page));
  const std::vector<double> pool = model.pool();
  for (std::size_t i = 0; i < pool.size(); ++i) resumed.set_pool(i, pool[i]);
  const double rate = 1 / (24 * hour);
  EXPECT_EQ(model.forecast(page, rate).outdated(9 * hour),
            resumed.forecast(page, rate).outdated(9 * hour));

  std::string garbage = model.memory(page);
  for (char& byte : garbage) byte = static_cast<char>(0xff);
  AgeModel fresh;
  fresh.add(page, garbage);
  EXPECT_EQ(fresh.trust(page), 0);
  fresh.add(page, "short");
  EXPECT_TRUE(std::isfinite(fresh.forecast(page, rate).outdated(hour)));
}

}  // namespace
}  // namespace pollux::learn

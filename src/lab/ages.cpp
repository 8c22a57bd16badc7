#include "pollux/lab/ages.hpp"

#include "pollux/lab/delays.hpp"
#include "pollux/lab/watch.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pollux::lab {

namespace {

constexpr double jitter = 0.05;
constexpr double short_part = 0.7, short_mean = 0.05;
constexpr double long_mean = (1 - short_part * short_mean) / (1 - short_part);

double normal(Rng& rng) {
  return std::sqrt(-2 * std::log1p(-rng.uniform())) *
         std::cos(2 * std::numbers::pi * rng.uniform());
}

}  // namespace

AgesWorld::AgesWorld(const AgesOptions& options)
    : rng_(options.seed * 0x9e3779b97f4a7c15ull + 2), response_(options.response) {
  const double sweep = options.seconds_per_poll * static_cast<double>(options.pages);
  for (std::size_t i = 0; i < options.pages; ++i) {
    Page page{.habit = options.habits[i % options.habits.size()],
              .tells = rng_.chance(options.last_modified),
              .mean = sweep * std::exp2(5 * rng_.uniform() - 2),
              .last = 0,
              .next = 0};
    // Started long ago, so that the first poll comes at any moment of a life.
    page.last = -50 * page.mean * (1 + rng_.uniform());
    page.next = page.last + lifetime(page);
    while (page.next <= 0) {
      page.last = page.next;
      page.next += lifetime(page);
    }
    pages_.push_back(page);
  }
}

double AgesWorld::lifetime(const Page& page) {
  switch (page.habit) {
    case Habit::periodic:
      return page.mean * std::max(1 + jitter * normal(rng_), 0.1);
    case Habit::bursty:
      return rng_.exponential(1 / (page.mean * (rng_.chance(short_part) ? short_mean : long_mean)));
    case Habit::two_stage:
      return rng_.exponential(1 / (page.mean * (1 - response_))) +
             rng_.exponential(1 / (page.mean * response_));
    case Habit::memoryless:
      break;
  }
  return rng_.exponential(1 / page.mean);
}

bool AgesWorld::poll(std::uint32_t slot, double now) {
  Page& page = pages_[slot];
  if (page.next > now) return false;
  while (page.next <= now) {
    page.last = page.next;
    page.next += lifetime(page);
  }
  return true;
}

std::optional<double> AgesWorld::modified_ago(std::uint32_t page, double now) const {
  if (!pages_[page].tells) return std::nullopt;
  return now - pages_[page].last;
}

AgesResult run_ages(const AgesRun& run) {
  AgesWorld world(run.world);
  Watch watch(world, {.policy = run.policy,
                      .seed = run.world.seed,
                      .seconds_per_poll = run.world.seconds_per_poll,
                      .objective = run.objective,
                      .age_model = run.age_model,
                      .papers = run.papers});
  const auto count = static_cast<double>(world.pages());
  const auto polls = static_cast<std::uint64_t>(run.sweeps * count);
  const auto counted_from = static_cast<std::uint64_t>(run.warm_up * run.sweeps * count);
  const double start = static_cast<double>(counted_from) * run.world.seconds_per_poll;

  AgesResult result;
  double outdated = 0, age = 0, found = 0;
  // A copy out of date since `since` was polled, or the experiment ended, at `now`.
  const auto settle = [&](double since, double now) {
    const double from = std::max(since, start);
    if (now <= from) return;
    outdated += now - from;
    age += ((now - since) * (now - since) - (from - since) * (from - since)) / 2;
  };
  Delays delays;
  std::vector<double> unseen(world.pages());
  for (std::uint32_t page = 0; page < unseen.size(); ++page)
    unseen[page] = world.first_unseen(page);
  double now = 0;
  for (std::uint64_t t = 1; t <= polls; ++t) {
    const Watch::Poll poll = watch.step();
    now = poll.now;
    if (poll.changed) settle(unseen[poll.page], now);
    if (poll.changed && t > counted_from) delays.add(now - unseen[poll.page]);
    unseen[poll.page] = world.first_unseen(poll.page);
    if (t > counted_from) {
      ++result.polls;
      found += poll.changed ? 1 : 0;
    }
  }
  for (const double since : unseen) settle(since, now);
  result.outdated = outdated / (count * (now - start));
  result.age_s = age / (count * (now - start));
  result.median_delay_s = delays.median();
  result.mean_delay_s = delays.mean();
  result.found = found / static_cast<double>(result.polls);
  return result;
}

}  // namespace pollux::lab

#include "pollux/lab/bursts.hpp"

#include "pollux/lab/delays.hpp"
#include "pollux/lab/watch.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>

namespace pollux::lab {
namespace {

constexpr double never_burst = 1e300;

}  // namespace

BurstWorld::BurstWorld(const BurstOptions& options)
    : options_(options),
      rng_(options.seed * 0x9e3779b97f4a7c15ULL + 7),
      moments_(options.seed * 0x9e3779b97f4a7c15ULL + 11) {
  const std::size_t n = options.sites * options.pages_per_site;
  const auto sweep = static_cast<double>(n);
  last_.assign(n, 0);
  burst_at_.assign(n, never_burst);
  page_at_.resize(n);
  std::iota(page_at_.begin(), page_at_.end(), 0U);
  if (options.shuffled) {
    for (std::size_t i = n; i > 1; --i) std::swap(page_at_[i - 1], page_at_[rng_.below(i)]);
  }
  const double spread = std::log(options.own_high / options.own_low);
  for (std::size_t i = 0; i < n; ++i) {
    own_rate_.push_back(options.own_low * std::exp(spread * rng_.uniform()) / sweep);
  }
  for (std::size_t i = 0; i < options.sites; ++i) {
    Site site{.next = never_burst, .whole = i % 3 == 0};
    if (i % 3 != 2 && options.sweeps_between > 0)
      site.next = rng_.exponential(1 / (options.sweeps_between * sweep));
    sites_.push_back(site);
  }
}

bool BurstWorld::advance(double now) {
  const auto sweep = static_cast<double>(pages());
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    Site& site = sites_[i];
    if (site.next > now) continue;
    site.next = now + rng_.exponential(1 / (options_.sweeps_between * sweep));
    std::size_t first = i * options_.pages_per_site, count = options_.pages_per_site;
    if (!site.whole) {
      count /= options_.directories;
      first += count * rng_.below(options_.directories);
    }
    for (std::size_t k = first; k < first + count; ++k) {
      double& at = burst_at_[page_at_[k]];
      at = std::min(at, now);
      burst_.push_back(page_at_[k]);
    }
  }
  return false;
}

bool BurstWorld::poll(std::uint32_t page, double now) {
  const double hazard = own_rate_[page] * (now - last_[page]);
  const bool own = rng_.chance(-std::expm1(-hazard));
  double first = burst_at_[page];
  if (own) {
    const double after = -std::log1p(moments_.uniform() * std::expm1(-hazard));
    first = std::min(first, last_[page] + after / own_rate_[page]);
  }
  delay_ = now - first;
  last_[page] = now;
  burst_at_[page] = never_burst;
  return first < never_burst;
}

namespace {

void learn_bursts(const BurstRun& run, BurstResult& result) {
  BurstWorld world(run.world);
  WatchOptions options{.seed = run.world.seed, .parts = run.parts};
  if (run.explore >= 0) options.explore = run.explore;
  Watch watch(world, options);
  const auto polls = static_cast<std::uint64_t>(run.sweeps * static_cast<double>(world.pages()));
  Delays delays;
  std::uint64_t looked = 0;
  for (std::uint64_t t = 0; t < polls; ++t) {
    const Watch::Poll poll = watch.step();
    if (t < polls / 2) continue;
    if (poll.changed) delays.add(world.delay());
    looked += poll.look ? 1 : 0;
  }
  const auto counted = static_cast<double>(polls - polls / 2);
  result.looks = static_cast<double>(looked) / counted;
  result.found = static_cast<double>(delays.count()) / counted;
  result.median_delay = delays.median() / static_cast<double>(world.pages());
}

// Pages of a burst are polled as soon as it is known; all other polls go by the true own rates.
double oracle(const BurstRun& run) {
  BurstWorld world(run.world);
  Watch watch(world, {.policy = "optimal", .seed = run.world.seed, .explore = 0});
  const auto polls = static_cast<std::uint64_t>(run.sweeps * static_cast<double>(world.pages()));
  std::deque<std::uint32_t> waiting;
  std::uint64_t found = 0;
  for (std::uint64_t t = 0; t < polls; ++t) {
    const auto now = static_cast<double>(t + 1);
    bool changed = false;
    if (waiting.empty()) {
      changed = watch.step_at(now).changed;
    } else {
      world.advance(now);
      changed = world.poll(waiting.front(), now);
      waiting.pop_front();
    }
    for (const std::uint32_t page : world.take_burst()) waiting.push_back(page);
    if (t >= polls / 2) found += changed ? 1 : 0;
  }
  return static_cast<double>(found) / static_cast<double>(polls - polls / 2);
}

}  // namespace

BurstResult run_bursts(const BurstRun& run) {
  BurstResult result;
  learn_bursts(run, result);
  result.oracle = oracle(run);
  return result;
}

}  // namespace pollux::lab

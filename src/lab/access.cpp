#include "pollux/lab/access.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace pollux::lab {
namespace {

// Which arm is perfect for which site, and what polls take.
class Sites {
 public:
  explicit Sites(const AccessWorld& world) : world_(world), rng_(world.seed) {
    perfect_.resize(world.sites);
    for (std::size_t i = 0; i < perfect_.size(); ++i) perfect_[i] = i % world.arms;
    for (std::size_t i = perfect_.size(); i > 1; --i) {
      std::swap(perfect_[i - 1], perfect_[rng_.below(i)]);
    }
    count_kin();
  }
  void begin_round(int round) {
    if (world_.change_every == 0 || round == 0 || round % world_.change_every != 0) return;
    for (std::size_t& arm : perfect_) arm = (arm + 1 + rng_.below(world_.arms - 1)) % world_.arms;
    count_kin();
  }
  double expected(std::size_t site, std::size_t arm) const {
    return arm == perfect_[site] ? 1 : world_.far;
  }
  double measured(std::size_t site, std::size_t arm) {
    return expected(site, arm) * (1 + world_.noise * (2 * rng_.uniform() - 1));
  }
  std::pair<std::size_t, std::size_t> pair() {
    const std::size_t first = rng_.below(perfect_.size());
    const std::vector<std::size_t>& kin = by_arm_[perfect_[first]];
    const bool together = kin.size() > 1 && rng_.chance(world_.kin);
    std::size_t second = first;
    while (second == first) {
      second = together ? kin[rng_.below(kin.size())] : rng_.below(perfect_.size());
    }
    return {first, second};
  }
  std::size_t count() const { return perfect_.size(); }
  Rng& rng() { return rng_; }
  // With equal capacities the perfect arms are all to be had only where each is perfect for an
  // equal number of sites.
  double least(const std::vector<std::uint32_t>& capacities) const {
    std::vector<std::vector<double>> times(count());
    for (std::size_t s = 0; s < count(); ++s) {
      for (std::size_t a = 0; a < world_.arms; ++a) times[s].push_back(expected(s, a));
    }
    const std::vector<std::size_t> best = best_placement(times, capacities);
    double sum = 0;
    for (std::size_t s = 0; s < count(); ++s) sum += times[s][best[s]];
    return sum;
  }

 private:
  void count_kin() {
    by_arm_.assign(world_.arms, {});
    for (std::size_t i = 0; i < perfect_.size(); ++i) by_arm_[perfect_[i]].push_back(i);
  }
  AccessWorld world_;
  Rng rng_;
  std::vector<std::size_t> perfect_;
  std::vector<std::vector<std::size_t>> by_arm_;
};

std::uint32_t equal_share(const AccessWorld& world) {
  return static_cast<std::uint32_t>((world.sites + world.arms - 1) / world.arms);
}

HostSlot slot(std::size_t site) {
  return HostSlot{static_cast<std::uint32_t>(site)};
}

}  // namespace

AccessCurve run_placement(const AccessWorld& world, Capacities capacities, int rounds) {
  Sites sites(world);
  placement::Options options;
  options.capacities.assign(world.arms, capacities == Capacities::none ? 0 : equal_share(world));
  placement::Placement placement(options, Rng(world.seed + 1000));
  for (std::size_t s = 0; s < sites.count(); ++s) placement.add(slot(s));
  AccessCurve curve;
  double least = sites.least(options.capacities);
  for (int round = 0; round < rounds; ++round) {
    sites.begin_round(round);
    if (world.change_every > 0 && round % world.change_every == 0) {
      least = sites.least(options.capacities);
    }
    double taken = 0;
    for (std::size_t s = 0; s < sites.count(); ++s) {
      const std::size_t arm = placement.choose(slot(s));
      taken += sites.expected(s, arm);
      placement.feed(slot(s), arm, sites.measured(s, arm));
    }
    curve.push_back(taken / least);
  }
  return curve;
}

AccessCurve run_published(const AccessWorld& world, const PublishedRules& rules, int rounds) {
  Sites sites(world);
  placement::MigrationAutomaton automaton(
      {world.arms, world.sites, rules.states, rules.jump, rules.exchange}, sites.rng());
  const std::vector<std::uint32_t> capacities(world.arms, equal_share(world));
  AccessCurve curve;
  double least = sites.least(capacities);
  for (int round = 0; round < rounds; ++round) {
    sites.begin_round(round);
    if (world.change_every > 0 && round % world.change_every == 0) least = sites.least(capacities);
    for (std::size_t i = 0; i < sites.count() / 2; ++i) {
      const auto [first, second] = sites.pair();
      const double first_seconds = sites.measured(first, automaton.arm(first));
      const double second_seconds = sites.measured(second, automaton.arm(second));
      automaton.poll_pair(first, first_seconds, second, second_seconds);
    }
    double taken = 0;
    for (std::size_t s = 0; s < sites.count(); ++s) taken += sites.expected(s, automaton.arm(s));
    curve.push_back(taken / least);
  }
  return curve;
}

AccessCurve mean(const std::vector<AccessCurve>& curves) {
  AccessCurve sum(curves.front().size());
  for (const AccessCurve& curve : curves) {
    for (std::size_t i = 0; i < sum.size(); ++i) {
      sum[i] += curve[i] / static_cast<double>(curves.size());
    }
  }
  return sum;
}

// Sites come one by one. Each takes the cheapest chain: into an arm, and as long as that is full,
// one of its sites on to another arm. Chains are shortest paths between arms (Bellman and Ford),
// which keeps what is placed optimal at every step.
std::vector<std::size_t> best_placement(const std::vector<std::vector<double>>& times,
                                        const std::vector<std::uint32_t>& capacities) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const std::size_t arms = capacities.size();
  std::vector<std::size_t> placed(times.size(), arms);
  std::vector<std::size_t> used(arms);
  for (std::size_t site = 0; site < times.size(); ++site) {
    // The cheapest site to move from one arm to another.
    std::vector<std::vector<double>> cost(arms, std::vector<double>(arms, infinite));
    std::vector<std::vector<std::size_t>> mover(arms, std::vector<std::size_t>(arms));
    for (std::size_t other = 0; other < site; ++other) {
      const std::size_t from = placed[other];
      for (std::size_t to = 0; to < arms; ++to) {
        const double change = times[other][to] - times[other][from];
        if (to == from || change >= cost[from][to]) continue;
        cost[from][to] = change;
        mover[from][to] = other;
      }
    }
    std::vector<double> distance = times[site];
    std::vector<std::size_t> before(arms, arms);
    for (std::size_t turn = 1; turn < arms; ++turn) {
      for (std::size_t from = 0; from < arms; ++from) {
        for (std::size_t to = 0; to < arms; ++to) {
          if (distance[from] + cost[from][to] >= distance[to] - 1e-12) continue;
          distance[to] = distance[from] + cost[from][to];
          before[to] = from;
        }
      }
    }
    std::size_t end = arms;
    for (std::size_t arm = 0; arm < arms; ++arm) {
      const bool room = capacities[arm] == 0 || used[arm] < capacities[arm];
      if (room && (end == arms || distance[arm] < distance[end])) end = arm;
    }
    ++used[end];
    for (; before[end] != arms; end = before[end]) placed[mover[before[end]][end]] = end;
    placed[site] = end;
  }
  return placed;
}

}  // namespace pollux::lab

#include "learn/htraa.hpp"
#include "learn/papers/estimator.hpp"
#include "learn/papers/exact_edf.hpp"
#include "learn/papers/fixed_partition.hpp"
#include "learn/papers/htraa_published.hpp"
#include "learn/papers/knapsack_game.hpp"
#include "learn/papers/oracles.hpp"
#include "learn/papers/two_step.hpp"
#include "learn/papers/uniform.hpp"
#include "learn/peers/interval_rules.hpp"
#include "learn/timed_policy.hpp"
#include "pollux/learn/policy.hpp"

#include <algorithm>
#include <cmath>

namespace pollux::learn {

namespace {

using Maker = std::unique_ptr<Policy> (*)(const Options&);

template <Feedback feedback>
std::unique_ptr<Policy> published(const Options& options) {
  HtraaPublished::Rules rules{.feedback = feedback};
  if (options.papers.states > 0) rules.states = options.papers.states;
  if (options.papers.doubling) rules.doubling = Doubling::yes;
  rules.choose_in_tree = options.papers.edf == Edf::usual;
  return std::make_unique<HtraaPublished>(rules, options.seed);
}

struct Row {
  PolicyInfo info;
  Maker make;
};

template <Knowledge knowledge>
std::unique_ptr<Policy> oracle(const Options&) {
  return std::make_unique<OraclePolicy>(knowledge);
}

template <const GameRules& rules>
std::unique_ptr<Policy> game(const Options& options) {
  GameRules played = rules;
  if (options.papers.states > 0) played.states = options.papers.states;
  if (options.papers.power > 0 && !played.time_slots) played.power = options.papers.power;
  return std::make_unique<KnapsackGame>(played, options.seed);
}

std::unique_ptr<Policy> partition(const Options& options) {
  const PaperOptions& papers = options.papers;
  FixedPartition::Rules rules{.of = papers.waiting_part_of};
  if (papers.states > 0) rules.states = papers.states;
  if (papers.waiting_part > 0) rules.waiting_part = papers.waiting_part;
  return std::make_unique<FixedPartition>(rules, options.seed);
}

std::unique_ptr<Policy> estimating(const Options& options) {
  const double polls = options.papers.estimation;
  return std::make_unique<Estimator>(polls > 0 ? polls : 10);
}

template <IntervalRule rule>
std::unique_ptr<Policy> crawler(const Options&) {
  return std::make_unique<IntervalPolicy>(rule);
}

template <typename T>
std::unique_ptr<Policy> plain(const Options&) {
  return std::make_unique<T>();
}

template <typename T>
std::unique_ptr<Policy> optioned(const Options& options) {
  return std::make_unique<T>(options);
}

template <TimedRule rule>
std::unique_ptr<Policy> timed(const Options& options) {
  return std::make_unique<TimedPolicy>(rule, options);
}

std::unique_ptr<Policy> htraa(const Options& options) {
  switch (options.objective) {
    case Objective::freshness:
      return timed<TimedRule::freshness>(options);
    case Objective::age:
      return timed<TimedRule::age>(options);
    case Objective::changes:
      break;
  }
  return optioned<Htraa>(options);
}

constexpr Row table[] = {
    {{"htraa", "The default: two-way automata in a tree, informed by rate estimates", false},
     &htraa},
    {{"htraa-rp", "H-TRAA as published, Reward-Penalty, N = 500", false},
     &published<Feedback::reward_penalty>},
    {{"htraa-ri", "H-TRAA as published, Reward-Inaction, N = 500", false},
     &published<Feedback::reward_inaction>},
    {{"htraa-ip", "H-TRAA as published, Inaction-Penalty, N = 500", false},
     &published<Feedback::inaction_penalty>},
    {{"lakg", "Learning Automata Knapsack Game: one automaton per page", false}, &game<lakg_rules>},
    {{"cgla", "Competitive Game of Learning Automata, N = 64", false}, &game<cgla_rules>},
    {{"fpa", "Fixed Partitioning Automaton, N = 16, f = 0.1", false}, &partition},
    {{"estimator", "Uniform for ten polls per page, then proportional to estimates", false},
     &estimating},
    {{"nutch", "Apache Nutch's adaptive intervals", false}, &crawler<IntervalRule::nutch>},
    {{"stormcrawler", "StormCrawler's adaptive intervals", false},
     &crawler<IntervalRule::stormcrawler>},
    {{"greedy-outdated", "The page most probably out of date, by age models", false},
     &timed<TimedRule::greedy_outdated>},
    {{"greedy-age", "The page expected to be out of date longest, by age models", false},
     &timed<TimedRule::greedy_age>},
    {{"two-step", "The plan of the next two days with fewest pages out of date", false},
     &optioned<TwoStep>},
    {{"uniform", "Every page as often as every other", false}, &plain<Uniform>},
    {{"proportional", "Knows how likely each page changes in a step", true},
     &oracle<Knowledge::proportional>},
    {{"weighted-proportional", "The same, times importance", true},
     &oracle<Knowledge::weighted_proportional>},
    {{"optimal", "Knows the rates: the best division if polls were a fluid", true},
     &oracle<Knowledge::optimal>},
};

}  // namespace

std::span<const PolicyInfo> policies() {
  static const std::vector<PolicyInfo> infos = [] {
    std::vector<PolicyInfo> collected;
    for (const Row& row : table) collected.push_back(row.info);
    return collected;
  }();
  return infos;
}

double importance_by_cost(double importance, double seconds, const CostOptions& options) {
  constexpr double usual = 0.2;
  if (!options.by_time || !(seconds > 0)) return importance;
  const double cheaper = std::pow(usual / seconds, 1 - options.bias_removal);
  return importance * std::clamp(cheaper, 1e-3, 1e3);
}

std::unique_ptr<Policy> make_policy(const Options& options) {
  for (const Row& row : table) {
    if (row.info.name != options.policy) continue;
    std::unique_ptr<Policy> policy = row.make(options);
    const bool wanted = options.papers.edf == Edf::exact;
    // Oracles' shares stand still, and whoever plans moments has no deadlines to renew.
    if (wanted && !row.info.oracle && policy->timeline() == Timeline::shared)
      return std::make_unique<ExactEdf>(std::move(policy));
    return policy;
  }
  return nullptr;
}

}  // namespace pollux::learn

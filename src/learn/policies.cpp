#include "learn/htraa.hpp"
#include "learn/htraa_published.hpp"
#include "learn/uniform.hpp"
#include "pollux/learn/policy.hpp"

namespace pollux::learn {

namespace {

using Maker = std::unique_ptr<Policy> (*)(const Options&);

template <Feedback feedback>
std::unique_ptr<Policy> published(const Options& options) {
  return std::make_unique<HtraaPublished>(feedback, options.seed);
}

struct Row {
  PolicyInfo info;
  Maker make;
};

constexpr Row table[] = {
    {{"htraa", "The default: two-way automata in a tree, informed by rate estimates", false},
     [](const Options& o) -> std::unique_ptr<Policy> { return std::make_unique<Htraa>(o.seed); }},
    {{"htraa-rp", "H-TRAA as published, Reward-Penalty, N = 500", false},
     &published<Feedback::reward_penalty>},
    {{"htraa-ri", "H-TRAA as published, Reward-Inaction, N = 500", false},
     &published<Feedback::reward_inaction>},
    {{"htraa-ip", "H-TRAA as published, Inaction-Penalty, N = 500", false},
     &published<Feedback::inaction_penalty>},
    {{"uniform", "Every page as often as every other", false},
     [](const Options&) -> std::unique_ptr<Policy> { return std::make_unique<Uniform>(); }},
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

std::unique_ptr<Policy> make_policy(const Options& options) {
  for (const Row& row : table) {
    if (row.info.name == options.policy) return row.make(options);
  }
  return nullptr;
}

}  // namespace pollux::learn

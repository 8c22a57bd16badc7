#include "pollux/config/plan.hpp"

#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_map>

#include <spdlog/fmt/fmt.h>

namespace pollux::config {
namespace {

constexpr std::size_t most_host_warnings = 5;
constexpr double tolerance = 1.001;  // rounding is no reason to warn

double times_per_second(Duration interval) {
  return interval > Duration::zero() ? 1 / to_seconds(interval)
                                     : std::numeric_limits<double>::infinity();
}

std::string plural(std::size_t count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

// Rates are rounded for people; a budget that is proposed must suffice.
std::string enough(double rate) {
  return format_rate(rate < 10 ? std::ceil(rate * 1000) / 1000 : std::ceil(rate));
}

// "max_interval of 1 d becomes 2 d" in words, when it is the same for all, else the factor.
std::string stretched(const Config& config, double factor) {
  const Duration common = config.settings.front().limits.max_interval;
  const bool same = std::all_of(
      config.settings.begin(), config.settings.end(),
      [&](const PageSettings& settings) { return settings.limits.max_interval == common; });
  if (same) {
    return fmt::format("set max_interval to {} or more",
                       format_duration(from_seconds(to_seconds(common) * factor * 1.01)));
  }
  return fmt::format("make every max_interval {:.2f} times as long", factor * 1.005);
}

void judge_budget(const Config& config, const Plan& plan, std::vector<Warning>& warnings) {
  const double budget = config.schedule.budget;
  if (plan.demanded > budget * tolerance) {
    warnings.push_back({fmt::format(
        "polling all {} within their max_interval takes {}, the budget is {}: raise budget to {}, "
        "or {}",
        plural(config.pages.size(), "page"), format_rate(plan.demanded), format_rate(budget),
        enough(plan.demanded), stretched(config, plan.demanded / budget))});
  }
  if (!std::isinf(budget) && budget > plan.usable * tolerance) {
    double wanted = 0;
    for (const HostPlan& host : plan.hosts) wanted += host.wanted;
    const bool pages_bind = wanted <= plan.usable * tolerance;
    warnings.push_back({fmt::format(
        "the budget of {} cannot be used: {} allow at most {}; {}", format_rate(budget),
        pages_bind ? "the pages' min_intervals" : "hosts.delay and hosts.connections",
        format_rate(plan.usable),
        pages_bind ? "lower min_interval, add pages, or lower the budget"
                   : "lower the delay where the host's owner agrees, add hosts, or lower the "
                     "budget")});
  }
}

void judge_hosts(const Config& config, const Plan& plan, std::vector<Warning>& warnings) {
  std::size_t count = 0;
  for (const HostPlan& host : plan.hosts) {
    if (host.demanded <= host.allowed * tolerance) continue;
    if (++count > most_host_warnings) continue;
    const schedule::Politeness& politeness = config.politeness(host.host);
    warnings.push_back({fmt::format(
        "host {}: {} with their max_interval ask for {}, but a delay of {} and {} allow at most "
        "{}: make their max_interval at least {:.1f} times as long, or set "
        "hosts.overrides for it",
        printable(host.host), plural(host.pages, "page"), format_rate(host.demanded),
        format_duration(politeness.delay),
        plural(static_cast<std::size_t>(politeness.connections), "connection"),
        format_rate(host.allowed), host.demanded / host.allowed + 0.05)});
  }
  if (count > most_host_warnings) {
    warnings.push_back({fmt::format("{} more cannot serve their pages' max_interval",
                                    plural(count - most_host_warnings, "host"))});
  }
}

}  // namespace

Plan make_plan(const Config& config) {
  Plan plan;
  std::unordered_map<std::string_view, std::size_t> index;
  for (const Page& page : config.pages) {
    const auto [at, fresh] = index.try_emplace(page.host, plan.hosts.size());
    if (fresh) plan.hosts.push_back({.host = page.host});
    HostPlan& host = plan.hosts[at->second];
    const schedule::Limits& limits = config.settings[page.settings].limits;
    ++host.pages;
    host.demanded += times_per_second(limits.max_interval);
    host.wanted += times_per_second(limits.min_interval);
  }
  for (HostPlan& host : plan.hosts) {
    const schedule::Politeness& politeness = config.politeness(host.host);
    host.allowed = politeness.connections * times_per_second(politeness.delay);
    plan.demanded += host.demanded;
    plan.usable += std::min(host.wanted, host.allowed);
  }
  std::stable_sort(plan.hosts.begin(), plan.hosts.end(),
                   [](const HostPlan& a, const HostPlan& b) { return a.pages > b.pages; });
  return plan;
}

std::vector<Warning> judge(const Config& config, const Plan& plan) {
  std::vector<Warning> warnings;
  judge_budget(config, plan, warnings);
  judge_hosts(config, plan, warnings);
  return warnings;
}

}  // namespace pollux::config

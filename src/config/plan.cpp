#include "pollux/config/plan.hpp"

#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"
#include "pollux/extract/extract.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
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

// Of a poll, in ordinary requests.
double price_of(const Config& config, const PageSettings& settings) {
  const bool rendered = settings.content < config.contents.size() &&
                        extract::rules_of(*config.contents[settings.content]).render;
  return rendered ? config.render.price : 1;
}

// Before a poll robots.txt is read again if the copy is older than a day (RFC 9309 §2.4).
double robots_rate(const Config& config, const HostPlan& host, double polls) {
  const double daily = times_per_second(std::chrono::hours(24));
  return config.politeness(host.host).obey_robots ? std::min(daily, polls) : 0;
}

// What is needed if every max_interval were so many times as long.
double needed(const Config& config, const Plan& plan, double factor) {
  double rate = 0;
  for (const HostPlan& host : plan.hosts) {
    const double polls = host.demanded / factor;
    rate += polls * host.price + robots_rate(config, host, polls);
  }
  return rate;
}

// By how much max_intervals must grow to fit into the budget. Robots.txt is asked for less often,
// too, but not before it is polls that are rarer than once a day.
double needed_factor(const Config& config, const Plan& plan) {
  const double budget = config.schedule.budget;
  double low = plan.demanded / budget, high = (plan.demanded + plan.robots) / budget;
  while (needed(config, plan, high) > budget) high *= 2;
  low = std::max(low, 1.0);
  while (high > low * 1.0001) {
    const double middle = (low + high) / 2;
    (needed(config, plan, middle) > budget ? low : high) = middle;
  }
  return high;
}

// Rates are rounded for people; a budget that is proposed must suffice.
std::string enough(double rate) {
  rate /= 1.0001;  // but 10.00001 is 10
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
  const double budget = config.schedule.budget, all = plan.demanded + plan.robots;
  if (all > budget * tolerance) {
    // Worth a word where it is no small part.
    const std::string robots = plan.robots > 0.01 * all ? fmt::format(" ({} of it for robots.txt)",
                                                                      format_rate(plan.robots))
                                                        : "";
    warnings.push_back({fmt::format(
        "polling all {} within their max_interval takes {}{}, the budget is {}: raise budget to "
        "{}, or {}",
        count_of(std::ssize(config.pages), "page"), format_rate(all), robots, format_rate(budget),
        enough(all), stretched(config, needed_factor(config, plan)))});
  }
}

void remark_on_budget(const Config& config, const Plan& plan, std::vector<Warning>& notes) {
  const double budget = config.schedule.budget;
  if (!std::isinf(budget) && budget > plan.usable * tolerance) {
    double wanted = 0;
    for (const HostPlan& host : plan.hosts)
      wanted += host.wanted * host.price + robots_rate(config, host, host.wanted);
    const bool pages_bind = wanted <= plan.usable * tolerance;
    notes.push_back(
        {fmt::format("the budget of {} cannot be used up: {} allow at most {}; to use more, {}",
                     format_rate(budget),
                     pages_bind ? "the pages' min_intervals" : "hosts.delay and hosts.connections",
                     format_rate(plan.usable),
                     pages_bind ? "lower min_interval or add pages"
                                : "lower the delay where the host's owner agrees, or add hosts")});
  }
}

void judge_hosts(const Config& config, const Plan& plan, std::vector<Warning>& warnings) {
  std::size_t count = 0;
  for (const HostPlan& host : plan.hosts) {
    const double all = host.demanded + host.robots;
    if (all <= host.allowed * tolerance) continue;
    if (++count > most_host_warnings) continue;
    const schedule::Politeness& politeness = config.politeness(host.host);
    warnings.push_back({fmt::format(
        "host {}: {} with their max_interval ask for {}, but a delay of {} and {} allow at most "
        "{}: make their max_interval at least {:.1f} times as long, or set "
        "hosts.overrides for it",
        printable(host.host), count_of(static_cast<std::int64_t>(host.pages), "page"),
        format_rate(all), format_duration(politeness.delay),
        count_of(politeness.connections, "connection"), format_rate(host.allowed),
        all / host.allowed + 0.05)});
  }
  if (count > most_host_warnings) {
    warnings.push_back(
        {fmt::format("{} more cannot serve their pages' max_interval",
                     count_of(static_cast<std::int64_t>(count - most_host_warnings), "host"))});
  }
}

}  // namespace

Plan make_plan(const Config& config) {
  Plan plan;
  std::unordered_map<std::string_view, std::size_t> index;
  for (const Page& page : config.pages) {
    const auto [at, fresh] = index.try_emplace(page.host, plan.hosts.size());
    if (fresh) plan.hosts.push_back({.host = page.host, .price = 0});
    HostPlan& host = plan.hosts[at->second];
    const schedule::Limits& limits = config.settings[page.settings].limits;
    const double price = price_of(config, config.settings[page.settings]);
    if (price > 1) ++plan.rendered;
    ++host.pages;
    // For the time being the cost of them all.
    host.price += price * times_per_second(limits.max_interval);
    host.demanded += times_per_second(limits.max_interval);
    host.wanted += times_per_second(limits.min_interval);
  }
  for (HostPlan& host : plan.hosts) {
    const schedule::Politeness& politeness = config.politeness(host.host);
    host.allowed = politeness.connections * times_per_second(politeness.delay);
    host.robots = robots_rate(config, host, host.demanded);
    plan.demanded += host.price;
    host.price /= host.demanded;
    plan.robots += host.robots;
    double robots = robots_rate(config, host, host.wanted);
    const double requests = std::min(host.wanted + robots, host.allowed);
    robots = std::min(robots, requests);
    plan.usable += (requests - robots) * host.price + robots;
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

std::vector<Warning> remarks(const Config& config, const Plan& plan) {
  std::vector<Warning> notes;
  remark_on_budget(config, plan, notes);
  return notes;
}

}  // namespace pollux::config

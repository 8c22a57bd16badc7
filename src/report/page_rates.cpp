// What is planned for a page, what was measured of it, and how often it changes.
#include "pollux/report/page.hpp"
#include "pollux/report/text.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <spdlog/fmt/fmt.h>

namespace pollux::report {
namespace {

constexpr double day = 86400;

double seconds_between(WallTime from, WallTime to) {
  return std::chrono::duration<double>(to - from).count();
}

// What its host lets its pages have together, divided by their shares; 0: as much as they want.
double interval_by_host(const store::PageRow& page, const store::HostLoads& loads) {
  const auto load = loads.find(page.spec.host);
  if (load == loads.end() || load->second.delay_ms.value_or(0) <= 0) return 0;
  const double pause =
      static_cast<double>(*load->second.delay_ms + load->second.response_ms.value_or(0)) / 1e3;
  return pause * load->second.share / page.progress.share;
}

// How long a page that fails is left alone; 0: it does not.
double back_off(const store::PageProgress& progress) {
  if (progress.error_streak == 0 || !progress.retry_at || !progress.last_polled_at) return 0;
  return seconds_between(*progress.last_polled_at, *progress.retry_at);
}

// Of the budget; where there is none, of the polls that are made.
std::optional<double> share_at(double seconds, const DaemonFigures& figures) {
  const double all = figures.budget && std::isfinite(*figures.budget)
                         ? *figures.budget
                         : figures.poll_rate.value_or(0);
  if (!(all > 0) || !(seconds > 0)) return std::nullopt;
  return 1 / (seconds * all);
}

}  // namespace

Pace pace_of(const store::PageRow& page, const DaemonFigures& figures,
             const store::HostLoads& loads) {
  Pace pace;
  const double virtual_rate = figures.virtual_rate.value_or(0);
  const double rate = virtual_rate > 0 ? virtual_rate : figures.budget.value_or(0);
  if (page.state != "active" || !(page.progress.share * rate > 0)) return pace;
  const double least = static_cast<double>(page.spec.min_interval_ms) / 1e3;
  const double most = static_cast<double>(page.spec.max_interval_ms) / 1e3 *
                      std::max(1.0, figures.max_interval_stretch.value_or(1));
  pace.wanted = 1 / (page.progress.share * rate);
  pace.seconds = pace.wanted;
  if (const double by_host = interval_by_host(page, loads); *pace.seconds < by_host) {
    pace.seconds = by_host;
    pace.binding = Pace::Limit::host;
  }
  if (most > 0 && *pace.seconds > most) {
    pace.seconds = most;
    pace.binding = Pace::Limit::max_interval;
  }
  if (*pace.seconds < least) {
    pace.seconds = least;
    pace.binding = Pace::Limit::min_interval;
  }
  if (const double rest = back_off(page.progress); *pace.seconds < rest) {
    pace.seconds = rest;
    pace.binding = Pace::Limit::back_off;
  }
  const store::PlanFactor& factor = figures.plan_factor;
  pace.seconds = pace.binding == Pace::Limit::none ? std::max(*pace.seconds / factor.free, least)
                                                   : *pace.seconds / factor.held;
  pace.share = share_at(*pace.seconds, figures);
  if (!pace.share) pace.share = page.progress.share;
  return pace;
}

Measured measured_of(const store::PageRow& page, const DaemonFigures& figures, WallTime now) {
  const store::PageProgress& progress = page.progress;
  Measured measured;
  // What an earlier daemon counted is not what this one does.
  const bool counted = page.state == "active" && progress.measured_since &&
                       progress.last_polled_at && progress.measured_polls > 0 &&
                       *progress.measured_since >= figures.started_at.value_or(WallTime{});
  if (!counted) return measured;
  // Of a daemon that is gone, up to its last sign of life.
  const bool gone = figures.heartbeat_at && now - *figures.heartbeat_at > std::chrono::minutes(1);
  const WallTime until = std::max(gone ? *figures.heartbeat_at : now, *progress.last_polled_at);
  const auto polls = static_cast<double>(progress.measured_polls);
  measured.covered = seconds_between(*progress.measured_since, until);
  // At least as long as it has already waited for its next poll.
  measured.seconds =
      std::max(seconds_between(*progress.measured_since, *progress.last_polled_at) / polls,
               measured.covered / (polls + 1));
  measured.share = share_at(*measured.seconds, figures);
  return measured;
}

ChangeRate change_rate_of(const store::PageRow& page, const Pace& pace, const Measured& measured) {
  const store::PageProgress& progress = page.progress;
  if (!progress.change_rate_per_day) return {};
  if (progress.changes == 0) {
    // Without a change in that time, a page that changed oftener than three times in it would have
    // shown one with 95 %. The policy's own sum forgets, so it bounds less than it might.
    double quiet = progress.slow_miss_time;
    if (!(quiet > 0) && progress.last_confirmed_at)
      quiet = seconds_between(page.added_at, *progress.last_confirmed_at);
    if (!(quiet > 0)) return {};
    return {ChangeRate::Known::at_most, 3 * day / quiet};
  }
  const std::optional<double> every = measured.seconds ? measured.seconds : pace.seconds;
  if (every && *progress.change_rate_per_day > day / *every)
    return {ChangeRate::Known::at_least, day / *every};
  return {ChangeRate::Known::about, *progress.change_rate_per_day};
}

std::string change_rate_text(const ChangeRate& rate) {
  std::string number = rate.per_day < 1000 ? fmt::format("{:.3g}", rate.per_day)
                                           : fmt::format("{:.0f}", rate.per_day);
  switch (rate.known) {
    case ChangeRate::Known::no:
      break;
    case ChangeRate::Known::about:
      return number;
    case ChangeRate::Known::at_most:
      return "< " + number;
    case ChangeRate::Known::at_least:
      return "> " + number;
  }
  return unknown;
}

}  // namespace pollux::report

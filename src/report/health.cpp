#include "pollux/report/health.hpp"

#include <cmath>

namespace pollux::report {
namespace {

// The engine gives a sign of life every few seconds.
constexpr auto silence_that_worries = std::chrono::minutes(1);

}  // namespace

Health health_of(const Holder& holder, const DaemonFigures& figures, WallTime now) {
  Health health;
  health.running = holder.pid.has_value();
  health.pid = holder.pid.value_or(0);
  health.alert = holder.alert;
  health.started_at = figures.started_at;
  health.heartbeat_at = figures.heartbeat_at;
  health.healthy = health.running && health.alert.empty() && health.heartbeat_at &&
                   now - *health.heartbeat_at < silence_that_worries;
  return health;
}

std::optional<double> BudgetUse::part() const {
  if (!(allowed > 0) || !std::isfinite(allowed)) return std::nullopt;
  // Over a few seconds one request more is not above the ceiling: n requests span n - 1 gaps.
  return std::min(1.0, static_cast<double>(requests) / allowed);
}

BudgetUse budget_use(const std::vector<store::MinuteRow>& minutes, const Health& health,
                     std::chrono::minutes last) {
  BudgetUse use;
  if (!health.heartbeat_at) return use;
  const WallTime end = *health.heartbeat_at;
  for (const store::MinuteRow& row : minutes) {
    if (row.minute <= end - last - std::chrono::minutes(1) || row.minute > end) continue;
    use.seconds += row.seconds;
    use.allowed += row.budget * row.seconds;
    use.requests += row.requests;
    use.changes += row.changes;
    use.errors += row.errors;
  }
  return use;
}

}  // namespace pollux::report

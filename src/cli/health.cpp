#include "cli/health.hpp"

#include "pollux/store/reader.hpp"

#include <algorithm>
#include <cmath>

namespace pollux::cli {
namespace {

// The engine gives a sign of life every few seconds.
constexpr auto silence_that_worries = std::chrono::minutes(1);

}  // namespace

Health health_of(const std::string& database, const Meta& meta, WallTime now) {
  Health health;
  const std::optional<std::int64_t> holder = store::daemon_pid(database);
  health.running = holder.has_value();
  health.pid = holder.value_or(0);
  health.started_at = meta_time(meta, "started_at");
  health.heartbeat_at = meta_time(meta, "heartbeat_at");
  health.alert = store::daemon_alert(database);
  health.healthy = health.running && health.alert.empty() && health.heartbeat_at &&
                   now - *health.heartbeat_at < silence_that_worries;
  return health;
}

std::optional<double> BudgetUse::part() const {
  if (!(allowed > 0) || !std::isfinite(allowed)) return std::nullopt;
  return static_cast<double>(requests) / allowed;
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

}  // namespace pollux::cli

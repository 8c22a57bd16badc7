#include "engine/metrics.hpp"

#include <spdlog/fmt/fmt.h>

namespace pollux::engine {

MetaRows budget_rows(double budget, std::optional<double> file_budget) {
  return {{"budget", fmt::format("{}", budget)},
          {"file_budget", file_budget ? fmt::format("{}", *file_budget) : ""}};
}

MetaRows meta_rows(const Metrics& m) {
  MetaRows rows = budget_rows(m.budget, m.file_budget);
  const MetaRows others = {
      {"policy", m.policy},
      {"objective", m.objective},
      {"cost_by", m.cost_by_time ? "time" : "none"},
      {"cost_bias_removal", fmt::format("{}", m.cost_bias_removal)},
      {"loop_stall_p999_ms", std::to_string(m.stall_p999.count())},
      {"loop_stall_longest_ms", std::to_string(m.longest_stall.count())},
      {"explore", fmt::format("{}", m.explore)},
      {"follow", fmt::format("{}", m.follow)},
      {"max_interval_stretch", fmt::format("{:.3f}", m.max_interval_stretch)},
      {"virtual_rate", fmt::format("{:.6g}", m.virtual_rate)},
      {"poll_rate", fmt::format("{:.6g}", m.poll_rate)},
      {"fetches_out", std::to_string(m.fetches_out)},
      {"fetches_allowed", std::to_string(m.fetches_allowed)},
      {"detect_waiting", std::to_string(m.detect_waiting)},
      {"fetch_rate", fmt::format("{:.6g}", m.fetch_rate)},
      {"detect_rate", fmt::format("{:.6g}", m.detect_rate)},
      {"detect_starved_seconds", fmt::format("{:.3f}", m.detect_starved_seconds)},
      {"detect_overflows", std::to_string(m.detect_overflows)}};
  rows.insert(rows.end(), others.begin(), others.end());
  if (m.heartbeat)
    rows.emplace_back("heartbeat_at", std::to_string(m.heartbeat->time_since_epoch().count()));
  return rows;
}

}  // namespace pollux::engine

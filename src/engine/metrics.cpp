#include "engine/metrics.hpp"

#include <spdlog/fmt/fmt.h>

namespace pollux::engine {

namespace {

// It comes from another machine and is to be read by a strict parser.
std::string plain(std::string_view text) {
  std::string kept;
  for (const char c : text) {
    if (c > ' ' && c < 0x7f && c != '"' && c != '\\') kept += c;
  }
  return kept;
}

std::string agents_text(const std::vector<agent::AgentFigures>& agents) {
  std::string text;
  for (const agent::AgentFigures& one : agents) {
    text += fmt::format(
        "{}{{\"name\":\"{}\",\"version\":\"{}\",\"alive\":{},\"renders\":{},\"slots\":{},\"in_"
        "flight\":{},"
        "\"polls\":{},"
        "\"unused\":{},\"lost\":{},\"late\":{},\"faults\":{},\"bytes\":{},\"put_aside\":{},"
        "\"brought\":{},\"not_brought\":{},\"round_trip\":{:.6f},\"seconds\":{:.6f}}}",
        text.empty() ? "" : ",", plain(one.name), plain(one.version), one.alive, one.renders,
        one.slots, one.in_flight, one.polls, one.unused, one.lost, one.late, one.faults, one.bytes,
        one.put_aside, one.brought, one.not_brought, one.round_trip, one.seconds);
  }
  return "[" + text + "]";
}

}  // namespace

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
  if (!m.agents.empty()) rows.emplace_back("agents", agents_text(m.agents));
  if (m.heartbeat)
    rows.emplace_back("heartbeat_at", std::to_string(m.heartbeat->time_since_epoch().count()));
  return rows;
}

}  // namespace pollux::engine

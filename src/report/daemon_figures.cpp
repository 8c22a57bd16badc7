#include "pollux/report/daemon_figures.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>

namespace pollux::report {
namespace {

using Figures = DaemonFigures;

constexpr std::pair<const char*, std::optional<WallTime> Figures::*> times[] = {
    {"started_at", &Figures::started_at},
    {"heartbeat_at", &Figures::heartbeat_at},
    {"last_backup_at", &Figures::last_backup_at},
    {"reloaded_at", &Figures::reloaded_at},
};

constexpr std::pair<const char*, std::string Figures::*> texts[] = {
    {"version", &Figures::version},
    {"config_file", &Figures::config_file},
    {"last_backup", &Figures::last_backup},
    {"policy", &Figures::policy},
    {"objective", &Figures::objective},
    {"cost_by", &Figures::cost_by},
    {"reload_refused", &Figures::reload_refused},
};

constexpr std::pair<const char*, std::optional<double> Figures::*> numbers[] = {
    {"budget", &Figures::budget},
    {"file_budget", &Figures::file_budget},
    {"explore", &Figures::explore},
    {"follow", &Figures::follow},
    {"cost_bias_removal", &Figures::cost_bias_removal},
    {"virtual_rate", &Figures::virtual_rate},
    {"poll_rate", &Figures::poll_rate},
    {"max_interval_stretch", &Figures::max_interval_stretch},
    {"loop_stall_p999_ms", &Figures::loop_stall_p999_ms},
    {"loop_stall_longest_ms", &Figures::loop_stall_longest_ms},
    {"fetches_out", &Figures::fetches_out},
    {"fetches_allowed", &Figures::fetches_allowed},
    {"detect_waiting", &Figures::detect_waiting},
    {"fetch_rate", &Figures::fetch_rate},
    {"detect_rate", &Figures::detect_rate},
    {"detect_starved_seconds", &Figures::detect_starved_seconds},
    {"detect_overflows", &Figures::detect_overflows},
};

std::optional<double> number_in(const std::string& text) {
  double number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || problem != std::errc{} || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return number;
}

std::optional<WallTime> time_in(const std::string& text) {
  const std::optional<double> ms = number_in(text);
  if (!ms || !(std::abs(*ms) < 1e15)) return std::nullopt;
  return WallTime(std::chrono::milliseconds(static_cast<std::int64_t>(*ms)));
}

}  // namespace

DaemonFigures figures_of(const std::map<std::string, std::string>& meta) {
  DaemonFigures figures;
  const auto text_of = [&](const char* key) {
    const auto found = meta.find(key);
    return found == meta.end() ? std::string() : found->second;
  };
  for (const auto& [key, member] : times) figures.*member = time_in(text_of(key));
  for (const auto& [key, member] : texts) figures.*member = text_of(key);
  for (const auto& [key, member] : numbers) figures.*member = number_in(text_of(key));
  return figures;
}

}  // namespace pollux::report

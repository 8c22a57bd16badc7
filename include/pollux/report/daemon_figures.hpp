// What a daemon says of itself. It leaves it in the meta table, under the members' names.
#pragma once

#include "pollux/base/time.hpp"
#include "pollux/store/views.hpp"

#include <map>
#include <optional>
#include <string>

namespace pollux::report {

struct DaemonFigures {
  std::optional<WallTime> started_at;
  std::optional<WallTime> heartbeat_at;  // the last sign of life
  std::optional<WallTime> last_backup_at;
  std::optional<WallTime> reloaded_at;  // or tried to

  std::string version;
  std::string config_file;
  std::string last_backup;     // its file
  std::string reload_refused;  // why the last reload was; empty: it was not, or there was none
  std::string policy;
  std::string objective;
  std::string cost_by;  // "time" or "none"

  std::optional<double> file_budget;  // while another one was set live: what the file says
  std::optional<double> budget;       // polls per second; infinite without a limit
  std::optional<double> explore, follow;
  std::optional<double> cost_bias_removal;
  std::optional<double> virtual_rate;  // polls per second that shares are taken of; 0: the budget
  std::optional<double> poll_rate;     // polls per second that were made, lately
  std::optional<double> max_interval_stretch;  // above 1: the budget cannot pay for every one
  std::optional<double> loop_stall_p999_ms, loop_stall_longest_ms;

  // Of the rows, not of the meta table: so that planned shares add up.
  store::PlanFactor plan_factor;

  std::optional<double> fetches_out, fetches_allowed;
  std::optional<double> detect_waiting;           // pages
  std::optional<double> fetch_rate, detect_rate;  // pages a second: of one fetch, of detection
  std::optional<double> detect_starved_seconds, detect_overflows;  // since the start
};

// What is absent, or no number, is not known.
DaemonFigures figures_of(const std::map<std::string, std::string>& meta);

}  // namespace pollux::report

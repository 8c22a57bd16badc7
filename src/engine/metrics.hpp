// How the daemon does, as one typed value: what `pollux status` shows of a running daemon comes
// from here, by way of the meta table.
#pragma once

#include "pollux/base/time.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pollux::engine {

struct Metrics {
  std::optional<WallTime> heartbeat;  // set only while polls go on
  double budget = 0;
  std::optional<double> file_budget = {};  // while another one was set live
  std::string policy, objective;
  bool cost_by_time = false;
  double cost_bias_removal = 0;
  double explore = 0;
  double follow = 0;
  double max_interval_stretch = 1;
  double virtual_rate = 0;  // polls per second that shares are to be taken of; 0: not known
  double poll_rate = 0;     // polls per second that were made, lately
  // The event loop's lateness.
  std::chrono::milliseconds stall_p999{0}, longest_stall{0};
  // Fetches and the detection they feed.
  std::size_t fetches_out = 0, fetches_allowed = 0, detect_waiting = 0;
  double fetch_rate = 0, detect_rate = 0;  // per second
  double detect_starved_seconds = 0;       // since the start
  std::uint64_t detect_overflows = 0;      // since the start
};

// The rows of the meta table.
using MetaRows = std::vector<std::pair<std::string, std::string>>;
MetaRows meta_rows(const Metrics& metrics);
MetaRows budget_rows(double budget, std::optional<double> file_budget);  // those of the budget

}  // namespace pollux::engine

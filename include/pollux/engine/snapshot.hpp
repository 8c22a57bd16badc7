// How a running daemon does, as typed values: made on the engine's thread about once a second, and
// read by whoever shows it (/metrics, /healthz). Nothing here goes through the database.
#pragma once

#include "pollux/agent/figures.hpp"
#include "pollux/base/time.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pollux::engine {

// Seconds, counted by upper bounds. One thread.
struct Histogram {
  static constexpr std::array<double, 14> bounds = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
                                                    0.25,  0.5,    1,     2.5,  5,     10,   30};
  std::array<std::uint64_t, bounds.size() + 1> counts{};  // the last: more than all bounds
  double sum = 0;

  void add(double seconds) {
    const auto at = std::lower_bound(bounds.begin(), bounds.end(), seconds) - bounds.begin();
    ++counts[static_cast<std::size_t>(at)];
    sum += seconds;
  }
};

// Since the start.
struct PollTotals {
  std::uint64_t requests = 0, polls = 0, explored = 0, looks = 0, looks_found = 0;
  std::map<std::string_view, std::uint64_t> verdicts = {};  // of polls that have ended
  std::map<std::string_view, std::uint64_t> errors = {};    // by class; few names, all static
  Histogram lateness;  // from the decision to poll a page to its request
  Histogram fetches;   // from the request to the end of the answer
};

// Of one walk over all pages; that takes a second for every 20 000 of them.
struct LearnerFigures {
  double expected_changes_per_poll = 0;
  double optimum_changes_per_poll = 0;  // if shares were in proportion to the learnt rates
  double marginal_changes_per_poll =
      0;              // what one more would find, shares as they are; importance counts
  double gini = 0;    // of the shares: 0 equal, near 1 all for a few
  double unrest = 0;  // part of the polls that goes to pages not seen for long, because rates fail
  std::uint64_t with_rate = 0;  // pages of which one is known
};

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
  std::vector<agent::AgentFigures> agents = {};
};

struct Snapshot {
  Instant at{};
  Metrics metrics = {};
  PollTotals totals = {};
  std::optional<LearnerFigures> learner = {};     // nothing: the first walk is not over
  std::size_t pages = 0, hosts = 0;               // in memory: what is paused is not
  std::optional<std::size_t> hosts_blocked = {};  // as of the last walk
  std::size_t polls_in_flight = 0;
  std::size_t writer_queue = 0;  // polls that wait to be written
  std::uint64_t writer_batches = 0;
  std::uint64_t turns = 0;   // of the poll loop
  std::string problem = {};  // why the database cannot be written; empty: it can
  bool stopping = false;
};

// Where the newest one lies. Any thread.
class SnapshotBoard {
 public:
  void publish(std::shared_ptr<const Snapshot> snapshot) {
    const std::lock_guard lock(mutex_);
    latest_ = std::move(snapshot);
  }
  // Null before the first.
  std::shared_ptr<const Snapshot> latest() const {
    const std::lock_guard lock(mutex_);
    return latest_;
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const Snapshot> latest_;
};

}  // namespace pollux::engine

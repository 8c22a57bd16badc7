// Is there a daemon on this database, and does it get on with its work? Pure.
#pragma once

#include "pollux/report/daemon_figures.hpp"
#include "pollux/store/rows.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pollux::report {

// Who holds the database, as its lock file tells.
struct Holder {
  std::optional<std::int64_t> pid;  // 0 when it cannot be read; nullopt: nobody holds it
  std::string alert = {};           // what keeps it from writing the database
};

struct Health {
  bool running = false;  // a process holds the database
  bool healthy = false;  // and has said so within the last minute, and can write
  std::string alert;     // as above
  std::int64_t pid = 0;
  std::optional<WallTime> started_at, heartbeat_at;
};
Health health_of(const Holder& holder, const DaemonFigures& figures, WallTime now);

// How much of the budget the last minutes used. Only the time the daemon ran counts.
struct BudgetUse {
  std::int64_t requests = 0, changes = 0, errors = 0;
  double allowed = 0;                  // infinite when there is no limit
  double seconds = 0;                  // covered
  std::optional<double> part() const;  // of 1; nullopt without a limit or any time
};
// `minutes` newest first.
BudgetUse budget_use(const std::vector<store::MinuteRow>& minutes, const Health& health,
                     std::chrono::minutes last);

}  // namespace pollux::report

// What is said of a page wherever pages are listed or explained. Pure.
#pragma once

#include "pollux/report/daemon_figures.hpp"
#include "pollux/report/table.hpp"
#include "pollux/store/rows.hpp"

#include <optional>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

namespace pollux::report {

// How often the page is polled: what its share of the budget gives, held between its limits.
struct Pace {
  enum class Limit { none, min_interval, max_interval };
  std::optional<double> wanted;   // seconds by the share alone; nullopt: share or budget unknown
  std::optional<double> seconds;  // after the limits
  Limit binding = Limit::none;
};
Pace pace_of(const store::PageRow& page, const DaemonFigures& figures);

// What is expected of the page by what the daemon wrote at its last poll: of its age model, or as
// of a memoryless page with its change rate. Empty for a page that is not active or not known yet.
struct Outlook {
  std::optional<double> outdated;       // the probability that our copy is out of date now
  std::optional<WallTime> next_change;  // from then on a change is more likely than not
};
Outlook outlook_of(const store::PageRow& page, WallTime now);
std::string outdated_text(const Outlook& outlook);                   // "37 %", "—"
std::string next_change_text(const Outlook& outlook, WallTime now);  // "in 5 h", "overdue", "—"

std::string status_text(const store::PageRow& page);  // "200", "timeout ×3", "new"

// The columns of `page` by their names, `poll_interval_s`, and the outlook:
// `outdated_probability` (0 to 1) and `next_change_expected_at`.
boost::json::object page_json(const store::PageRow& page, const DaemonFigures& figures,
                              WallTime now);
Table pages_table(const std::vector<store::PageRow>& pages, const DaemonFigures& figures,
                  WallTime now);

}  // namespace pollux::report

// What is said of a page wherever pages are listed or explained. Pure.
#pragma once

#include "pollux/report/daemon_figures.hpp"
#include "pollux/report/table.hpp"
#include "pollux/store/views.hpp"

#include <optional>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

namespace pollux::report {

// How often the page is to be polled: what its share gives, with what others leave because limits
// bind them, and held between its own limits.
struct Pace {
  enum class Limit { none, min_interval, max_interval, host, back_off };
  std::optional<double> wanted;   // seconds by the share alone; nullopt: share or budget unknown
  std::optional<double> seconds;  // after the limits
  std::optional<double> share;    // of the budget, after the limits
  Limit binding = Limit::none;
};
Pace pace_of(const store::PageRow& page, const DaemonFigures& figures,
             const store::HostLoads& loads = {});

// How often it was polled: in the last half hour to hour, or since the start.
struct Measured {
  std::optional<double> seconds;  // from poll to poll; nullopt: fewer than two polls
  std::optional<double> share;    // of the budget; of all polls where there is none
  double covered = 0;             // seconds
};
Measured measured_of(const store::PageRow& page, const DaemonFigures& figures, WallTime now);

// How often it changes, as far as polls can tell. A page that never changed is bounded from above;
// one that changes faster than it is polled, from below.
struct ChangeRate {
  enum class Known { no, about, at_most, at_least };
  Known known = Known::no;
  double per_day = 0;
};
ChangeRate change_rate_of(const store::PageRow& page, const Pace& pace, const Measured& measured);
std::string change_rate_text(const ChangeRate& rate);  // "24", "< 40", "> 17280", "—"

// Where redirects have led, if it is not just another spelling: "another host, looks like a login
// page: https://…". Empty: nowhere.
std::string landing_text(const store::PageRow& page);

// What is expected of the page by what the daemon wrote at its last poll: of its age model, or as
// of a memoryless page with its change rate. Empty for a page that is not active or not known yet.
struct Outlook {
  std::optional<double> outdated;       // the probability that our copy is out of date now
  std::optional<WallTime> next_change;  // from then on a change is more likely than not
};
Outlook outlook_of(const store::PageRow& page, WallTime now);
std::string outdated_text(const Outlook& outlook);                   // "37 %", "—"
std::string next_change_text(const Outlook& outlook, WallTime now);  // "in 5 h", "overdue", "—"

// What a page is called: "Release notes (https://example.org/news)", or its URL alone.
std::string page_heading(const store::PageSpec& spec);

std::string status_text(const store::PageRow& page);  // "200", "timeout ×3", "new"

// The columns of `page` by their names; planned: `poll_interval_s` and `planned_share`; measured:
// `measured_interval_s` and `measured_share`; `change_rate_bound` (null, "upper" or "lower": what
// `change_rate_per_day` is a bound of); `looks_like` (null, "login" or "consent"); and the outlook:
// `outdated_probability` (0 to 1) and `next_change_expected_at`.
// What was set over the files while the daemon ran; null: nothing.
boost::json::value overrides_json(const store::PageRow& page);
boost::json::object page_json(const store::PageRow& page, const DaemonFigures& figures,
                              WallTime now, const store::HostLoads& loads = {});
Table pages_table(const std::vector<store::PageRow>& pages, const DaemonFigures& figures,
                  WallTime now, const store::HostLoads& loads = {});

}  // namespace pollux::report

// What the tests of report share: a moment, a page and the figures of a daemon, as values.
#pragma once

#include "pollux/report/daemon_figures.hpp"
#include "pollux/report/text.hpp"
#include "pollux/store/rows.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace pollux::report {

inline constexpr WallTime noon{
    std::chrono::milliseconds(1'790'000'000'000)};  // 2026-09-21T14:13:20Z

inline store::PageRow busy_page() {
  store::PageRow page;
  page.id = PageId(7);
  page.spec = {.url = "https://example.org/busy",
               .host = "example.org:443",
               .importance = 3,
               .min_interval_ms = 5'000,
               .max_interval_ms = 3'600'000};
  page.state = "active";
  page.added_at = noon - std::chrono::hours(24);
  page.progress.polls = 100;
  page.progress.changes = 7;
  page.progress.last_polled_at = noon - std::chrono::seconds(10);
  page.progress.last_confirmed_at = noon - std::chrono::seconds(10);
  page.progress.last_changed_at = noon - std::chrono::hours(3);
  page.progress.last_status = 200;
  page.progress.content_hash = std::string(64, 'b');
  page.progress.body_bytes = 2048;
  page.progress.share = 0.25;
  page.progress.change_rate_per_day = 24;
  page.progress.next_due_at = noon + std::chrono::minutes(5);
  return page;
}

inline store::PageRow new_page() {
  store::PageRow page;
  page.id = PageId(8);
  page.spec = {.url = "https://example.org/new", .host = "example.org:443"};
  page.state = "active";
  return page;
}

inline DaemonFigures busy_figures() {
  DaemonFigures figures;
  figures.started_at = noon - std::chrono::hours(1);
  figures.heartbeat_at = noon;
  figures.version = "0.1.0";
  figures.policy = "htraa";
  figures.objective = "changes";
  figures.budget = 2;
  figures.explore = 0.03;
  return figures;
}

// The text on a topic; "(none)" when nothing is said of it.
inline std::string on(const std::vector<Line>& lines, const std::string& topic) {
  const auto found = std::find_if(lines.begin(), lines.end(),
                                  [&](const Line& line) { return line.topic == topic; });
  return found == lines.end() ? "(none)" : found->text;
}

}  // namespace pollux::report

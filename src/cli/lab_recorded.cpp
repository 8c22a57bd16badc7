#include "cli/lab.hpp"

#include <algorithm>
#include <limits>

namespace pollux::cli {
namespace {

double unix_seconds(WallTime t) {
  return static_cast<double>(t.time_since_epoch().count()) / 1000;
}

// A page's first row is its birth. A change lies between two polls; the middle is the best guess.
Result<std::vector<RecordedRow>> read_rows(store::Reader& reader, double& last_poll) {
  std::vector<RecordedRow> rows;
  for (const char* state : {"active", "paused", "removed"}) {
    const auto pages = reader.pages({.order = store::PageOrder::url, .state = state, .limit = 0});
    if (!pages) return pages.error();
    for (const store::PageRow& page : *pages) {
      rows.push_back({value(page.id), unix_seconds(page.added_at)});
      if (page.progress.last_polled_at)
        last_poll = std::max(last_poll, unix_seconds(*page.progress.last_polled_at));
    }
  }
  const auto changes = reader.changes({.limit = std::numeric_limits<std::int64_t>::max()});
  if (!changes) return changes.error();
  for (const store::ChangeView& change : *changes) {
    const double from = unix_seconds(change.row.previous_poll_at),
                 to = unix_seconds(change.row.found_at);
    rows.push_back({value(change.row.page), from + (to - from) / 2});
  }
  std::stable_sort(rows.begin(), rows.end(), [](const RecordedRow& a, const RecordedRow& b) {
    return a.page != b.page ? a.page < b.page : a.at < b.at;
  });
  return rows;
}

}  // namespace

Result<std::vector<RecordedRow>> recorded_rows(store::Reader& reader) {
  double unused = 0;
  return read_rows(reader, unused);
}

Result<lab::Trace> recorded_trace(store::Reader& reader) {
  lab::Trace trace;
  const Result<std::vector<RecordedRow>> rows = read_rows(reader, trace.end);
  if (!rows) return rows.error();
  std::int64_t page = 0;
  for (const RecordedRow& row : *rows) {
    if (trace.changes.empty() || row.page != page) trace.changes.emplace_back();
    page = row.page;
    trace.changes.back().push_back(row.at);
    trace.end = std::max(trace.end, row.at);
  }
  return trace;
}

double fullest_window(const lab::Trace& trace) {
  std::vector<double> births;
  for (const std::vector<double>& times : trace.changes) births.push_back(times.front());
  std::sort(births.begin(), births.end());
  double longest = 0, most = 0;
  for (std::size_t i = 0; i < births.size(); ++i) {
    const double length = trace.end - births[i];
    if (static_cast<double>(i + 1) * length <= most) continue;
    most = static_cast<double>(i + 1) * length;
    longest = length;
  }
  // A hair less: whoever is born as the window begins is in it, however it is rounded.
  return longest * (1 - 1e-9) / 86400;
}

}  // namespace pollux::cli

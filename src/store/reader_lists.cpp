#include "store/page_row.hpp"
#include "store/reader_state.hpp"

#include <algorithm>

namespace pollux::store {

Result<std::size_t> Reader::page_figures(std::int64_t after, std::int64_t most,
                                         const std::function<void(const PageFigures&)>& each) {
  Result<Statement> rows = state_->connection.prepare(
      "SELECT id, url, host, tags, state, health, share, importance, change_rate_per_day, "
      "json_extract(outdated_after, '$[3]'), last_changed_at, last_polled_at, last_confirmed_at, "
      "next_due_at, polls, changes, errors, min_interval_ms, max_interval_ms FROM page "
      "WHERE id > ?1 ORDER BY id LIMIT ?2");
  if (!rows) return rows.error();
  rows->bind(1, after).bind(2, most);
  std::size_t count = 0;
  const Status read = for_each_row(*rows, [&](const Statement& row) {
    ++count;
    each({.id = row.integer(0),
          .url = row.text(1),
          .host = row.text(2),
          .tags = row.text(3),
          .state = row.text(4),
          .health = row.text(5),
          .share = row.real(6),
          .importance = row.real(7),
          .change_rate_per_day = row.real_or_null(8),
          .outdated_after_s = row.real_or_null(9),
          .changed_at = row.time(10),
          .polled_at = row.time(11),
          .confirmed_at = row.time(12),
          .due_at = row.time(13),
          .polls = row.integer(14),
          .changes = row.integer(15),
          .errors = row.integer(16),
          .min_interval_ms = row.integer(17),
          .max_interval_ms = row.integer(18)});
  });
  if (!read) return read.error();
  return count;
}

Result<std::vector<PageRow>> Reader::pages_by_id(const std::vector<std::int64_t>& ids) {
  Result<Statement> row =
      state_->connection.prepare("SELECT " + page_column_list() + " FROM page WHERE id = ?1");
  if (!row) return row.error();
  std::vector<PageRow> pages;
  for (const std::int64_t id : ids) {
    const Result<bool> there = row->bind(1, id).step();
    if (!there) return there.error();
    if (*there) pages.push_back(read_page(*row));
    row->reset();
  }
  if (Status told = state_->tell_overrides(pages); !told) return told.error();
  return pages;
}

Result<std::vector<MinuteRow>> Reader::minutes(WallTime since) {
  constexpr std::int64_t most = 7 * 24 * 60;
  Summary summary;
  if (Status read = state_->read_minutes(summary, since, most); !read) return read.error();
  return std::move(summary.minutes);
}

Result<std::vector<std::int64_t>> Reader::changes_by_day(PageId page, WallTime until, int days) {
  constexpr std::int64_t a_day_ms = 86'400'000;
  const std::int64_t end = until.time_since_epoch().count();
  Result<Statement> rows = state_->connection.prepare(
      "SELECT (?2 - found_at) / 86400000, count(*) FROM change WHERE page_id = ?1 AND "
      "found_at > ?3 AND found_at <= ?2 GROUP BY 1");
  if (!rows) return rows.error();
  rows->bind(1, value(page)).bind(2, end).bind(3, end - days * a_day_ms);
  std::vector<std::int64_t> counts(static_cast<std::size_t>(days));
  const Status read = for_each_row(*rows, [&](const Statement& row) {
    const std::int64_t ago = std::clamp<std::int64_t>(row.integer(0), 0, days - 1);
    counts[static_cast<std::size_t>(days - 1 - ago)] += row.integer(1);
  });
  if (!read) return read.error();
  return counts;
}

Result<std::map<std::int64_t, std::int64_t>> Reader::changes_by_hour(WallTime since) {
  Result<Statement> rows = state_->connection.prepare(
      "SELECT found_at / 3600000, count(*) FROM change WHERE found_at >= ?1 GROUP BY 1");
  if (!rows) return rows.error();
  rows->bind(1, std::optional(since));
  std::map<std::int64_t, std::int64_t> hours;
  const Status read = for_each_row(
      *rows, [&](const Statement& row) { hours.emplace(row.integer(0), row.integer(1)); });
  if (!read) return read.error();
  return hours;
}

Result<std::vector<HostView>> Reader::hosts(const std::vector<std::string>& names) {
  Result<Statement> point = state_->connection.prepare(
      "SELECT access_point FROM placement WHERE host = ?1 AND placed = 1 AND "
      "access_point IN (SELECT name FROM access_point)");
  if (!point) return point.error();
  std::vector<HostView> hosts;
  for (const std::string& name : names) {
    Result<HostRow> row = host(name);
    if (!row) return row.error();
    HostView view{std::move(*row), {}};
    const Result<bool> there = point->bind(1, std::string_view(name)).step();
    if (!there) return there.error();
    if (*there) view.access_point = std::string(point->text(0));
    point->reset();
    hosts.push_back(std::move(view));
  }
  return hosts;
}

}  // namespace pollux::store

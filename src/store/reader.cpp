#include "pollux/store/reader.hpp"

#include "pollux/base/glob.hpp"
#include "pollux/base/text.hpp"
#include "store/live_pages.hpp"
#include "store/lock.hpp"
#include "store/node_rows.hpp"
#include "store/open.hpp"
#include "store/outbox.hpp"
#include "store/page_row.hpp"
#include "store/placement_row.hpp"
#include "store/reader_state.hpp"
#include "store/robots_row.hpp"
#include "store/sqlite.hpp"

#include <filesystem>
#include <span>
#include <system_error>

namespace pollux::store {
namespace {

const char* order_clause(PageOrder order) {
  switch (order) {
    case PageOrder::share:
      return "seconds IS NULL, seconds, share DESC, url";  // of page_pace
    case PageOrder::changes:
      return "changes DESC, url";
    case PageOrder::last_changed:
      return "last_changed_at DESC NULLS LAST, url";
    case PageOrder::url:
      return "url";
    case PageOrder::errors:
      return "error_streak DESC, errors DESC, url";
    case PageOrder::next_due:
      return "next_due_at ASC NULLS LAST, url";
  }
  return "url";
}

// Whether a column that holds a JSON list has this text in it.
std::string has_tag(const std::string& column, const std::string& tag) {
  return "EXISTS (SELECT 1 FROM json_each(CASE WHEN json_valid(" + column + ") THEN " + column +
         " ELSE '[]' END) WHERE value = " + tag + ")";
}

std::int64_t sql_limit(std::int64_t limit) {
  return limit > 0 ? limit : -1;  // for SQLite −1 is no limit
}

MinuteRow read_minute(const Statement& row) {
  return {.minute = row.time(0).value_or(WallTime{}),
          .budget = row.real(1),
          .requests = row.integer(2),
          .polls = row.integer(3),
          .changes = row.integer(4),
          .same = row.integer(5),
          .errors = row.integer(6),
          .explored = row.integer(7),
          .looks = row.integer(9),
          .looks_found = row.integer(10),
          .seconds = row.real(8)};
}

std::int64_t size_of(const std::string& path) {
  std::error_code problem;
  const auto bytes = std::filesystem::file_size(path, problem);
  return problem ? 0 : static_cast<std::int64_t>(bytes);
}

// The piece of a URL by which people would recognise it: the last part of its path, or the host.
std::string_view telling_part(std::string_view url) {
  std::string_view rest = url;
  if (const std::size_t scheme = rest.find("://"); scheme != std::string_view::npos) {
    rest.remove_prefix(scheme + 3);
  }
  while (!rest.empty() && rest.back() == '/') rest.remove_suffix(1);
  const std::size_t slash = rest.rfind('/');
  return slash == std::string_view::npos ? rest : rest.substr(slash + 1);
}

}  // namespace

Result<std::unique_ptr<Reader>> Reader::open(const std::string& path) {
  Result<Connection> connection = open_for_reading(path);
  if (!connection) return connection.error();
  return std::unique_ptr<Reader>(
      new Reader(std::make_unique<State>(State{std::move(*connection), canonical_path(path)})));
}

Reader::Reader(std::unique_ptr<State> state) : state_(std::move(state)) {}
Reader::~Reader() = default;

Result<std::vector<PageRow>> Reader::pages(const PageQuery& query) {
  const bool planned = query.order == PageOrder::share;
  Result<Statement> rows = state_->connection.prepare(
      "SELECT " + page_column_list() + " FROM " +
      (planned ? "page_pace JOIN page ON page.id = page_pace.page_id" : "page") +
      " WHERE (?1 = '' OR instr(lower(url), lower(?1)) > 0) AND "
      "(state = ?2 OR (?2 = '' AND state <> 'removed')) AND "
      "(?4 = '' OR lower(substr(url, -length(?4))) = lower(?4)) AND "
      "(?5 = '' OR lower(name) = lower(?5)) AND (?6 = '' OR " +
      has_tag("tags", "?6") + ") AND (?7 = '' OR health = ?7)" +
      (query.after.empty() ? "" : " AND url > ?8") + " ORDER BY " + order_clause(query.order) +
      " LIMIT ?3");
  if (!rows) return rows.error();
  rows->bind(1, std::string_view(query.contains))
      .bind(2, std::string_view(query.state))
      .bind(3, sql_limit(query.match.empty() ? query.limit : 0))
      .bind(4, std::string_view(query.ends_with))
      .bind(5, std::string_view(query.name))
      .bind(6, std::string_view(query.tag))
      .bind(7, std::string_view(query.health));
  if (!query.after.empty()) rows->bind(8, std::string_view(query.after));
  std::vector<PageRow> pages;
  while (query.limit <= 0 || std::ssize(pages) < query.limit) {
    const Result<bool> there = rows->step();
    if (!there) return there.error();
    if (!*there) break;
    PageRow page = read_page(*rows);
    if (query.match.empty() || glob_matches(query.match, page.spec.url))
      pages.push_back(std::move(page));
  }
  if (Status told = state_->tell_overrides(pages); !told) return told.error();
  return pages;
}

Status Reader::State::tell_overrides(std::span<PageRow> pages) {
  const Result<std::int64_t> any =
      connection.integer("SELECT EXISTS (SELECT 1 FROM page_override)");
  if (!any) return any.error();
  if (*any == 0) return success();
  for (PageRow& page : pages) {
    Result<std::optional<OverrideRow>> set = override_of(connection, page.spec.url);
    if (!set) return set.error();
    if (*set) page.overrides = std::make_shared<const OverrideRow>(std::move(**set));
  }
  return success();
}

Result<std::vector<LiveRow>> Reader::live() {
  return load_live(state_->connection);
}

Result<std::string> Reader::State::near_matches(std::string_view url) {
  Result<Statement> rows = connection.prepare(
      "SELECT url FROM page WHERE instr(lower(url), lower(?1)) > 0 ORDER BY length(url), url "
      "LIMIT 3");
  if (!rows) return rows.error();
  const std::string_view part = telling_part(url);
  if (part.empty()) return std::string();
  rows->bind(1, part);
  std::string found;
  const Status read = for_each_row(*rows, [&](const Statement& row) {
    found += (found.empty() ? "" : ", ") + printable_url(row.text(0));
  });
  if (!read) return read.error();
  return found;
}

Result<PageRow> Reader::page(const std::string& url) {
  Result<Statement> row =
      state_->connection.prepare("SELECT " + page_column_list() + " FROM page WHERE url = ?1");
  if (!row) return row.error();
  const Result<bool> there = row->bind(1, std::string_view(url)).step();
  if (!there) return there.error();
  if (*there) {
    PageRow page = read_page(*row);
    if (Status told = state_->tell_overrides({&page, 1}); !told) return told.error();
    return page;
  }
  const Result<std::string> near = state_->near_matches(url);
  if (!near) return near.error();
  std::string message = "page " + printable_url(url) + " is not in the database";
  message +=
      near->empty() ? "; `pollux pages` lists those that are" : "; did you mean " + *near + "?";
  return Error{std::move(message), ExitCode::missing_input};
}

Result<std::vector<ChangeView>> Reader::changes(const ChangeQuery& query) {
  std::string sql =
      "SELECT change.id, page.url, page_id, found_at, previous_poll_at, old_hash, new_hash, "
      "change.body_bytes, status, words_added, words_removed, summary, page.name, page.tags, "
      "read_at FROM "
      "change JOIN page ON page.id = change.page_id WHERE true";
  if (!query.url.empty()) sql += " AND page.url = ?1";
  if (query.since) sql += " AND found_at >= ?2";
  if (query.until) sql += " AND found_at < ?4";
  if (!query.contains.empty()) sql += " AND instr(lower(page.url), lower(?5)) > 0";
  if (!query.tag.empty()) sql += " AND " + has_tag("page.tags", "?6");
  if (query.unread) sql += " AND read_at IS NULL";
  if (query.after_id) sql += " AND change.id > ?7";
  if (query.id) sql += " AND change.id = ?8";
  sql += query.after_id ? " ORDER BY change.id LIMIT ?3"
                        : " ORDER BY found_at DESC, change.id DESC LIMIT ?3";
  Result<Statement> rows = state_->connection.prepare(sql);
  if (!rows) return rows.error();
  if (!query.url.empty()) rows->bind(1, std::string_view(query.url));
  if (query.since) rows->bind(2, query.since);
  if (query.until) rows->bind(4, query.until);
  if (!query.contains.empty()) rows->bind(5, std::string_view(query.contains));
  if (!query.tag.empty()) rows->bind(6, std::string_view(query.tag));
  if (query.after_id) rows->bind(7, *query.after_id);
  if (query.id) rows->bind(8, *query.id);
  rows->bind(3, sql_limit(query.limit));
  std::vector<ChangeView> changes;
  const Status read = for_each_row(*rows, [&](const Statement& row) {
    changes.push_back({.id = row.integer(0),
                       .url = std::string(row.text(1)),
                       .name = std::string(row.text(12)),
                       .tags = std::string(row.text(13)),
                       .row = {.page = PageId(row.integer(2)),
                               .found_at = row.time(3).value_or(WallTime{}),
                               .previous_poll_at = row.time(4).value_or(WallTime{}),
                               .old_hash = std::string(row.text(5)),
                               .new_hash = std::string(row.text(6)),
                               .body_bytes = row.integer(7),
                               .status = static_cast<int>(row.integer(8)),
                               .words_added = number_or_null(row, 9),
                               .words_removed = number_or_null(row, 10),
                               .summary = std::string(row.text(11))},
                       .read_at = row.time(14)});
  });
  if (!read) return read.error();
  return changes;
}

Result<bool> Reader::State::has_column(std::string_view table, std::string_view column) {
  Result<Statement> row =
      connection.prepare("SELECT count(*) FROM pragma_table_info(?1) WHERE name = ?2");
  if (!row) return row.error();
  const Result<bool> there = row->bind(1, table).bind(2, column).step();
  if (!there) return there.error();
  return row->integer(0) > 0;
}

Result<std::map<WallTime, std::string>> Reader::change_summaries(PageId page) {
  std::map<WallTime, std::string> summaries;
  const Result<bool> known = state_->has_column("change", "summary");
  if (!known) return known.error();
  if (!*known) return summaries;
  Result<Statement> rows = state_->connection.prepare(
      "SELECT found_at, summary FROM change WHERE page_id = ?1 ORDER BY found_at, id");
  if (!rows) return rows.error();
  rows->bind(1, value(page));
  const Status read = for_each_row(*rows, [&](const Statement& row) {
    summaries[row.time(0).value_or(WallTime{})] = std::string(row.text(1));
  });
  if (!read) return read.error();
  return summaries;
}

Result<std::vector<MaskView>> Reader::masks(std::optional<PageId> page, std::int64_t limit) {
  std::vector<MaskView> masks;
  const Result<bool> known = state_->has_column("mask", "mask");
  if (!known) return known.error();
  if (!*known) return masks;
  Result<Statement> rows = state_->connection.prepare(
      std::string("SELECT mask.id, page_id, page.url, mask.mask, mask.state, made_at, "
                  "last_matched_at FROM mask JOIN page ON page.id = mask.page_id") +
      (page ? " WHERE page_id = ?1" : "") + " ORDER BY page.url, mask.id LIMIT ?2");
  if (!rows) return rows.error();
  if (page) rows->bind(1, value(*page));
  rows->bind(2, sql_limit(limit));
  const Status read = for_each_row(*rows, [&](const Statement& row) {
    masks.push_back({.id = row.integer(0),
                     .page = PageId(row.integer(1)),
                     .url = std::string(row.text(2)),
                     .mask = std::string(row.text(3)),
                     .state = std::string(row.text(4)),
                     .made_at = row.time(5),
                     .last_matched_at = row.time(6)});
  });
  if (!read) return read.error();
  return masks;
}

Result<HostRow> Reader::host(const std::string& host) {
  Result<Statement> row = state_->connection.prepare(
      "SELECT last_request_at, blocked_until, requests, errors, response_ms, delay_ms, blocked_by "
      "FROM host WHERE host = ?1");
  if (!row) return row.error();
  const Result<bool> there = row->bind(1, std::string_view(host)).step();
  if (!there) return there.error();
  HostRow found{.host = host, .last_request_at = {}, .blocked_until = {}};
  if (*there) {
    found.last_request_at = row->time(0);
    found.blocked_until = row->time(1);
    found.requests = row->integer(2);
    found.errors = row->integer(3);
    found.response_ms = number_or_null(*row, 4);
    found.delay_ms = number_or_null(*row, 5);
    found.blocked_by = row->text(6);
  }
  return found;
}

Result<HostLoads> Reader::host_loads(const std::vector<PageRow>& pages) {
  constexpr std::size_t few = 200;  // beyond, one pass over the table is cheaper
  HostLoads loads;
  for (const PageRow& page : pages) loads.try_emplace(page.spec.host);
  const bool one_by_one = loads.size() <= few;
  Result<Statement> rows = state_->connection.prepare(
      std::string("SELECT load.host, load.share, host.delay_ms, host.response_ms FROM "
                  "(SELECT host, sum(share) AS share FROM page WHERE state = 'active'") +
      (one_by_one ? " AND host = ?1" : " GROUP BY host") +
      ") AS load LEFT JOIN host ON host.host = load.host");
  if (!rows) return rows.error();
  const auto take = [&](const Statement& row) {
    const auto load = loads.find(std::string(row.text(0)));
    if (load == loads.end()) return;
    load->second = {row.real(1), number_or_null(row, 2), number_or_null(row, 3)};
  };
  if (!one_by_one) {
    if (const Status read = for_each_row(*rows, take); !read) return read.error();
    return loads;
  }
  std::vector<std::string> names;
  for (const auto& [name, load] : loads) names.push_back(name);
  for (const std::string& name : names) {
    rows->bind(1, std::string_view(name));
    if (const Status read = for_each_row(*rows, take); !read) return read.error();
    rows->reset();
  }
  return loads;
}

Result<std::optional<RobotsRow>> Reader::robots(const std::string& host) {
  Result<Statement> row = state_->connection.prepare(std::string("SELECT ") + robots_columns +
                                                     " FROM robots WHERE host = ?1");
  if (!row) return row.error();
  const Result<bool> there = row->bind(1, std::string_view(host)).step();
  if (!there) return there.error();
  if (!*there) return std::optional<RobotsRow>();
  return std::optional(read_robots(*row));
}

Status Reader::State::read_totals(Totals& summary) {
  Result<Statement> rows = connection.prepare(
      "SELECT state, count(*), sum(polls), sum(changes), sum(errors), "
      "sum(error_streak > 0) FROM page GROUP BY state");
  if (!rows) return rows.error();
  Status read = for_each_row(*rows, [&](const Statement& row) {
    const std::string_view state = row.text(0);
    const bool active = state == "active";
    (active              ? summary.active
     : state == "paused" ? summary.paused
                         : summary.removed) = row.integer(1);
    summary.polls += row.integer(2);
    summary.changes += row.integer(3);
    summary.errors += row.integer(4);
    if (active) summary.failing = row.integer(5);
  });
  if (!read) return read;
  const Result<std::int64_t> hosts =
      connection.integer("SELECT count(DISTINCT host) FROM page WHERE state = 'active'");
  if (!hosts) return hosts.error();
  summary.hosts = *hosts;
  return success();
}

Status Reader::State::read_minutes(Summary& summary, WallTime since, std::int64_t most) {
  Result<Statement> rows = connection.prepare(
      "SELECT minute, budget, requests, polls, changes, same, errors, explored, seconds, looks, "
      "looks_found FROM budget_minute WHERE minute >= ?1 ORDER BY minute DESC LIMIT ?2");
  if (!rows) return rows.error();
  rows->bind(1, std::optional(since)).bind(2, most);
  return for_each_row(*rows,
                      [&](const Statement& row) { summary.minutes.push_back(read_minute(row)); });
}

Result<std::vector<NodeRow>> Reader::nodes(const std::string& policy) {
  return load_named_nodes(state_->connection, policy);
}

Result<std::optional<LookRow>> Reader::look(PageId page) {
  Result<Statement> rows =
      state_->connection.prepare("SELECT looked_at, because FROM look WHERE page_id = ?1");
  if (!rows) return rows.error();
  rows->bind(1, value(page));
  std::optional<LookRow> look;
  const Status read = for_each_row(*rows, [&](const Statement& row) {
    look = LookRow{row.time(0).value_or(WallTime{}), std::string(row.text(1))};
  });
  if (!read) return read.error();
  return look;
}

Result<std::map<std::string, std::string>> Reader::meta() {
  Result<Statement> rows = state_->connection.prepare("SELECT key, value FROM meta");
  if (!rows) return rows.error();
  std::map<std::string, std::string> meta;
  const Status read =
      for_each_row(*rows, [&](const Statement& row) { meta.emplace(row.text(0), row.text(1)); });
  if (!read) return read.error();
  return meta;
}

Result<std::int64_t> Reader::paused_pages() {
  return state_->connection.integer("SELECT count(*) FROM page WHERE state = 'paused'");
}

Result<Totals> Reader::totals() {
  Transaction snapshot(state_->connection);
  if (Status begun = snapshot.begin_reading(); !begun) return begun.error();
  Totals totals;
  if (Status read = state_->read_totals(totals); !read) return read.error();
  return totals;
}

Result<Summary> Reader::summary(const std::optional<Totals>& known) {
  Transaction snapshot(state_->connection);
  if (Status begun = snapshot.begin_reading(); !begun) return begun.error();
  Summary summary;
  if (known) {
    static_cast<Totals&>(summary) = *known;
  } else if (Status read = state_->read_totals(summary); !read) {
    return read.error();
  }
  if (Status read = state_->read_minutes(summary, WallTime{}, 60); !read) return read.error();
  const Result<DeliveryCounts> deliveries = count_deliveries(state_->connection);
  if (!deliveries) return deliveries.error();
  summary.deliveries = *deliveries;
  Result<std::map<std::string, std::string>> all = meta();
  if (!all) return all.error();
  summary.meta = std::move(*all);
  summary.database_bytes = size_of(state_->path);
  summary.wal_bytes = size_of(state_->path + "-wal");
  return summary;
}

Result<std::vector<AccessPointRow>> Reader::access_points() {
  return read_access_points(state_->connection);
}

Result<std::vector<PlacementRow>> Reader::placements() {
  return read_placements(state_->connection, Placements::present);
}

Result<OutboxHead> Reader::outbox(const OutboxQuery& query) {
  Transaction transaction(state_->connection);  // one moment for all its questions
  if (Status begun = transaction.begin_reading(); !begun) return begun.error();
  return read_outbox(state_->connection, query);
}

Result<MessageView> Reader::message(std::int64_t id, std::int64_t most) {
  Transaction transaction(state_->connection);
  if (Status begun = transaction.begin_reading(); !begun) return begun.error();
  return read_message(state_->connection, id, most);
}

Result<DeliveryCounts> Reader::delivery_counts() {
  return count_deliveries(state_->connection);
}

Result<std::vector<DeliveryView>> Reader::deliveries(const std::string& state, std::int64_t limit) {
  return read_deliveries(state_->connection, state, sql_limit(limit));
}

Result<std::int64_t> Reader::failing_since(WallTime before) {
  Result<Statement> row = state_->connection.prepare(
      "SELECT count(*) FROM page WHERE state = 'active' AND error_streak > 0 AND "
      "coalesce(last_confirmed_at, added_at) < ?1");
  if (!row) return row.error();
  row->bind(1, std::optional(before));
  const Result<bool> there = row->step();
  if (!there) return there.error();
  return row->integer(0);
}

Result<ShareRank> Reader::share_rank(PageId page) {
  Result<Statement> row = state_->connection.prepare(
      "WITH mine AS MATERIALIZED (SELECT seconds FROM page_pace WHERE page_id = ?1) "
      "SELECT 1 + coalesce(sum(page_pace.seconds < (SELECT seconds FROM mine) OR "
      "(SELECT seconds FROM mine) IS NULL AND page_pace.seconds IS NOT NULL), 0), "
      "count(*) FROM page_pace JOIN page ON page.id = page_pace.page_id "
      "WHERE state = 'active'");
  if (!row) return row.error();
  const Result<bool> there = row->bind(1, value(page)).step();
  if (!there) return there.error();
  return ShareRank{.position = row->integer(0), .active = row->integer(1)};
}

Result<PlanFactor> Reader::plan_factor() {
  Result<Statement> row = state_->connection.prepare("SELECT free, held FROM plan_factor");
  if (!row) return row.error();
  const Result<bool> there = row->step();
  if (!there) return there.error();
  return *there ? PlanFactor{.free = row->real(0), .held = row->real(1)} : PlanFactor{};
}

std::optional<std::int64_t> daemon_pid(const std::string& path) {
  const std::optional<Holder> holder = lock_holder(path);
  return holder ? std::optional(holder->pid) : std::nullopt;
}

std::string daemon_alert(const std::string& path) {
  const std::optional<Holder> holder = lock_holder(path);
  return holder ? holder->alert : std::string();
}

}  // namespace pollux::store

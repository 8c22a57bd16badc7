#include "pollux/base/url.hpp"
#include "pollux/report/access_points.hpp"
#include "pollux/report/json.hpp"
#include "pollux/report/page.hpp"
#include "pollux/web/facts.hpp"
#include "web/answers.hpp"
#include "web/call.hpp"
#include "web/letters.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

namespace pollux::web {
namespace {

namespace json = boost::json;

constexpr std::int64_t most_listed = 1000;
constexpr std::int64_t usually_listed = 50;
constexpr std::int64_t most_skipped = 10'000'000;
constexpr std::size_t most_sparks = 200;
constexpr int spark_days = 14;
// From so many pages on the sums of hosts are taken from the columns alone.
constexpr std::int64_t many_pages = 20'000;

Result<store::HostLoads> loads_of(const Desk::At& at, const std::vector<store::PageRow>& rows,
                                  std::int64_t pages) {
  if (at.pages == nullptr && pages < many_pages) return at.reader.host_loads(rows);
  store::HostLoads loads;
  if (at.pages == nullptr) return loads;
  std::vector<std::string> names;
  for (const store::PageRow& row : rows) {
    if (loads.try_emplace(row.spec.host).second) names.push_back(row.spec.host);
  }
  const Result<std::vector<store::HostView>> hosts = at.reader.hosts(names);
  if (!hosts) return hosts.error();
  for (const store::HostView& host : *hosts) {
    const std::optional<std::uint32_t> number = at.pages->hosts().find(host.row.host);
    loads[host.row.host] = {number ? at.pages->share_of_host(*number) : 0, host.row.delay_ms,
                            host.row.response_ms};
  }
  return loads;
}

http::Response list_answer(const Desk::At& at, const std::vector<store::PageRow>& rows,
                           const std::string& next, std::int64_t total) {
  const Result<store::HostLoads> loads = loads_of(at, rows, total);
  if (!loads) return problem(loads.error());
  const auto meta = at.reader.meta();
  if (!meta) return problem(meta.error());
  report::DaemonFigures figures = report::figures_of(*meta);
  figures.plan_factor = at.plan_factor;
  json::array pages;
  for (const store::PageRow& page : rows)
    pages.push_back(report::page_json(page, figures, at.now, *loads));
  return json_answer(json::object{
      {"pages", std::move(pages)}, {"next", report::json_text_or_null(next)}, {"total", total}});
}

// Straight from the index: the first rows of a long list are there at once.
http::Response list_by_url(const Desk::At& at, const PageColumns::Wish& wish, std::int64_t total) {
  Desk::At with_factor = at;
  if (at.pages == nullptr && total < many_pages) {
    const Result<store::PlanFactor> factor = at.reader.plan_factor();
    if (!factor) return problem(factor.error());
    with_factor.plan_factor = *factor;
  }
  const auto rows = at.reader.pages({.order = store::PageOrder::url,
                                     .limit = static_cast<std::int64_t>(wish.limit),
                                     .after = wish.after});
  if (!rows) return problem(rows.error());
  const bool more = rows->size() == wish.limit;
  return list_answer(with_factor, *rows, more ? rows->back().spec.url : "", total);
}

http::Response list_by_columns(const Desk::At& at, const PageColumns::Wish& wish) {
  const std::optional<PageColumns::Found> found = at.pages->find(wish);
  if (!found) {
    return problem(400, "'after' is no place in this list",
                   "write what `next` was, with the same sort");
  }
  const Result<std::vector<store::PageRow>> rows = at.reader.pages_by_id(found->ids);
  if (!rows) return problem(rows.error());
  return list_answer(at, *rows, found->cursor, static_cast<std::int64_t>(found->total));
}

PageColumns::Wish take_wish(Query& query) {
  const std::string sort = query.text("sort"), order = query.text("order");
  const std::optional<SortBy> by = sort_by(sort.empty() ? "url" : sort);
  if (!by) query.note({"'sort' must be one of " + sort_names(), ExitCode::usage});
  if (!order.empty() && order != "asc" && order != "desc")
    query.note({"'order' must be asc or desc", ExitCode::usage});
  const std::int64_t limit = query.whole("limit", usually_listed, most_listed);
  return {.contains = query.text("q"),
          .tag = query.text("tag"),
          .host = query.text("host"),
          .health = query.text("health"),
          .match = query.text("match"),
          .sort = by.value_or(SortBy::url),
          .descending = order == "desc",
          .limit = static_cast<std::size_t>(std::max<std::int64_t>(limit, 1)),
          .after = query.text("after"),
          .offset = static_cast<std::size_t>(query.whole("offset", 0, most_skipped))};
}

// The chance that a memoryless page of this rate changes within so many seconds.
json::value chance_within(const std::optional<double>& per_day, double seconds) {
  if (!per_day || !(*per_day > 0)) return nullptr;
  return report::json_number(-std::expm1(-*per_day * seconds / 86400));
}

json::value parsed_rules(const store::PageRow& page) {
  if (!page.overrides || !page.overrides->content) return nullptr;
  boost::system::error_code problem;
  json::value value = json::parse(*page.overrides->content, problem);
  return problem ? json::value(nullptr) : value;
}

http::Response page_answer(const Desk::At& at, const std::string& url) {
  Result<store::PageRow> page = at.reader.page(url);
  if (!page) return problem(page.error());
  const store::PageRow row = *page;
  const Result<report::PageFacts> facts =
      page_facts(at.reader, at.database, std::move(*page), at.now);
  if (!facts) return problem(facts.error());
  const auto changes = at.reader.changes({.url = url, .limit = 100});
  if (!changes) return problem(changes.error());
  json::object out = report::explanation_json(*facts);
  out["page_id"] = value(row.id);
  out["rules"] = parsed_rules(row);
  const auto& rate = row.progress.change_rate_per_day;
  out["forecast"] =
      json::object{{"expected_at", report::json_time(report::outlook_of(row, at.now).next_change)},
                   {"chance_next_hour", chance_within(rate, 3600)},
                   {"chance_next_day", chance_within(rate, 86400)}};
  // Polls are not kept one by one: changes are, each with the poll before it.
  std::map<WallTime, std::string> polls;
  for (const store::ChangeView& change : *changes) {
    polls.emplace(change.row.found_at, "changed");
    polls.emplace(change.row.previous_poll_at, "same");
  }
  if (row.progress.last_polled_at)
    polls.emplace(*row.progress.last_polled_at, row.progress.error_streak > 0 ? "error" : "same");
  json::array known;
  for (auto poll = polls.rbegin(); poll != polls.rend() && known.size() < 100; ++poll)
    known.push_back({{"at", report::json_time(poll->first)}, {"outcome", poll->second}});
  out["known_polls"] = std::move(known);
  return json_answer(out);
}

struct HostSum {
  std::int64_t pages = 0, polls = 0, changes = 0, errors = 0;
  double share = 0;
};

http::Response hosts_answer(const Desk::At& at, const std::string& part, const std::string& after,
                            std::size_t limit) {
  const PageColumns& pages = *at.pages;
  std::vector<HostSum> sums(pages.hosts().size());
  for (PageColumns::Row row = 0; row < pages.size(); ++row) {
    if (!pages.shown(row)) continue;
    HostSum& sum = sums[pages.host(row)];
    ++sum.pages;
    sum.share += pages.planned_share(row);
    sum.polls += pages.polls(row);
    sum.changes += pages.changes(row);
    sum.errors += pages.errors(row);
  }
  std::map<std::string, HostSum> sorted;
  for (std::uint32_t host = 0; host < sums.size(); ++host) {
    const std::string& name = pages.hosts().text(host);
    if (sums[host].pages > 0 && name > after && name.find(part) != std::string::npos)
      sorted.emplace(name, sums[host]);
  }
  std::vector<std::string> names;
  for (const auto& [name, sum] : sorted) {
    if (names.size() == limit) break;
    names.push_back(name);
  }
  const Result<std::vector<store::HostView>> rows = at.reader.hosts(names);
  if (!rows) return problem(rows.error());
  json::array hosts;
  for (const store::HostView& host : *rows) {
    const HostSum& sum = sorted[host.row.host];
    const bool blocked = host.row.blocked_until && *host.row.blocked_until > at.now;
    const bool by_other = blocked && !host.row.blocked_by.empty();
    hosts.push_back({{"host", report::json_utf8(host.row.host)},
                     {"pages", sum.pages},
                     {"share", report::json_number(sum.share)},
                     {"polls", sum.polls},
                     {"changes", sum.changes},
                     {"errors", sum.errors},
                     {"blocked_until",
                      blocked ? report::json_time(host.row.blocked_until) : json::value(nullptr)},
                     {"reason", by_other  ? json::value("redirects of " + host.row.blocked_by)
                                : blocked ? json::value("it asked us to wait")
                                          : json::value(nullptr)},
                     {"delay_ms", report::json_count(host.row.delay_ms)},
                     {"access_point", report::json_text_or_null(host.access_point)}});
  }
  const bool more = sorted.size() > names.size();
  return json_answer(
      json::object{{"hosts", std::move(hosts)},
                   {"next", more ? report::json_utf8(names.back()) : json::value(nullptr)}});
}

std::vector<std::int64_t> take_ids(Query& query) {
  const std::string text = query.text("ids");
  std::vector<std::int64_t> ids;
  const char* at = text.data();
  const char* end = at + text.size();
  while (at < end && ids.size() <= most_sparks) {
    std::int64_t id = 0;
    const auto read = std::from_chars(at, end, id);
    if (read.ec != std::errc{} || (read.ptr < end && *read.ptr != ',')) break;
    ids.push_back(id);
    at = read.ptr < end ? read.ptr + 1 : end;
  }
  if (ids.empty() || at < end || ids.size() > most_sparks) {
    query.note({"'ids' must be 1 to " + std::to_string(most_sparks) + " ids of pages: 1,2,3",
                ExitCode::usage});
  }
  return ids;
}

}  // namespace

std::string normalised(const std::string& text) {
  const Result<Url> url = parse_url(text);
  return url ? url->text : text;
}

void get_pages(Call call) {
  const PageColumns::Wish wish = take_wish(call.query);
  if (const Status asked = call.query.end(); !asked)
    return call.responder.answer(problem(asked.error()));
  const bool plain = wish.sort == SortBy::url && !wish.descending && wish.contains.empty() &&
                     wish.tag.empty() && wish.host.empty() && wish.health.empty() &&
                     wish.match.empty() && wish.offset == 0;
  if (!plain) {
    return call.service.desk.ask(Desk::Needs::columns, call.responder,
                                 [wish](const Desk::At& at) { return list_by_columns(at, wish); });
  }
  const Result<store::Totals> totals = call.service.desk.totals(call.service.reader());
  if (!totals) return call.responder.answer(problem(totals.error()));
  call.service.desk.ask(Desk::Needs::database, call.responder,
                        [wish, total = totals->active + totals->paused](const Desk::At& at) {
                          return list_by_url(at, wish, total);
                        });
}

void get_page(Call call) {
  const std::string url = call.query.text("url");
  if (url.empty()) call.query.note({"which page? write ?url=", ExitCode::usage});
  if (const Status asked = call.query.end(); !asked)
    return call.responder.answer(problem(asked.error()));
  call.service.desk.ask(
      Desk::Needs::database, call.responder,
      [url = normalised(url)](const Desk::At& at) { return page_answer(at, url); });
}

void get_sparks(Call call) {
  const std::vector<std::int64_t> ids = take_ids(call.query);
  if (const Status asked = call.query.end(); !asked)
    return call.responder.answer(problem(asked.error()));
  call.service.desk.ask(Desk::Needs::database, call.responder, [ids](const Desk::At& at) {
    json::object sparks;
    for (const std::int64_t id : ids) {
      const auto days = at.reader.changes_by_day(PageId(id), at.now, spark_days);
      if (!days) return problem(days.error());
      sparks[std::to_string(id)] = json::array(days->begin(), days->end());
    }
    return json_answer(json::object{{"sparks", std::move(sparks)}});
  });
}

void get_hosts(Call call) {
  const std::string part = lower_case(call.query.text("q"));  // as hosts are written
  const std::string after = call.query.text("after");
  const std::int64_t limit = call.query.whole("limit", usually_listed, most_listed);
  if (const Status asked = call.query.end(); !asked)
    return call.responder.answer(problem(asked.error()));
  const auto most = static_cast<std::size_t>(std::max<std::int64_t>(limit, 1));
  call.service.desk.ask(
      Desk::Needs::columns, call.responder,
      [part, after, most](const Desk::At& at) { return hosts_answer(at, part, after, most); });
}

void get_access_points(Call call) {
  if (const Status asked = call.query.end(); !asked)
    return call.responder.answer(problem(asked.error()));
  call.service.desk.ask(Desk::Needs::database, call.responder, [](const Desk::At& at) {
    const auto points = at.reader.access_points();
    if (!points) return problem(points.error());
    const auto placed = at.reader.placements();
    if (!placed) return problem(placed.error());
    return json_answer(report::placement_json(report::overview_of(*points, *placed), most_listed));
  });
}

}  // namespace pollux::web

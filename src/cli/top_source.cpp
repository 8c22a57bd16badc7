#include "cli/top_source.hpp"

#include "cli/page_versions.hpp"
#include "cli/steering.hpp"
#include "cli/top_view.hpp"
#include "pollux/base/text.hpp"
#include "pollux/extract/masks.hpp"
#include "pollux/report/access_points.hpp"
#include "pollux/report/changes.hpp"
#include "pollux/report/deliveries.hpp"
#include "pollux/report/diff.hpp"
#include "pollux/report/explanation.hpp"
#include "pollux/report/json.hpp"
#include "pollux/report/page.hpp"
#include "pollux/report/text.hpp"
#include "pollux/web/facts.hpp"

#include <algorithm>
#include <map>

#include <spdlog/fmt/fmt.h>

namespace pollux::cli {
namespace {

namespace json = boost::json;

constexpr std::int64_t most_rows = 200;      // of a list
constexpr std::int64_t failing_pages = 500;  // that failing hosts are counted from
constexpr std::size_t topic_width = 15;      // of an explanation
constexpr Duration answer_patience = std::chrono::seconds(10);

Result<TopList> read_pages(store::Reader& reader, const TopChoice& choice, WallTime now) {
  Result<web::PageList> list = web::page_list(
      reader, {.order = choice.order, .contains = choice.filter, .limit = most_rows});
  if (!list) return list.error();
  TopList out{.table = report::pages_table(list->rows, list->figures, now, list->loads)};
  for (const store::PageRow& page : list->rows) {
    out.rows.push_back({.url = page.spec.url,
                        .paused = page.state == "paused",
                        .failing = page.progress.error_streak > 0});
    out.json.push_back(report::page_json(page, list->figures, now, list->loads));
  }
  return out;
}

Result<TopList> read_changes(store::Reader& reader, const TopChoice& choice, WallTime now) {
  const Result<std::vector<store::ChangeView>> changes =
      reader.changes({.contains = choice.filter, .limit = most_rows});
  if (!changes) return changes.error();
  TopList out{.table = report::changes_table(*changes, now),
              .json = report::changes_json(*changes)};
  for (const store::ChangeView& change : *changes)
    out.rows.push_back({.url = change.url,
                        .id = change.id,
                        .found_at = change.row.found_at,
                        .unread = !change.read_at});
  return out;
}

struct FailingHost {
  std::string host, worst;  // the page that fails for longest
  std::string error;
  std::int64_t pages = 0;
  int streak = 0;
};

// The hosts of the pages that failed last, those with the most failing pages first.
std::vector<FailingHost> failing_hosts(const std::vector<store::PageRow>& pages) {
  std::map<std::string, FailingHost> hosts;
  for (const store::PageRow& page : pages) {
    if (page.progress.error_streak == 0 || page.state != "active") continue;
    FailingHost& host = hosts[page.spec.host];
    host.host = page.spec.host;
    ++host.pages;
    if (page.progress.error_streak <= host.streak) continue;
    host.streak = page.progress.error_streak;
    host.worst = page.spec.url;
    host.error = page.progress.last_error;
  }
  std::vector<FailingHost> sorted;
  for (auto& [name, host] : hosts) sorted.push_back(std::move(host));
  std::ranges::stable_sort(sorted, std::greater(), &FailingHost::pages);
  if (std::ssize(sorted) > most_rows) sorted.resize(most_rows);
  return sorted;
}

Result<TopList> read_hosts(store::Reader& reader, const TopChoice& choice, WallTime now) {
  const Result<std::vector<store::PageRow>> pages =
      reader.pages({.contains = choice.filter, .limit = failing_pages, .health = "failing"});
  if (!pages) return pages.error();
  TopList out{.table = {{{"HOST", report::Align::left, report::Fit::shortened},
                         {"PAGES", report::Align::right},
                         {"TIMES", report::Align::right},
                         {"ASKED AGAIN", report::Align::left, report::Fit::whole, 1},
                         {"LAST ERROR", report::Align::left, report::Fit::cut}},
                        {}}};
  for (const FailingHost& host : failing_hosts(*pages)) {
    const Result<store::HostRow> row = reader.host(host.host);
    const std::optional<WallTime> blocked = row ? row->blocked_until : std::nullopt;
    const std::string again =
        blocked && *blocked > now ? report::until(blocked, now) : std::string(report::unknown);
    out.table.rows.push_back({host.host,
                              {std::to_string(host.pages), host.pages},
                              {std::to_string(host.streak), host.streak},
                              again,
                              printable(host.error)});
    out.rows.push_back({.url = host.worst, .failing = true});
    out.json.push_back({{"host", report::json_utf8(host.host)},
                        {"pages", host.pages},
                        {"streak", host.streak},
                        {"url", report::json_utf8(host.worst)},
                        {"blocked_until", report::json_time(blocked)},
                        {"error", report::json_text_or_null(host.error)}});
  }
  return out;
}

Result<TopList> read_access_points(store::Reader& reader) {
  const auto points = reader.access_points();
  if (!points) return points.error();
  if (points->empty()) return TopList{};
  const auto placements = reader.placements();
  if (!placements) return placements.error();
  const report::PlacementOverview overview = report::overview_of(*points, *placements);
  TopList out{.table = report::access_points_table(overview),
              .json = report::placement_json(overview, 0).at("access_points").as_array()};
  out.rows.resize(out.table.rows.size());
  return out;
}

// What was given up first: somebody has to do something.
Result<TopList> read_notifications(store::Reader& reader, WallTime now) {
  std::vector<store::DeliveryView> all;
  for (const char* state : {"dead", "waiting"}) {
    const Result<std::vector<store::DeliveryView>> some = reader.deliveries(state, most_rows / 2);
    if (!some) return some.error();
    all.insert(all.end(), some->begin(), some->end());
  }
  TopList out{.table = report::deliveries_table(all, now), .json = report::deliveries_json(all)};
  for (const store::DeliveryView& one : all)
    out.rows.push_back({.url = one.url, .id = one.id, .failing = one.state == "dead"});
  return out;
}

std::string outcome(const json::object& result, const std::string& done) {
  if (const json::value* pages = result.if_contains("pages");
      pages != nullptr && pages->is_array()) {
    for (const json::value& page : pages->get_array()) {
      if (page.is_object() && words_in(page.get_object(), "what") == "refused")
        return "refused: " + printable(words_in(page.get_object(), "why"), 300);
    }
  }
  return count_in(result, "done") > 0 ? done : "as before: " + done;
}

}  // namespace

Result<std::unique_ptr<TopSource>> TopSource::connect(const DatabaseOption& option) {
  Result<DaemonClient> daemon = DaemonClient::connect(option, {.patience = answer_patience});
  if (!daemon) return daemon.error();
  Result<http::Client> stream = daemon->open_events("");
  if (!stream) return stream.error();
  Result<std::unique_ptr<store::Reader>> reader = store::Reader::open(daemon->database());
  if (!reader) return reader.error();
  return std::unique_ptr<TopSource>(
      new TopSource(std::move(*daemon), DaemonEvents(std::move(*stream)), std::move(*reader)));
}

Result<TopSnapshot> TopSource::read(const TopChoice& choice) {
  TopSnapshot out;
  out.at = clock_.wall();
  Result<json::object> status = daemon_.get("/status");
  if (!status) return status.error();
  out.status = std::move(*status);
  Result<TopList> lists[top_tabs] = {
      read_pages(*reader_, choice, out.at), read_changes(*reader_, choice, out.at),
      read_hosts(*reader_, choice, out.at), read_access_points(*reader_),
      read_notifications(*reader_, out.at)};
  for (std::size_t i = 0; i < top_tabs; ++i) {
    if (!lists[i]) return lists[i].error();
    out.lists[i] = std::move(*lists[i]);
  }
  return out;
}

Result<std::string> TopSource::steer(const TopWish& wish) {
  using What = TopWish::What;
  const std::string page = printable_url(wish.url);
  const json::object pages{{"urls", json::array{json::value(wish.url)}}};
  const auto post = [&](const char* path, const std::string& done) -> Result<std::string> {
    const Result<json::object> result = daemon_.post(path, pages);
    if (!result) return result.error();
    return outcome(*result, done);
  };
  switch (wish.what) {
    case What::pause:
      return post("/pages/pause", "paused: " + page);
    case What::resume:
      return post("/pages/resume", "polled again: " + page);
    case What::poll:
      return post("/pages/poll", "to be polled next: " + page);
    case What::read: {
      const Result<json::object> result =
          daemon_.post("/changes/read", {{"changes", json::array{wish.id}}});
      if (!result) return result.error();
      return fmt::format("change {} is read", wish.id);
    }
    case What::retry: {
      const Result<json::object> result =
          daemon_.post(fmt::format("/notifications/{}/retry", wish.id), {});
      if (!result) return result.error();
      return fmt::format("notification {} is tried again", wish.id);
    }
    case What::diff:
    case What::why:
      break;
  }
  return Error{"nothing to ask the daemon for", ExitCode::software};
}

Result<TopText> TopSource::text(const TopWish& wish) {
  return wish.what == TopWish::What::why ? why(wish) : diff(wish);
}

Result<TopText> TopSource::diff(const TopWish& wish) {
  const Result<PageVersions> page =
      open_versions({.database = daemon_.database(), .config = ""}, wish.url);
  if (!page) return page.error();
  const std::vector<store::VersionRow>& versions = page->versions;
  const Result<web::DiffEnds> ends = wish.found_at
                                         ? web::ends_of_change(versions, *wish.found_at)
                                         : web::choose_ends(versions, "", "", clock_.wall(), "");
  if (!ends) return ends.error();
  const store::VersionRow &older = versions[ends->from], &newer = versions[ends->to];
  const Result<std::string> before = text_of(*page, older), after = text_of(*page, newer);
  if (!before) return before.error();
  if (!after) return after.error();
  const extract::ReadablePair shown = extract::readable_pair(*before, *after);
  const report::DiffFacts facts{.url = page->page.spec.url,
                                .from = {older.number, older.seen_at, older.hash},
                                .to = {newer.number, newer.seen_at, newer.hash},
                                .old_text = shown.old_text,
                                .new_text = shown.new_text,
                                .as = newer.as};
  TopText text{report::page_heading(page->page.spec), {}};
  std::vector<std::string> heading = report::diff_heading(facts);
  heading.erase(heading.begin());  // the URL: the title has it
  for (const std::string& line : heading)
    text.lines.push_back({{printable(line, 2000), TopStyle::dim}});
  text.lines.push_back({});
  for (TopLine& line : diff_lines(shown.old_text, shown.new_text))
    text.lines.push_back(std::move(line));
  return text;
}

Result<TopText> TopSource::why(const TopWish& wish) {
  Result<store::PageRow> page = reader_->page(wish.url);
  if (!page) return page.error();
  TopText text{report::page_heading(page->spec), {}, topic_width + 1};
  const Result<report::PageFacts> facts =
      web::page_facts(*reader_, daemon_.database(), std::move(*page), clock_.wall());
  if (!facts) return facts.error();
  for (const report::Line& line : report::explanation_of(*facts))
    text.lines.push_back(
        {{fmt::format("{:<{}} ", printable(line.topic), topic_width), TopStyle::bold},
         {printable(line.text, 4000)}});
  return text;
}

}  // namespace pollux::cli

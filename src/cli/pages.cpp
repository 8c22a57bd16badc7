#include "cli/commands.hpp"
#include "cli/database_option.hpp"
#include "cli/output.hpp"
#include "cli/page_view.hpp"
#include "pollux/base/clock.hpp"
#include "pollux/base/text.hpp"
#include "pollux/cli/command_line.hpp"
#include "pollux/store/reader.hpp"

#include <map>
#include <memory>

#include <boost/json/array.hpp>
#include <spdlog/fmt/fmt.h>

namespace pollux::cli {
namespace {

using store::PageOrder;

struct PagesOptions {
  DatabaseOption database;
  store::Reader::PageQuery query;
  bool json = false;
};

std::string rate_text(std::optional<double> per_day) {
  if (!per_day) return "—";
  return *per_day < 1000 ? fmt::format("{:.3g}", *per_day) : fmt::format("{:.0f}", *per_day);
}

void print_table(const std::vector<store::PageRow>& pages, const Meta& meta) {
  Table table({{"SHARE", Align::right},
               {"EVERY", Align::right},
               {"CHANGES/DAY", Align::right},
               {"POLLS", Align::right},
               {"CHANGES", Align::right},
               {"ERRORS", Align::right},
               {"LAST CHANGE"},
               {"NEXT POLL"},
               {"OUTDATED", Align::right},
               {"NEXT CHANGE"},
               {"STATUS"},
               {"URL"}});
  const WallTime now = SystemClock().wall();
  for (const store::PageRow& page : pages) {
    const store::PageProgress& progress = page.progress;
    const bool active = page.state == "active";
    const Outlook outlook = outlook_of(page, now);
    table.add({percent_text(progress.share), seconds_text(pace_of(page, meta).seconds),
               rate_text(progress.change_rate_per_day), std::to_string(progress.polls),
               std::to_string(progress.changes), std::to_string(progress.errors),
               ago(progress.last_changed_at, now), active ? until(progress.next_due_at, now) : "—",
               outdated_text(outlook), next_change_text(outlook, now), status_text(page),
               printable_url(page.spec.url)});
  }
  table.print(stdout);
}

int show_pages(const PagesOptions& options) {
  Result<OpenDatabase> database = open_database(options.database);
  if (!database) return report(database.error());
  const Result<std::vector<store::PageRow>> pages = database->reader->pages(options.query);
  if (!pages) return report(pages.error());
  const Result<Meta> meta = database->reader->meta();
  if (!meta) return report(meta.error());
  if (options.json) {
    boost::json::array all;
    const WallTime now = SystemClock().wall();
    for (const store::PageRow& page : *pages) all.push_back(page_json(page, *meta, now));
    show_json(all);
  } else if (pages->empty()) {
    std::puts("No page matches.");
  } else {
    print_table(*pages, *meta);
  }
  return 0;
}

}  // namespace

std::function<int()> setup_pages(CommandLine& line) {
  auto options = std::make_shared<PagesOptions>();
  add_database_options(line, options->database);
  line.choice<PageOrder>("--order", options->query.order,
                         {{"share", PageOrder::share},
                          {"changes", PageOrder::changes},
                          {"last_changed", PageOrder::last_changed},
                          {"url", PageOrder::url},
                          {"errors", PageOrder::errors},
                          {"next_due", PageOrder::next_due}},
                         "share (default), changes, last_changed, url, errors or next_due",
                         "ORDER");
  line.option("--contains", options->query.contains, "Only URLs that contain this text");
  line.option("--state", options->query.state,
              "active, paused or removed (default: active and paused)")
      .one_of({"active", "paused", "removed"}, "STATE");
  line.option("--limit", options->query.limit, "At most so many; 0 for all (default 50)")
      .check(whole_number);
  line.flag("--json", options->json, "Print JSON");
  return [options] { return show_pages(*options); };
}

}  // namespace pollux::cli

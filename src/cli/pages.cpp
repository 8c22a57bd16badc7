#include "cli/commands.hpp"
#include "cli/database_option.hpp"
#include "cli/output.hpp"
#include "cli/table_options.hpp"
#include "pollux/base/clock.hpp"
#include "pollux/cli/command_line.hpp"
#include "pollux/report/page.hpp"
#include "pollux/store/reader.hpp"
#include "pollux/web/facts.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace pollux::cli {
namespace {

using store::PageOrder;

struct PagesOptions {
  DatabaseOption database;
  store::Reader::PageQuery query;
  TableOptions table;
  bool json = false;
};

int show_pages(const PagesOptions& options) {
  Result<OpenDatabase> database = open_database(options.database);
  if (!database) return report(database.error());
  const Result<web::PageList> list = web::page_list(*database->reader, options.query);
  if (!list) return report(list.error());
  const auto& [pages, loads, figures] = *list;
  const WallTime now = SystemClock().wall();
  if (options.json) {
    boost::json::array all;
    for (const store::PageRow& page : pages) {
      all.push_back(report::page_json(page, figures, now, loads));
    }
    show_json(all);
  } else if (pages.empty()) {
    std::puts("No page matches.");
  } else {
    return print_table(Table(report::pages_table(pages, figures, now, loads)), options.table);
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
  line.option("--tag", options->query.tag, "Only pages with this tag");
  line.option(
          "--health", options->query.health,
          "Only pages that are ok, masked, noisy, flapping, moved, selector, suspect or failing")
      .one_of({"ok", "masked", "noisy", "flapping", "moved", "selector", "suspect", "failing"},
              "HEALTH");
  line.option("--limit", options->query.limit, "At most this many; 0 for all (default 50)")
      .check(whole_number);
  add_table_options(line, options->table, "url,share,every,last_change");
  line.flag("--json", options->json, "Print JSON").not_with("--columns");
  line.footer("SHARE and EVERY are planned; GOT and LATELY were measured in the last hour.");
  return [options] { return show_pages(*options); };
}

}  // namespace pollux::cli

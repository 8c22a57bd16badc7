#include "cli/commands.hpp"
#include "cli/database_option.hpp"
#include "cli/output.hpp"
#include "pollux/base/clock.hpp"
#include "pollux/cli/command_line.hpp"
#include "pollux/report/page.hpp"
#include "pollux/store/reader.hpp"

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
  std::string columns;
  bool wide = false;
  bool json = false;
};

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> words;
  for (std::size_t start = 0; start <= list.size();) {
    const std::size_t end = std::min(list.find(',', start), list.size());
    if (end > start) words.push_back(list.substr(start, end - start));
    start = end + 1;
  }
  return words;
}

// As much as fits on the screen, or what was asked for.
int print_table(Table table, const PagesOptions& options) {
  const std::optional<std::size_t> width = terminal_width(stdout);
  std::vector<std::string> left;
  if (!options.columns.empty()) {
    if (const Status kept = table.keep(words_of(options.columns)); !kept)
      return report({"--columns: " + kept.error().message, kept.error().exit_code});
  } else if (width && !options.wide) {
    left = table.fit(*width);
  }
  std::fputs(table.text(options.wide ? std::nullopt : width).c_str(), stdout);
  if (left.empty()) return 0;
  std::string names;
  for (const std::string& title : left) names += (names.empty() ? "" : ", ") + title;
  std::puts(shortened("Left out (--wide shows all): " + names, *width).c_str());
  return 0;
}

int show_pages(const PagesOptions& options) {
  Result<OpenDatabase> database = open_database(options.database);
  if (!database) return report(database.error());
  const Result<std::vector<store::PageRow>> pages = database->reader->pages(options.query);
  if (!pages) return report(pages.error());
  const Result<store::HostLoads> loads = database->reader->host_loads(*pages);
  if (!loads) return report(loads.error());
  const auto meta = database->reader->meta();
  if (!meta) return report(meta.error());
  const report::DaemonFigures figures = report::figures_of(*meta);
  const WallTime now = SystemClock().wall();
  if (options.json) {
    boost::json::array all;
    for (const store::PageRow& page : *pages) {
      all.push_back(report::page_json(page, figures, now, *loads));
    }
    show_json(all);
  } else if (pages->empty()) {
    std::puts("No page matches.");
  } else {
    return print_table(Table(report::pages_table(*pages, figures, now, *loads)), options);
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
  line.option("--limit", options->query.limit, "At most this many; 0 for all (default 50)")
      .check(whole_number);
  line.flag("--wide", options->wide, "All columns, nothing shortened, however narrow the terminal");
  line.option("--columns", options->columns,
              "Only these, in this order: url,share,every,last_change …")
      .called("NAMES");
  line.flag("--json", options->json, "Print JSON").not_with("--columns");
  line.footer("SHARE and EVERY are planned; GOT and LATELY were measured in the last hour.");
  return [options] { return show_pages(*options); };
}

}  // namespace pollux::cli

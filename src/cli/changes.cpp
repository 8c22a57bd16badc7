#include "pollux/report/changes.hpp"

#include "cli/commands.hpp"
#include "cli/database_option.hpp"
#include "cli/output.hpp"
#include "cli/since.hpp"
#include "pollux/base/clock.hpp"
#include "pollux/base/url.hpp"
#include "pollux/cli/command_line.hpp"
#include "pollux/store/reader.hpp"

#include <memory>

namespace pollux::cli {
namespace {

struct ChangesOptions {
  DatabaseOption database;
  std::string url;
  std::string since;
  std::int64_t limit = 50;
  bool json = false;
};

Result<store::Reader::ChangeQuery> query_of(const ChangesOptions& options) {
  store::Reader::ChangeQuery query;
  query.limit = options.limit;
  if (!options.url.empty()) {
    const Result<Url> url = parse_url(options.url);
    if (!url) return Error{"--url: " + url.error().message, ExitCode::usage};
    query.url = url->text;
  }
  if (!options.since.empty()) {
    const Result<WallTime> since = parse_since(options.since, SystemClock().wall());
    if (!since) return since.error();
    query.since = *since;
  }
  return query;
}

int show_changes(const ChangesOptions& options) {
  const Result<store::Reader::ChangeQuery> query = query_of(options);
  if (!query) return report(query.error());
  Result<OpenDatabase> database = open_database(options.database);
  if (!database) return report(database.error());
  if (!query->url.empty()) {
    // A page that is not there is a slip of the pen, not a page without changes.
    const Result<store::PageRow> page = database->reader->page(query->url);
    if (!page) return report(page.error());
  }
  const Result<std::vector<store::ChangeView>> changes = database->reader->changes(*query);
  if (!changes) return report(changes.error());
  if (options.json) {
    show_json(report::changes_json(*changes));
  } else if (changes->empty()) {
    std::puts("No change found.");
  } else {
    Table(report::changes_table(*changes, SystemClock().wall())).print(stdout);
  }
  return 0;
}

}  // namespace

std::function<int()> setup_changes(CommandLine& line) {
  auto options = std::make_shared<ChangesOptions>();
  add_database_options(line, options->database);
  line.option("--url", options->url, "Only changes of this page");
  line.option("--since", options->since,
              "Only changes found since: 2d, 6h, 2026-11-15 or 2026-11-15T08:30:00Z (UTC)");
  line.option("--limit", options->limit, "At most this many; 0 for all (default 50)")
      .check(whole_number);
  line.flag("--json", options->json, "Print JSON");
  return [options] { return show_changes(*options); };
}

}  // namespace pollux::cli

#include "pollux/report/history.hpp"

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/page_choice.hpp"
#include "cli/page_versions.hpp"
#include "pollux/base/clock.hpp"
#include "pollux/cli/command_line.hpp"
#include "pollux/store/reader.hpp"

#include <algorithm>
#include <memory>

namespace pollux::cli {
namespace {

struct HistoryOptions {
  DatabaseOption database;
  std::string url;
  std::int64_t limit = 50;
  bool json = false;
};

int show_history(const HistoryOptions& options) {
  const Result<PageVersions> page = open_versions(options.database, options.url);
  if (!page) return report(page.error());
  Result<std::vector<report::Version>> versions = web::history_of(*page->database.reader, *page);
  if (!versions) return report(versions.error());
  if (options.limit > 0 && std::ssize(*versions) > options.limit)
    versions->resize(static_cast<std::size_t>(options.limit));
  if (options.json) {
    show_json(report::history_json(*versions));
  } else {
    Table(report::history_table(*versions, SystemClock().wall())).print(stdout);
  }
  return 0;
}

}  // namespace

std::function<int()> setup_history(CommandLine& line) {
  auto options = std::make_shared<HistoryOptions>();
  line.option("URL", options->url, std::string("The page: ") + page_words).required();
  line.option("--limit", options->limit, "At most this many; 0 for all (default 50)")
      .check(whole_number);
  add_database_options(line, options->database);
  line.flag("--json", options->json, "Print JSON");
  line.footer(
      "The newest first. `pollux show URL --at VERSION` prints one, `pollux diff URL\n"
      "--from VERSION` compares it with the last. `storage: { content: … }` says how\n"
      "many are kept.");
  return [options] { return show_history(*options); };
}

}  // namespace pollux::cli

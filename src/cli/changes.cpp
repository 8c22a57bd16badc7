#include "pollux/report/changes.hpp"

#include "cli/commands.hpp"
#include "cli/database_option.hpp"
#include "cli/output.hpp"
#include "cli/page_choice.hpp"
#include "cli/table_options.hpp"
#include "cli/when.hpp"
#include "pollux/base/clock.hpp"
#include "pollux/cli/command_line.hpp"
#include "pollux/store/reader.hpp"

#include <memory>
#include <optional>

namespace pollux::cli {
namespace {

struct ChangesOptions {
  DatabaseOption database;
  std::string page, url;  // one of them
  std::string contains;
  std::string since;
  std::string until;
  std::string tag;
  std::int64_t limit = 50;
  TableOptions table;
  bool unread = false, json = false;
};

Result<store::Reader::ChangeQuery> query_of(const ChangesOptions& options) {
  store::Reader::ChangeQuery query;
  query.limit = options.limit;
  query.contains = options.contains;
  query.tag = options.tag;
  query.unread = options.unread;
  const auto read = [now = SystemClock().wall()](const char* name, const std::string& text,
                                                 std::optional<WallTime>& out) -> Status {
    if (text.empty()) return success();
    const Result<WallTime> moment = parse_when(text, now, name);
    if (!moment) return moment.error();
    out = *moment;
    return success();
  };
  if (Status since = read("--since", options.since, query.since); !since) return since.error();
  if (Status until = read("--until", options.until, query.until); !until) return until.error();
  return query;
}

int show_changes(const ChangesOptions& options) {
  Result<store::Reader::ChangeQuery> query = query_of(options);
  if (!query) return report(query.error());
  Result<OpenDatabase> database = open_database(options.database);
  if (!database) return report(database.error());
  const std::string& named = options.page.empty() ? options.url : options.page;
  if (!named.empty()) {
    // A page that is not there is a slip of the pen, not a page without changes.
    const Result<store::PageRow> page = choose_page(*database->reader, named);
    if (!page) return report(page.error());
    query->url = page->spec.url;
  }
  const Result<std::vector<store::ChangeView>> changes = database->reader->changes(*query);
  if (!changes) return report(changes.error());
  if (options.json) {
    show_json(report::changes_json(*changes));
  } else if (changes->empty()) {
    std::puts("No change found.");
  } else {
    return print_table(Table(report::changes_table(*changes, SystemClock().wall())), options.table);
  }
  return 0;
}

}  // namespace

std::function<int()> setup_changes(CommandLine& line) {
  auto options = std::make_shared<ChangesOptions>();
  add_database_options(line, options->database);
  line.option("URL", options->page, std::string("Only changes of this page: ") + page_words);
  line.option("--url", options->url, "The same");
  line.option("--contains", options->contains,
              "Only changes of pages whose URL contains this text");
  line.option("--tag", options->tag, "Only changes of pages with this tag");
  line.option("--since", options->since, std::string("Only changes found since: ") + when_words)
      .called("WHEN");
  line.option("--until", options->until, "Only changes found before: as --since").called("WHEN");
  line.option("--limit", options->limit, "At most this many; 0 for all (default 50)")
      .check(whole_number);
  line.flag("--unread", options->unread, "Only changes that `pollux read` has not marked");
  add_table_options(line, options->table, "id,found_at,url,what");
  line.flag("--json", options->json, "Print JSON").not_with("--columns");
  return [options] { return show_changes(*options); };
}

}  // namespace pollux::cli

#include "cli/atomic_file.hpp"
#include "cli/lab.hpp"
#include "cli/output.hpp"
#include "pollux/base/text.hpp"
#include "pollux/cli/command_line.hpp"
#include "pollux/store/reader.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <memory>

#include <boost/json/object.hpp>

namespace pollux::cli {

namespace {

struct RecordOptions {
  std::string database;
  std::string out;
  bool json = false;
};

struct RecordRow {
  std::int64_t page;
  double at;  // Unix seconds
};

double seconds(WallTime t) {
  return static_cast<double>(t.time_since_epoch().count()) / 1000;
}

// A page's first row is its birth. A change lies between two polls; the middle is the best guess.
Result<std::vector<RecordRow>> rows_of(store::Reader& reader) {
  std::vector<RecordRow> rows;
  for (const char* state : {"active", "paused", "removed"}) {
    const auto pages = reader.pages({.order = store::PageOrder::url, .state = state, .limit = 0});
    if (!pages) return pages.error();
    for (const store::PageRow& page : *pages)
      rows.push_back({value(page.id), seconds(page.added_at)});
  }
  const auto changes = reader.changes({.limit = std::numeric_limits<std::int64_t>::max()});
  if (!changes) return changes.error();
  for (const store::ChangeView& change : *changes) {
    const double from = seconds(change.row.previous_poll_at), to = seconds(change.row.found_at);
    rows.push_back({value(change.row.page), from + (to - from) / 2});
  }
  std::stable_sort(rows.begin(), rows.end(), [](const RecordRow& a, const RecordRow& b) {
    return a.page != b.page ? a.page < b.page : a.at < b.at;
  });
  return rows;
}

int run_record(const RecordOptions& options) {
  auto reader = store::Reader::open(options.database);
  if (!reader) return report(reader.error());
  const Result<std::vector<RecordRow>> rows = rows_of(**reader);
  if (!rows) return report(rows.error());

  std::string trace = "page,changed_at\n";
  for (const RecordRow& row : *rows) {
    char line[64];
    std::snprintf(line, sizeof line, "%lld,%.3f\n", static_cast<long long>(row.page), row.at);
    trace += line;
  }
  if (const Status written = write_atomically(options.out, trace); !written)
    return report(written.error());
  if (options.json) {
    show_json(boost::json::object{{"rows", rows->size()}, {"out", options.out}});
    return 0;
  }
  std::printf("%zu rows in %s; replay them with: pollux lab replay --trace %s --days D --rate R\n",
              rows->size(), printable(options.out).c_str(), printable(options.out).c_str());
  return 0;
}

}  // namespace

std::function<int()> setup_lab_record(CommandLine& line) {
  auto o = std::make_shared<RecordOptions>();
  line.option("--database", o->database, "A daemon's database, in use or not").required();
  line.option("--out", o->out, "The trace to write, CSV").required();
  line.flag("--json", o->json, "Print what was written as JSON");
  return [o] { return run_record(*o); };
}

}  // namespace pollux::cli

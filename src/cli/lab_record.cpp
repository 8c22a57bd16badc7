#include "cli/atomic_file.hpp"
#include "cli/lab.hpp"
#include "cli/output.hpp"
#include "pollux/base/text.hpp"
#include "pollux/cli/command_line.hpp"
#include "pollux/store/reader.hpp"

#include <cstdio>
#include <memory>

#include <boost/json/object.hpp>

namespace pollux::cli {

namespace {

struct RecordOptions {
  std::string database;
  std::string out;
  bool json = false;
};

int run_record(const RecordOptions& options) {
  auto reader = store::Reader::open(options.database);
  if (!reader) return report(reader.error());
  const Result<std::vector<RecordedRow>> rows = recorded_rows(**reader);
  if (!rows) return report(rows.error());

  std::string trace = "page,changed_at\n";
  for (const RecordedRow& row : *rows) {
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

#include "pollux/report/status.hpp"

#include "cli/commands.hpp"
#include "cli/database_option.hpp"
#include "cli/output.hpp"
#include "cli/wrapped.hpp"
#include "pollux/base/clock.hpp"
#include "pollux/base/exit_code.hpp"
#include "pollux/cli/command_line.hpp"
#include "pollux/store/reader.hpp"
#include "pollux/web/facts.hpp"

#include <memory>

namespace pollux::cli {
namespace {

struct StatusOptions {
  DatabaseOption database;
  bool json = false;
  bool check = false;
};

int show_status(const StatusOptions& options) {
  Result<OpenDatabase> database = open_database(options.database);
  if (!database) return report(database.error());
  const Result<report::StatusFacts> facts =
      web::status_facts(*database->reader, database->path, SystemClock().wall());
  if (!facts) return report(facts.error());
  if (options.json) {
    show_json(report::status_json(*facts));
  } else {
    print_lines(report::status_of(*facts), 11, stdout);
  }
  return options.check && !facts->health.healthy ? static_cast<int>(ExitCode::unavailable) : 0;
}

}  // namespace

std::function<int()> setup_status(CommandLine& line) {
  auto options = std::make_shared<StatusOptions>();
  add_database_options(line, options->database);
  line.flag("--json", options->json, "Print JSON");
  line.flag("--check", options->check,
            "Exit with 69 unless a daemon runs and gave a sign of life within the last minute");
  return [options] { return show_status(*options); };
}

}  // namespace pollux::cli

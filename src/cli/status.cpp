#include "pollux/report/status.hpp"

#include "cli/commands.hpp"
#include "cli/database_option.hpp"
#include "cli/demo_terminal.hpp"
#include "cli/output.hpp"
#include "cli/stop_signal.hpp"
#include "cli/wrapped.hpp"
#include "pollux/base/clock.hpp"
#include "pollux/base/exit_code.hpp"
#include "pollux/cli/command_line.hpp"
#include "pollux/report/brains.hpp"
#include "pollux/report/json.hpp"
#include "pollux/store/reader.hpp"
#include "pollux/web/facts.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace pollux::cli {
namespace {

constexpr std::size_t topic_column = 11;

struct StatusOptions {
  DatabaseOption database;
  bool json = false;
  bool check = false;
  bool all = false;
  double watch = 0;  // seconds; 0: once
};

// The lines as they stand on this terminal, as many as it has room for.
std::vector<std::string> screen_lines(const std::vector<report::Line>& lines) {
  const demo::Canvas canvas = stdout_canvas();
  const std::string text = lines_text(lines, topic_column, canvas.width);
  std::vector<std::string> out;
  for (std::size_t start = 0; start < text.size() && out.size() + 1 < canvas.height;) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    out.push_back(shortened(text.substr(start, end - start), canvas.width));
    start = end + 1;
  }
  return out;
}

// Until Ctrl-C. On a terminal in one place; elsewhere one after the other, JSON a line each.
int watch_status(const StatusOptions& options) {
  const StopSignal stop;
  std::unique_ptr<LiveScreen> screen;
  std::vector<std::string> last;
  bool healthy = false;
  do {
    Result<OpenDatabase> database = open_database(options.database);
    if (!database) return screen.reset(), report(database.error());
    const Result<report::StatusFacts> facts =
        web::status_facts(*database->reader, database->path, SystemClock().wall());
    if (!facts) return screen.reset(), report(facts.error());
    healthy = facts->health.healthy;
    if (options.json) {
      std::string line = report::json_text(report::status_json(*facts));
      std::erase(line, '\n');
      std::puts(line.c_str());
    } else if (stdout_is_terminal()) {
      if (!screen) screen = std::make_unique<LiveScreen>();
      last = screen_lines(report::status_of(*facts));
      screen->show(last);
    } else {
      print_lines(report::status_of(*facts), topic_column, stdout);
      std::puts("");
    }
    // Whoever reads a pipe may have gone.
    if (std::fflush(stdout) != 0) return static_cast<int>(ExitCode::io);
  } while (stop.rest(from_seconds(options.watch)));
  screen.reset();
  for (const std::string& line : last) std::puts(line.c_str());  // it stays to be read
  return options.check && !healthy ? static_cast<int>(ExitCode::unavailable) : 0;
}

// Of all brains that share the budget, as the one on this database knows them.
int show_all(const StatusOptions& options) {
  Result<OpenDatabase> database = open_database(options.database);
  if (!database) return report(database.error());
  auto meta = database->reader->meta();
  if (!meta) return report(meta.error());
  const auto overview = report::brains_of((*meta)["brains"], SystemClock().wall());
  if (options.json) {
    show_json(report::brains_json(overview.value_or(report::BrainsOverview{})));
  } else if (!overview) {
    std::puts(report::no_brains);
  } else {
    Table(report::brains_table(*overview)).print(stdout);
    std::puts(("\n" + report::brains_text(*overview)).c_str());
  }
  return 0;
}

int show_status(const StatusOptions& options) {
  Result<OpenDatabase> database = open_database(options.database);
  if (!database) return report(database.error());
  const Result<report::StatusFacts> facts =
      web::status_facts(*database->reader, database->path, SystemClock().wall());
  if (!facts) return report(facts.error());
  if (options.json) {
    show_json(report::status_json(*facts));
  } else {
    print_lines(report::status_of(*facts), topic_column, stdout);
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
  line.flag("--all", options->all, "All brains that share the budget with this one, added up");
  line.option("--watch", options->watch, "Show it again every few seconds, until Ctrl-C")
      .called("SECONDS")
      .range(0.1, 86400.0)
      .or_alone("2")
      .not_with("--all");
  return [options] {
    if (options->all) return show_all(*options);
    return options->watch > 0 ? watch_status(*options) : show_status(*options);
  };
}

}  // namespace pollux::cli

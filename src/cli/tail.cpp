#include "cli/commands.hpp"
#include "cli/daemon_client.hpp"
#include "cli/daemon_events.hpp"
#include "cli/diff_output.hpp"
#include "cli/output.hpp"
#include "cli/steering.hpp"
#include "pollux/base/text.hpp"
#include "pollux/cli/command_line.hpp"

#include <memory>

#include <boost/json/serialize.hpp>
#include <spdlog/fmt/fmt.h>

namespace pollux::cli {
namespace {

namespace json = boost::json;

struct TailOptions {
  DatabaseOption database;
  bool changes = false, polls = false, json = false;
};

// The daemon gives a sign of life every few seconds, so this is only how often nothing is done.
constexpr Duration patience = std::chrono::minutes(1);

std::string coloured(const std::string& text, std::string_view colour, const Screen& screen) {
  if (!screen.colour || text.empty()) return text;
  return std::string(colour) + text + "\x1b[0m";
}

// "08:30:00", of the day that every line is of.
std::string clock_of(const json::object& data) {
  const std::string at = words_in(data, "at");
  return at.size() >= 19 ? printable(at.substr(11, 8)) : "";
}

std::string page_of(const json::object& data) {
  const std::string name = words_in(data, "name");
  return name.empty() ? printable_url(words_in(data, "url")) : printable(name, 200);
}

std::string line_of(const DaemonEvent& event, const Screen& screen) {
  const json::object& data = event.data;
  const std::string start = clock_of(data);
  if (event.what == "gap") {
    return coloured(fmt::format("{} gap     {} events were missed: they came too fast to be shown",
                                start, count_in(data, "missed")),
                    "\x1b[33m", screen);
  }
  if (event.what == "change") {
    return fmt::format("{} {} {}  {}", start, coloured("change ", "\x1b[1;32m", screen),
                       page_of(data), printable(words_in(data, "summary"), 500));
  }
  if (event.what == "health") {
    const std::string health = printable(words_in(data, "health"), 40);
    const std::string reason = printable(words_in(data, "reason"), 300);
    return fmt::format("{} {} {}  {}{}", start,
                       coloured("health ", health == "ok" ? "\x1b[32m" : "\x1b[31m", screen),
                       page_of(data), health, reason.empty() ? "" : ": " + reason);
  }
  const std::string why = printable(words_in(data, "why"), 300);
  return fmt::format("{} {} {}  {}, {} ms{}", start, coloured("poll   ", "\x1b[2m", screen),
                     page_of(data), outcome_in(data), count_in(data, "ms"),
                     why.empty() ? "" : "; " + why);
}

void show(const DaemonEvent& event, const TailOptions& options, const Screen& screen) {
  if (options.json) {
    json::object line{{"event", event.what}};
    for (const auto& [name, value] : event.data) line[name] = value;
    std::puts(json::serialize(line).c_str());
    return;
  }
  const std::string line = line_of(event, screen);
  // Colours have no width, so only lines without any are cut to the screen.
  std::puts(screen.width && !screen.colour ? shortened(line, *screen.width).c_str() : line.c_str());
}

int follow(const TailOptions& options) {
  const Result<DaemonClient> daemon = DaemonClient::connect(options.database);
  if (!daemon) return report(daemon.error());
  const bool all = options.changes == options.polls;
  Result<http::Client> stream = daemon->open_events(all               ? ""
                                                    : options.changes ? "?what=change"
                                                                      : "?what=poll");
  if (!stream) return report(stream.error());
  DaemonEvents events(std::move(*stream));
  const Screen screen = screen_of(stdout);
  while (!events.ended()) {
    for (const DaemonEvent& event : events.take(patience)) show(event, options, screen);
    // Whoever reads a pipe wants lines as they come, and may have gone.
    if (std::fflush(stdout) != 0) return static_cast<int>(ExitCode::io);
  }
  return report({"the daemon has ended; `pollux status` tells whether another one runs",
                 ExitCode::unavailable});
}

}  // namespace

std::function<int()> setup_tail(CommandLine& line) {
  auto options = std::make_shared<TailOptions>();
  line.flag("--changes", options->changes, "Only the changes found");
  line.flag("--polls", options->polls, "Only the polls made");
  line.flag("--json", options->json, "An object of JSON a line");
  add_database_options(line, options->database);
  line.footer(
      "Goes on until Ctrl-C, or until the daemon ends (exit code 69). Times are UTC.\n"
      "What comes too fast to be shown is counted in a line that says gap.");
  return [options] { return follow(*options); };
}

}  // namespace pollux::cli

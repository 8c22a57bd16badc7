#include "cli/commands.hpp"
#include "cli/database_option.hpp"
#include "cli/health.hpp"
#include "cli/output.hpp"
#include "pollux/base/clock.hpp"
#include "pollux/base/exit_code.hpp"
#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"
#include "pollux/cli/command_line.hpp"
#include "pollux/store/reader.hpp"

#include <memory>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <spdlog/fmt/fmt.h>

namespace pollux::cli {
namespace {

struct StatusOptions {
  DatabaseOption database;
  bool json = false;
  bool check = false;
};

constexpr auto recent = std::chrono::minutes(10);
constexpr std::int64_t large_log = 64 << 20;

struct Picture {
  std::string database;
  store::Summary summary;
  Health health;
  BudgetUse use;
  WallTime now;
};

std::string daemon_line(const Picture& picture) {
  const Health& health = picture.health;
  if (!health.running) {
    std::string line = "not running";
    if (health.heartbeat_at)
      line += "; the last one was alive " + ago(health.heartbeat_at, picture.now);
    return line;
  }
  std::string line = "running";
  if (health.pid > 0) line += ", pid " + std::to_string(health.pid);
  if (health.started_at) line += ", since " + format_time(*health.started_at);
  if (!health.healthy && health.alert.empty())
    line += "; STUCK? its last sign of life was " + ago(health.heartbeat_at, picture.now);
  return line;
}

std::string budget_line(const Picture& picture) {
  const std::optional<double> budget = meta_number(picture.summary.meta, "budget");
  std::string line = budget ? format_rate(*budget) : "unknown";
  if (picture.use.seconds <= 0) return line;
  const std::string covered = format_duration(from_seconds(picture.use.seconds));
  if (const std::optional<double> part = picture.use.part()) {
    line += fmt::format(", {:.1f} % used", *part * 100);
  }
  return line + fmt::format(" ({} requests in {})", picture.use.requests, covered);
}

std::string fetches_line(const Picture& picture) {
  const Meta& meta = picture.summary.meta;
  const auto number = [&](const char* key) { return meta_number(meta, key).value_or(0); };
  std::string line =
      fmt::format("{:.0f} out of {:.0f} allowed, {:.0f} pages wait for detection",
                  number("fetches_out"), number("fetches_allowed"), number("detect_waiting"));
  const double starved = number("detect_starved_seconds");
  return line + fmt::format("; since the start: starved {}, overflowed {} times",
                            format_duration(from_seconds(starved)), number("detect_overflows"));
}

void print_text(const Picture& picture) {
  const store::Summary& all = picture.summary;
  const Meta& meta = all.meta;
  std::string pages = fmt::format("{} active on {} hosts", all.active, all.hosts);
  if (all.paused > 0) pages += fmt::format(", {} paused", all.paused);
  if (all.removed > 0) pages += fmt::format(", {} removed", all.removed);
  const std::string policy = meta_text(meta, "policy");
  std::string learner = policy.empty() ? "unknown" : policy;
  if (const std::string goal = meta_text(meta, "objective"); policy == "htraa" && !goal.empty()) {
    learner += ", objective " + goal;
  }
  if (const auto explore = meta_number(meta, "explore")) {
    learner += ", " + percent_text(*explore) + " of the polls explore";
  }
  std::string files = fmt::format("{}, {}, log {}", printable(picture.database),
                                  format_bytes(static_cast<std::uint64_t>(all.database_bytes)),
                                  format_bytes(static_cast<std::uint64_t>(all.wal_bytes)));
  if (all.wal_bytes > large_log) files += " (large: does a reader hold a transaction open?)";

  const auto line = [](const char* name, const std::string& text) {
    std::fputs(fmt::format("{:<10} {}\n", name, text).c_str(), stdout);
  };
  line("daemon", daemon_line(picture));
  if (!picture.health.alert.empty()) {
    line("ALERT", printable(picture.health.alert) +
                      "; polling goes on, results wait in memory, what is shown here is older");
  }
  line("budget", budget_line(picture));
  line("pages", pages);
  line("failing",
       fmt::format("{}{}", all.failing, all.failing > 0 ? "   (pollux pages --order errors)" : ""));
  line("changes",
       fmt::format("{} in the last {}, {} since the beginning in {} polls", picture.use.changes,
                   format_duration(recent), all.changes, all.polls));
  line("learner", learner);
  if (meta_number(meta, "fetches_allowed")) line("fetches", fetches_line(picture));
  if (const auto stretch = meta_number(meta, "max_interval_stretch"); stretch && *stretch > 1.01) {
    line("note", fmt::format("the budget cannot pay for every max_interval; they are stretched "
                             "{:.2g} times",
                             *stretch));
  }
  line("database", files);
  if (const std::optional<WallTime> at = meta_time(meta, "last_backup_at")) {
    line("backup", ago(at, picture.now) + ", " + printable(meta_text(meta, "last_backup")));
  }
  if (const std::string file = meta_text(meta, "config_file"); !file.empty()) {
    line("config", printable(file));
  }
}

boost::json::value number_or_null(const std::optional<double>& number) {
  if (!number) return nullptr;
  return json_number(*number);
}

boost::json::array minutes_json(const std::vector<store::MinuteRow>& minutes) {
  boost::json::array out;
  for (const store::MinuteRow& row : minutes) {
    out.push_back({{"minute", json_time(row.minute)},
                   {"budget", json_number(row.budget)},
                   {"requests", row.requests},
                   {"polls", row.polls},
                   {"changes", row.changes},
                   {"same", row.same},
                   {"errors", row.errors},
                   {"explored", row.explored}});
  }
  return out;
}

void print_as_json(const Picture& picture) {
  const store::Summary& all = picture.summary;
  boost::json::object out;
  out["running"] = picture.health.running;
  out["healthy"] = picture.health.healthy;
  out["alert"] = json_text_or_null(picture.health.alert);
  out["pid"] = nullptr;
  if (picture.health.pid > 0) out["pid"] = picture.health.pid;
  out["started_at"] = json_time(picture.health.started_at);
  out["heartbeat_at"] = json_time(picture.health.heartbeat_at);
  for (const char* key : {"version", "policy", "config_file"}) {
    out[key] = json_text_or_null(meta_text(all.meta, key));
  }
  out["last_backup_at"] = json_time(meta_time(all.meta, "last_backup_at"));
  out["last_backup"] = json_text_or_null(meta_text(all.meta, "last_backup"));
  for (const char* key : {"budget", "explore", "max_interval_stretch", "loop_stall_p999_ms",
                          "loop_stall_longest_ms"}) {
    out[key] = number_or_null(meta_number(all.meta, key));
  }
  boost::json::object fetches;
  for (const char* key : {"fetches_out", "fetches_allowed", "detect_waiting", "fetch_rate",
                          "detect_rate", "detect_starved_seconds", "detect_overflows"}) {
    fetches[key] = number_or_null(meta_number(all.meta, key));
  }
  out["fetches"] = std::move(fetches);
  out["budget_used"] = number_or_null(picture.use.part());
  out["pages"] = {{"active", all.active},
                  {"paused", all.paused},
                  {"removed", all.removed},
                  {"failing", all.failing},
                  {"hosts", all.hosts}};
  out["polls"] = all.polls;
  out["changes"] = all.changes;
  out["errors"] = all.errors;
  out["database"] = picture.database;
  out["database_bytes"] = all.database_bytes;
  out["wal_bytes"] = all.wal_bytes;
  out["minutes"] = minutes_json(all.minutes);
  show_json(out);
}

int show_status(const StatusOptions& options) {
  Result<OpenDatabase> database = open_database(options.database);
  if (!database) return report(database.error());
  Result<store::Summary> summary = database->reader->summary();
  if (!summary) return report(summary.error());
  Picture picture{.database = database->path,
                  .summary = std::move(*summary),
                  .health = {},
                  .use = {},
                  .now = SystemClock().wall()};
  picture.health = health_of(picture.database, picture.summary.meta, picture.now);
  picture.use = budget_use(picture.summary.minutes, picture.health, recent);
  if (options.json) {
    print_as_json(picture);
  } else {
    print_text(picture);
  }
  return options.check && !picture.health.healthy ? static_cast<int>(ExitCode::unavailable) : 0;
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

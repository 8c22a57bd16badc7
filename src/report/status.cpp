#include "pollux/report/status.hpp"

#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"
#include "pollux/report/access_points.hpp"
#include "pollux/report/json.hpp"

#include <boost/json/array.hpp>
#include <spdlog/fmt/fmt.h>

namespace pollux::report {
namespace {

constexpr auto recent = std::chrono::minutes(10);
constexpr std::int64_t large_log = 64 << 20;

BudgetUse recent_use(const StatusFacts& facts) {
  return budget_use(facts.summary.minutes, facts.health, recent);
}

std::string daemon_text(const StatusFacts& facts) {
  const Health& health = facts.health;
  if (!health.running) {
    std::string text = "not running";
    if (health.heartbeat_at)
      text += "; the last one was alive " + ago(health.heartbeat_at, facts.now);
    return text;
  }
  std::string text = "running";
  if (health.pid > 0) text += ", pid " + std::to_string(health.pid);
  if (health.started_at) text += ", since " + format_time(*health.started_at);
  if (!health.healthy && health.alert.empty())
    text += "; STUCK? its last sign of life was " + ago(health.heartbeat_at, facts.now);
  return text;
}

std::string budget_text(const StatusFacts& facts, const BudgetUse& use) {
  const std::optional<double>& budget = facts.figures.budget;
  std::string text = budget ? format_rate(*budget) : "unknown";
  if (facts.figures.file_budget)
    text += " (set live; the file says " + format_rate(*facts.figures.file_budget) + ")";
  if (use.seconds <= 0) return text;
  const std::string covered = format_duration(from_seconds(use.seconds));
  if (const std::optional<double> part = use.part()) {
    text += fmt::format(", {:.1f} % used", *part * 100);
  }
  return text + fmt::format(" ({} requests in {})", use.requests, covered);
}

std::string pages_text(const store::Summary& all) {
  std::string text = fmt::format("{} active on {}", all.active, count_of(all.hosts, "host"));
  if (all.paused > 0) text += fmt::format(", {} paused", all.paused);
  if (all.removed > 0) text += fmt::format(", {} removed", all.removed);
  return text;
}

std::string learner_text(const DaemonFigures& figures) {
  std::string text = figures.policy.empty() ? "unknown" : figures.policy;
  if (figures.policy == "htraa" && !figures.objective.empty()) {
    text += ", objective " + figures.objective;
  }
  if (figures.explore) text += ", " + percent_text(*figures.explore) + " of the polls explore";
  return text;
}

// Of the last minutes, as long as anybody looked.
std::string looks_text(const store::Summary& all) {
  std::int64_t polls = 0, looks = 0, found = 0;
  for (const store::MinuteRow& row : all.minutes) {
    polls += row.polls;
    looks += row.looks;
    found += row.looks_found;
  }
  if (looks == 0) return {};
  return fmt::format("{} of {} polls were at siblings of pages that had changed, {} found a change",
                     looks, polls, found);
}

std::string fetches_text(const DaemonFigures& figures) {
  const std::string starved =
      format_duration(from_seconds(figures.detect_starved_seconds.value_or(0)));
  return fmt::format(
      "{:.0f} out of {:.0f} allowed, {:.0f} pages wait for detection; since the start: starved {}, "
      "overflowed {} times",
      figures.fetches_out.value_or(0), figures.fetches_allowed.value_or(0),
      figures.detect_waiting.value_or(0), starved, figures.detect_overflows.value_or(0));
}

std::string files_text(const StatusFacts& facts) {
  const store::Summary& all = facts.summary;
  std::string text = fmt::format("{}, {}, log {}", printable(facts.database),
                                 format_bytes(static_cast<std::uint64_t>(all.database_bytes)),
                                 format_bytes(static_cast<std::uint64_t>(all.wal_bytes)));
  if (all.wal_bytes > large_log) text += " (large: does a reader hold a transaction open?)";
  return text;
}

boost::json::object fetches_json(const DaemonFigures& figures) {
  return {{"fetches_out", json_number(figures.fetches_out)},
          {"fetches_allowed", json_number(figures.fetches_allowed)},
          {"detect_waiting", json_number(figures.detect_waiting)},
          {"fetch_rate", json_number(figures.fetch_rate)},
          {"detect_rate", json_number(figures.detect_rate)},
          {"detect_starved_seconds", json_number(figures.detect_starved_seconds)},
          {"detect_overflows", json_number(figures.detect_overflows)}};
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
                   {"explored", row.explored},
                   {"looks", row.looks},
                   {"looks_found", row.looks_found}});
  }
  return out;
}

}  // namespace

std::vector<Line> status_of(const StatusFacts& facts) {
  const store::Summary& all = facts.summary;
  const DaemonFigures& figures = facts.figures;
  const BudgetUse use = recent_use(facts);
  std::vector<Line> lines{{"daemon", daemon_text(facts)}};
  if (!facts.health.alert.empty()) {
    lines.push_back(
        {"ALERT", printable(facts.health.alert) +
                      "; polling goes on, results wait in memory, what is shown here is older"});
  }
  if (!figures.reload_refused.empty()) {
    lines.push_back({"RELOAD", "refused " + ago(figures.reloaded_at, facts.now) +
                                   ", the old configuration stays in force: " +
                                   printable(figures.reload_refused, 1'000)});
  }
  lines.push_back({"budget", budget_text(facts, use)});
  lines.push_back({"pages", pages_text(all)});
  lines.push_back(
      {"failing", fmt::format("{}{}", all.failing,
                              all.failing > 0 ? "   (pollux pages --order errors)" : "")});
  lines.push_back(
      {"changes", fmt::format("{} in the last {}, {} since the beginning in {} polls", use.changes,
                              format_duration(recent), all.changes, all.polls)});
  if (const store::DeliveryCounts& told = all.deliveries;
      told.waiting + told.sent + told.dead > 0) {
    lines.push_back(
        {"told", fmt::format("{} sent, {} waiting, {} given up{}", told.sent, told.waiting,
                             told.dead, told.dead > 0 ? "   (pollux notify --failed)" : "")});
  }
  lines.push_back({"learner", learner_text(figures)});
  if (std::string looks = looks_text(all); !looks.empty())
    lines.push_back({"looks", std::move(looks)});
  if (figures.fetches_allowed) lines.push_back({"fetches", fetches_text(figures)});
  if (std::string agents = agents_text(agents_of(all.meta)); !agents.empty())
    lines.push_back({"agents", std::move(agents)});
  if (const auto& stretch = figures.max_interval_stretch; stretch && *stretch > 1.01) {
    lines.push_back({"note", fmt::format("the budget cannot pay for every max_interval; they are "
                                         "stretched {} times",
                                         number_text(*stretch))});
  }
  lines.push_back({"database", files_text(facts)});
  if (figures.last_backup_at) {
    lines.push_back(
        {"backup", ago(figures.last_backup_at, facts.now) + ", " + printable(figures.last_backup)});
  }
  if (!figures.config_file.empty()) lines.push_back({"config", printable(figures.config_file)});
  return lines;
}

boost::json::object status_json(const StatusFacts& facts) {
  const store::Summary& all = facts.summary;
  const DaemonFigures& figures = facts.figures;
  const Health& health = facts.health;
  boost::json::object out;
  out["running"] = health.running;
  out["healthy"] = health.healthy;
  out["alert"] = json_text_or_null(health.alert);
  out["pid"] = nullptr;
  if (health.pid > 0) out["pid"] = health.pid;
  out["started_at"] = json_time(health.started_at);
  out["heartbeat_at"] = json_time(health.heartbeat_at);
  out["version"] = json_text_or_null(figures.version);
  out["policy"] = json_text_or_null(figures.policy);
  out["config_file"] = json_text_or_null(figures.config_file);
  out["reload_refused"] = json_text_or_null(figures.reload_refused);
  out["reloaded_at"] = json_time(figures.reloaded_at);
  out["last_backup_at"] = json_time(figures.last_backup_at);
  out["last_backup"] = json_text_or_null(figures.last_backup);
  out["budget"] = json_number(figures.budget);
  out["file_budget"] = json_number(figures.file_budget);
  out["explore"] = json_number(figures.explore);
  out["follow"] = json_number(figures.follow);
  out["max_interval_stretch"] = json_number(figures.max_interval_stretch);
  out["loop_stall_p999_ms"] = json_number(figures.loop_stall_p999_ms);
  out["loop_stall_longest_ms"] = json_number(figures.loop_stall_longest_ms);
  out["fetches"] = fetches_json(figures);
  out["budget_used"] = json_number(recent_use(facts).part());
  out["pages"] = {{"active", all.active},
                  {"paused", all.paused},
                  {"removed", all.removed},
                  {"failing", all.failing},
                  {"hosts", all.hosts}};
  out["deliveries"] = {{"waiting", all.deliveries.waiting},
                       {"sent", all.deliveries.sent},
                       {"dead", all.deliveries.dead}};
  out["polls"] = all.polls;
  out["changes"] = all.changes;
  out["errors"] = all.errors;
  boost::json::array agents;
  for (const AgentState& agent : agents_of(all.meta))
    agents.push_back({{"name", agent.name}, {"alive", agent.alive}, {"renders", agent.renders}});
  out["agents"] = std::move(agents);
  out["database"] = facts.database;
  out["database_bytes"] = all.database_bytes;
  out["wal_bytes"] = all.wal_bytes;
  out["minutes"] = minutes_json(all.minutes);
  return out;
}

}  // namespace pollux::report

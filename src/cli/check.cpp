// `pollux check`: is the configuration valid, and achievable within the budget?
#include "cli/commands.hpp"
#include "cli/configuration.hpp"
#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"
#include "pollux/cli/command_line.hpp"
#include "pollux/config/config.hpp"
#include "pollux/config/plan.hpp"
#include "pollux/report/text.hpp"
#include "pollux/store/reader.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <boost/json.hpp>
#include <spdlog/fmt/fmt.h>

namespace pollux::cli {
namespace {

constexpr std::size_t hosts_shown = 10;

struct CheckOptions {
  std::string config;
  bool json = false;
};

std::span<const config::HostPlan> largest(const config::Plan& plan) {
  return std::span(plan.hosts).first(std::min(hosts_shown, plan.hosts.size()));
}

// JSON knows no infinity: null stands for "unlimited".
boost::json::value rate_or_null(double rate) {
  return std::isinf(rate) ? boost::json::value(nullptr) : boost::json::value(rate);
}

std::string as_json(const config::Loaded& loaded, const config::Plan& plan) {
  const config::Config& config = loaded.config;
  boost::json::array hosts;
  for (const config::HostPlan& host : largest(plan)) {
    hosts.push_back({{"host", host.host},
                     {"pages", host.pages},
                     {"demanded_per_second", rate_or_null(host.demanded)},
                     {"robots_per_second", rate_or_null(host.robots)},
                     {"allowed_per_second", rate_or_null(host.allowed)}});
  }
  const auto texts = [](const std::vector<config::Warning>& list) {
    boost::json::array all;
    for (const config::Warning& one : list) all.emplace_back(one.message);
    return all;
  };
  return boost::json::serialize(
             boost::json::object{{"config", printable(config.file)},
                                 {"database", printable(config.database)},
                                 {"policy", config.learner.policy},
                                 {"pages", config.pages.size()},
                                 {"hosts", plan.hosts.size()},
                                 {"budget_per_second", rate_or_null(config.schedule.budget)},
                                 {"rendered_pages", plan.rendered},
                                 {"demanded_per_second", rate_or_null(plan.demanded)},
                                 {"robots_per_second", rate_or_null(plan.robots)},
                                 {"usable_per_second", rate_or_null(plan.usable)},
                                 {"largest_hosts", std::move(hosts)},
                                 {"notes", texts(loaded.notes)},
                                 {"warnings", texts(loaded.warnings)}}) +
         "\n";
}

std::string part_of_budget(double demanded, double budget) {
  if (std::isinf(budget)) return "";
  return fmt::format(" ({} of the budget)", report::percent_text(demanded / budget));
}

bool can_work(const config::Loaded& loaded) {
  return refused_pages(loaded.config).pages < loaded.config.pages.size();
}

std::string for_people(const config::Loaded& loaded, const config::Plan& plan) {
  const config::Config& config = loaded.config;
  const auto count = [](std::size_t n, std::string_view thing) {
    return count_of(static_cast<std::int64_t>(n), thing);
  };
  std::string out;
  const auto line = [&](std::string_view name, const std::string& value) {
    out += fmt::format("{:<15}{}\n", name, value);
  };
  line("configuration", printable(config.file));
  line("database", printable(config.database));
  line("pages", count(config.pages.size(), "page") + " on " + count(plan.hosts.size(), "host"));
  line("budget", format_rate(config.schedule.budget));
  line("policy", config.learner.policy);
  line("needed", format_rate(plan.demanded) + " to keep every max_interval" +
                     (plan.robots > 0 ? " and " + format_rate(plan.robots) + " for robots.txt"
                                      : std::string()) +
                     part_of_budget(plan.demanded + plan.robots, config.schedule.budget));
  if (plan.rendered > 0)
    line("rendered", count(plan.rendered, "page") + ", at " +
                         count(static_cast<std::size_t>(config.render.price), "request") +
                         " for each poll");
  line("usable", std::isinf(plan.usable)
                     ? std::string("any budget: no min_interval and no host delay limits it")
                     : "at most " + format_rate(plan.usable) + ", by min_interval and host delay");

  const std::span<const config::HostPlan> hosts = largest(plan);
  std::size_t width = 12;
  for (const config::HostPlan& host : hosts) width = std::max(width, host.host.size());
  out += fmt::format("\n{:<{}}  {:>8}  {:>10}  {:>10}\n", "largest host", width, "pages", "needed",
                     "allowed");
  for (const config::HostPlan& host : hosts) {
    out += fmt::format("{:<{}}  {:>8}  {:>10}  {:>10}\n", host.host, width, host.pages,
                       format_rate(host.demanded + host.robots), format_rate(host.allowed));
  }
  if (plan.hosts.size() > hosts.size()) {
    out += fmt::format("and {} more\n", count(plan.hosts.size() - hosts.size(), "host"));
  }
  out += '\n';
  for (const config::Warning& note : loaded.notes) out += "note: " + note.message + '\n';
  for (const config::Warning& warning : loaded.warnings) {
    out += "warning: " + warning.message + '\n';
  }
  if (!can_work(loaded)) {
    out += "not ok: no page can be polled\n";
  } else {
    out += loaded.warnings.empty() ? "ok: everything can be met\n"
                                   : "ok, with " + count(loaded.warnings.size(), "warning") + '\n';
  }
  return out;
}

// Whether a daemon of the user who asks would find what the configuration names.
void warn_of_surroundings(config::Loaded& loaded) {
  const auto warn = [&](const std::string& message) { loaded.warnings.push_back({message}); };
  const config::Config& config = loaded.config;
  if (const Status usable = store::check_writable(config.database); !usable) {
    warn("a daemon of this user could not start: " + usable.error().message);
  }
  if (const std::string& authorities = config.fetch.ca_file;
      !authorities.empty() && !std::ifstream(authorities).is_open()) {
    warn("a daemon of this user could not start: network.ca_file " + printable(authorities) +
         " cannot be read");
  }
  const std::string& backups = config.storage.backup.directory;
  if (backups.empty()) return;
  if (const Status usable = store::check_writable(backups + "/pollux.db"); !usable) {
    warn("no backup could be made in storage.backup_directory: " + usable.error().message);
  }
}

int check(const CheckOptions& options) {
  std::vector<std::string> errors;
  Result<config::Loaded> loaded = load_configuration(options.config, &errors);
  if (!loaded) return report_configuration("pollux check", loaded.error(), errors);
  warn_of_surroundings(*loaded);
  const config::Plan plan = config::make_plan(loaded->config);
  const std::string out = options.json ? as_json(*loaded, plan) : for_people(*loaded, plan);
  const bool written =
      std::fwrite(out.data(), 1, out.size(), stdout) == out.size() && std::fflush(stdout) == 0;
  if (!written) return static_cast<int>(ExitCode::io);
  return static_cast<int>(can_work(*loaded) ? ExitCode::ok : ExitCode::configuration);
}

}  // namespace

std::function<int()> setup_check(CommandLine& line) {
  const auto options = std::make_shared<CheckOptions>();
  line.option("--config", options->config, "The configuration to check").required().called("FILE");
  line.flag("--json", options->json, "Print one JSON object instead of tables");
  line.footer(
      "Starts nothing and connects to nobody. Warnings do not fail it. Exit codes:\n"
      "0 valid, 65 bad pages file, 66 a file is missing, 78 bad configuration or no\n"
      "page to poll.");
  return [options] { return check(*options); };
}

}  // namespace pollux::cli

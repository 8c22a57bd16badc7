// `pollux check`: is the configuration valid, and achievable within the budget?
#include "cli/commands.hpp"
#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"
#include "pollux/cli/command_line.hpp"
#include "pollux/config/config.hpp"
#include "pollux/config/plan.hpp"
#include "pollux/learn/policy.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <span>
#include <string>

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
  boost::json::array warnings;
  for (const config::Warning& warning : loaded.warnings) warnings.emplace_back(warning.message);
  return boost::json::serialize(
             boost::json::object{{"config", printable(config.file)},
                                 {"database", printable(config.database)},
                                 {"policy", config.learner.policy},
                                 {"pages", config.pages.size()},
                                 {"hosts", plan.hosts.size()},
                                 {"budget_per_second", rate_or_null(config.schedule.budget)},
                                 {"demanded_per_second", rate_or_null(plan.demanded)},
                                 {"robots_per_second", rate_or_null(plan.robots)},
                                 {"usable_per_second", rate_or_null(plan.usable)},
                                 {"largest_hosts", std::move(hosts)},
                                 {"warnings", std::move(warnings)}}) +
         "\n";
}

std::string part_of_budget(double demanded, double budget) {
  if (std::isinf(budget)) return "";
  return fmt::format(" ({:.3g} % of the budget)", 100 * demanded / budget);
}

std::string for_people(const config::Loaded& loaded, const config::Plan& plan) {
  const config::Config& config = loaded.config;
  const auto count = [](std::size_t n, std::string_view thing) {
    return fmt::format("{} {}{}", n, thing, n == 1 ? "" : "s");
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
  for (const config::Warning& warning : loaded.warnings) {
    out += "warning: " + warning.message + '\n';
  }
  out += loaded.warnings.empty() ? "ok: everything can be met\n"
                                 : "ok, with " + count(loaded.warnings.size(), "warning") + '\n';
  return out;
}

int check(const CheckOptions& options) {
  const Result<config::Loaded> loaded =
      config::load(options.config, {.policies = learn::policies()});
  if (!loaded) {
    std::fprintf(stderr, "pollux check: %s\n", loaded.error().message.c_str());
    return static_cast<int>(loaded.error().exit_code);
  }
  const config::Plan plan = config::make_plan(loaded->config);
  const std::string out = options.json ? as_json(*loaded, plan) : for_people(*loaded, plan);
  const bool written =
      std::fwrite(out.data(), 1, out.size(), stdout) == out.size() && std::fflush(stdout) == 0;
  return static_cast<int>(written ? ExitCode::ok : ExitCode::io);
}

}  // namespace

std::function<int()> setup_check(CommandLine& line) {
  const auto options = std::make_shared<CheckOptions>();
  line.option("--config", options->config, "The configuration to check").required().called("FILE");
  line.flag("--json", options->json, "Print one JSON object instead of tables");
  line.footer(
      "Reads the configuration and its pages file as the daemon would, starts nothing, and says\n"
      "what the limits ask for and what they allow. Warnings do not fail the check.\n"
      "Exit codes: 0 valid, 65 bad pages file, 66 a file is missing, 78 bad configuration.");
  return [options] { return check(*options); };
}

}  // namespace pollux::cli

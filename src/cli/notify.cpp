#include "cli/commands.hpp"
#include "cli/configuration.hpp"
#include "cli/database_option.hpp"
#include "cli/output.hpp"
#include "cli/steering.hpp"
#include "cli/table_options.hpp"
#include "pollux/base/clock.hpp"
#include "pollux/base/text.hpp"
#include "pollux/cli/command_line.hpp"
#include "pollux/notify/channel.hpp"
#include "pollux/notify/render.hpp"
#include "pollux/report/deliveries.hpp"
#include "pollux/store/reader.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>

#include <boost/json/object.hpp>
#include <spdlog/fmt/fmt.h>

namespace pollux::cli {
namespace {

struct NotifyOptions {
  DatabaseOption database;
  std::string test;
  bool pending = false, failed = false, json = false;
  std::int64_t retry = 0, limit = 100;
};

std::string names_of(const notify::Rules& rules) {
  std::string names;
  for (const notify::Rule& rule : rules) names += (names.empty() ? "" : ", ") + rule.name;
  return names.empty() ? "there are none; see notify in config/pollux.yaml" : "there are " + names;
}

// By the way that the daemon takes, without one.
int send_sample(const NotifyOptions& options) {
  if (options.database.config.empty())
    return report(
        Error{"notify --test: name the configuration with --config FILE", ExitCode::usage});
  std::vector<std::string> errors;
  const Result<config::Loaded> loaded = load_configuration(options.database.config, &errors);
  if (!loaded) return report_configuration("pollux notify", loaded.error(), errors);
  const config::Config& config = loaded->config;
  const auto rule = std::ranges::find(config.notify, options.test, &notify::Rule::name);
  if (rule == config.notify.end())
    return report(Error{fmt::format("there is no rule '{}' in notify; {}",
                                    printable(options.test, 60), names_of(config.notify)),
                        ExitCode::usage});
  notify::ChannelOptions how;
  how.ca_file = config.fetch.ca_file;
  how.user_agent = config.settings.front().user_agent;
  how.proxy = config.fetch.proxy;
  how.proxy_login = config.fetch.proxy_login;
  const notify::Message message = notify::sample(rule->name, SystemClock().wall());
  const notify::Attempt attempt = notify::make_channel(rule->to, how)->send(message);
  const std::string target = notify::describe(rule->to);
  if (options.json) {
    show_json(
        boost::json::object{{"rule", rule->name},
                            {"target", target},
                            {"delivered", attempt.delivered},
                            {"error", attempt.error.empty() ? boost::json::value(nullptr)
                                                            : boost::json::value(attempt.error)},
                            {"message", notify::json_of(message)}});
  } else if (attempt.delivered) {
    std::printf("A sample was delivered: %s\n", target.c_str());
  }
  if (attempt.delivered) return 0;
  if (options.json) return static_cast<int>(ExitCode::unavailable);
  return report(Error{fmt::format("rule {}: {}: {}", rule->name, target, attempt.error),
                      ExitCode::unavailable});
}

int list(const NotifyOptions& options) {
  const Result<OpenDatabase> database = open_database(options.database);
  if (!database) return report(database.error());
  const auto rows =
      database->reader->deliveries(options.failed ? "dead" : "waiting", options.limit);
  if (!rows) return report(rows.error());
  if (options.json) {
    show_json(report::deliveries_json(*rows));
  } else if (rows->empty()) {
    std::puts(options.failed ? "Nothing was given up." : "Nothing waits to be told.");
  } else {
    Table(report::deliveries_table(*rows, SystemClock().wall())).print(stdout);
  }
  return 0;
}

// Nobody but the daemon may write to its database.
int retry(const NotifyOptions& options) {
  SteeringOptions steering;
  steering.database = options.database;
  steering.json = options.json;
  return steer_message(steering, "/notifications/" + std::to_string(options.retry) + "/retry");
}

int run_notify(const NotifyOptions& options) {
  const int wanted = !options.test.empty() + options.pending + options.failed + (options.retry > 0);
  if (wanted != 1)
    return report(Error{"notify: write one of --test NAME, --pending, --failed and --retry ID",
                        ExitCode::usage});
  if (!options.test.empty()) return send_sample(options);
  return options.retry > 0 ? retry(options) : list(options);
}

}  // namespace

std::function<int()> setup_notify(CommandLine& line) {
  auto options = std::make_shared<NotifyOptions>();
  line.option("--test", options->test, "Send a sample by this rule; needs --config").called("NAME");
  line.flag("--pending", options->pending, "List what waits to be told, the newest first");
  line.flag("--failed", options->failed, "List what was given up, and why");
  line.option("--retry", options->retry, "Have the daemon try a delivery again, now")
      .called("ID")
      .positive();
  line.option("--limit", options->limit, "How many are listed; 0: all").show_default();
  add_database_options(line, options->database);
  line.flag("--json", options->json, "Print JSON");
  line.footer(
      "Rules stand under `notify:` in the configuration. What cannot be delivered is\n"
      "tried again for three days, then given up and kept here. What waits without a\n"
      "NEXT is held by its rule's digest, quiet hours or limit, or follows another.");
  return [options] { return run_notify(*options); };
}

}  // namespace pollux::cli

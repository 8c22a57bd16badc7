#include "cli/commands.hpp"
#include "cli/no_core_dump.hpp"
#include "cli/output.hpp"
#include "pollux/base/clock.hpp"
#include "pollux/base/log.hpp"
#include "pollux/cli/command_line.hpp"
#include "pollux/config/config.hpp"
#include "pollux/engine/daemon.hpp"
#include "pollux/learn/policy.hpp"

#include <memory>
#include <string>

#include <spdlog/spdlog.h>

namespace pollux::cli {
namespace {

int run_daemon(const std::string& file) {
  forbid_core_dump();
  Result<config::Loaded> loaded = config::load(file, {.policies = learn::policies()});
  if (!loaded.ok()) return report(loaded.error());
  set_up_logging(loaded->config.log);
  for (const config::Warning& warning : loaded->warnings) spdlog::warn("{}", warning.message);

  const SystemClock clock;
  engine::DaemonOptions options;
  options.reload = [file] { return config::load(file, {.policies = learn::policies()}); };
  Result<std::unique_ptr<engine::Daemon>> daemon =
      engine::Daemon::create(std::move(loaded->config), options, clock);
  if (!daemon.ok()) return report(daemon.error());
  const Status ended = (*daemon)->run();
  if (!ended.ok()) return report(ended.error());
  spdlog::info("stopped; everything is saved");
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

std::function<int()> setup_run(CommandLine& line) {
  auto file = std::make_shared<std::string>();
  line.option("--config", *file, "The configuration file (see config/pollux.yaml)").required();
  line.footer(
      "Polls until SIGTERM or SIGINT, then saves state and exits; SIGHUP reads the "
      "configuration again.\n"
      "State is in the database the configuration names: read it any time with pollux pages, "
      "changes,\n"
      "status, explain, or with the sqlite3 command.");
  return [file] { return run_daemon(*file); };
}

}  // namespace pollux::cli

#include "pollux/engine/agent.hpp"

#include "cli/commands.hpp"
#include "cli/configuration.hpp"
#include "cli/no_core_dump.hpp"
#include "cli/output.hpp"
#include "pollux/base/log.hpp"
#include "pollux/cli/command_line.hpp"

#include <memory>
#include <string>
#include <vector>

#include <spdlog/spdlog.h>

namespace pollux::cli {
namespace {

int run_agent(const std::string& file) {
  forbid_core_dump();
  std::vector<std::string> errors;
  config::LoadOptions options;
  options.purpose = config::Purpose::agent;
  options.errors = &errors;
  const Result<config::Loaded> loaded = config::load(file, options);
  if (!loaded.ok()) return report_configuration("pollux", loaded.error(), errors);
  set_up_logging(loaded->config.log);
  for (const config::Warning& warning : loaded->warnings) spdlog::warn("{}", warning.message);
  const Status ended = engine::run_agent(loaded->config);
  if (!ended.ok()) return report(ended.error());
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

std::function<int()> setup_agent(CommandLine& line) {
  auto file = std::make_shared<std::string>();
  line.option("--config", *file, "The agent's configuration (see config/agent.yaml)")
      .required()
      .called("FILE");
  line.footer(
      "It polls here what its brain, a `pollux run` elsewhere, decides; they meet at\n"
      "NATS servers. The brain names it under access_points, as agent: NAME.\n"
      "SIGTERM and SIGINT finish what is under way and stop.");
  return [file] { return run_agent(*file); };
}

}  // namespace pollux::cli

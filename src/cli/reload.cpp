#include "cli/commands.hpp"
#include "cli/steering.hpp"
#include "pollux/cli/command_line.hpp"

#include <memory>

namespace pollux::cli {

std::function<int()> setup_reload(CommandLine& line) {
  auto options = std::make_shared<SteeringOptions>();
  line.flag("--json", options->json, "Print JSON");
  add_database_options(line, options->database);
  line.footer(
      "As SIGHUP does, and waits until the new configuration is in force. One that is\n"
      "wrong is refused, and the old one stays.");
  return [options] { return steer_message(*options, "/reload"); };
}

}  // namespace pollux::cli

#include "cli/commands.hpp"
#include "cli/steering.hpp"
#include "pollux/cli/command_line.hpp"

#include <memory>

namespace pollux::cli {

std::function<int()> setup_remove(CommandLine& line) {
  auto options = std::make_shared<SteeringOptions>();
  add_steering_options(line, *options);
  line.footer(
      "Pages that a file lists belong to that file: they are refused, with file and\n"
      "line. What was found on a page that is removed stays in the database.");
  return [options] { return steer_pages(*options, "/pages/remove", "removed"); };
}

}  // namespace pollux::cli

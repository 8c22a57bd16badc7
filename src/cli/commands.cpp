#include "cli/commands.hpp"

#include "pollux/cli/command.hpp"

namespace pollux::cli {

std::span<const Command> commands() {
  // The order is the order of `pollux --help`.
  static constexpr Command table[] = {
      {"run", "Run the daemon in the foreground", &setup_run},
      {"demo", "Watch a built-in site and see the daemon learn", &setup_demo},
  };
  return table;
}

}  // namespace pollux::cli

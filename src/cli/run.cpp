#include "cli/commands.hpp"

#include <CLI/CLI.hpp>

namespace pollux::cli {

std::function<int()> setup_run(CLI::App&) {
  return [] { return 70; };
}

}  // namespace pollux::cli

#include "cli/commands.hpp"

#include "pollux/cli/command.hpp"

namespace pollux::cli {

std::span<const Command> commands() {
  // The order is the order of `pollux --help`.
  static constexpr Command table[] = {
      {"run", "Run the daemon in the foreground", &setup_run},
      {"check", "Is the configuration valid, and achievable within the budget?", &setup_check},
      {"try", "See what would be kept of a page, and the rules to write for less", &setup_try},
      {"demo", "Watch a built-in site and see the daemon learn", &setup_demo},
      {"lab", "Measure policies on synthetic and real pages", &setup_lab},
      {"pages", "List the pages: shares, intervals, changes, errors", &setup_pages},
      {"changes", "List the changes found, the newest first", &setup_changes},
      {"diff", "Show what changed between two versions of a page", &setup_diff},
      {"show", "Print a version of a page, as it was kept", &setup_show},
      {"history", "List the versions of a page that are kept", &setup_history},
      {"mask", "List the places of pages that are or were not compared", &setup_mask},
      {"export", "Write the list as YAML, with what was added and set live", &setup_export},
      {"status", "Say whether the daemon runs, and how it spends its budget", &setup_status},
      {"access-points", "Say which access point polls which host, and what that gains",
       &setup_access_points},
      {"tree", "Show shares, rates and affinities, host by host", &setup_tree},
      {"explain", "Say in words why a page has its share, and how far it is trusted",
       &setup_explain},
  };
  return table;
}

}  // namespace pollux::cli

#include "cli/commands.hpp"

#include "pollux/cli/command.hpp"

namespace pollux::cli {

std::string_view heading_of(Group group) {
  switch (group) {
    case Group::watch:
      return "Watch";
    case Group::look:
      return "Look";
    case Group::steer:
      return "Steer a running daemon";
    case Group::lab:
      return "Learn";
  }
  return "";
}

std::span<const Command> commands() {
  // The order is the order of `pollux --help`: group by group.
  static constexpr Command table[] = {
      {"run", "Run the daemon in the foreground", &setup_run, Group::watch},
      {"agent", "Poll here what a daemon elsewhere decides", &setup_agent, Group::watch},
      {"check", "Is the configuration valid, and can the budget meet it?", &setup_check,
       Group::watch},
      {"try", "See what would be kept of a page, and rules for less", &setup_try, Group::watch},
      {"import", "Make a list of pages of one that another program has", &setup_import,
       Group::watch},
      {"shard", "Divide a list and its database among brains, or merge them", &setup_shard,
       Group::watch},

      {"status", "Whether the daemon runs, and how it spends its budget", &setup_status},
      {"top", "A live view: budget, pages, changes, hosts; keys to steer", &setup_top},
      {"pages", "List the pages: shares, intervals, changes, errors", &setup_pages},
      {"changes", "List the changes found, the newest first", &setup_changes},
      {"diff", "What changed between two versions of a page", &setup_diff},
      {"show", "Print a version of a page, as it was kept", &setup_show},
      {"history", "List the versions of a page that are kept", &setup_history},
      {"explain", "Why a page has its share, and how far it is trusted", &setup_explain},
      {"tree", "Show shares, rates and affinities, host by host", &setup_tree},
      {"mask", "Places of pages that are not compared: list, judge", &setup_mask},
      {"access-points", "Which access point polls which host, and the gain", &setup_access_points},
      {"export", "Write the list as YAML, with what was set live", &setup_export},
      {"tail", "Polls and changes as they happen", &setup_tail},
      {"notify", "Try a rule of notify; what waits or could not be told", &setup_notify},

      {"add", "Watch more pages from now on", &setup_add, Group::steer},
      {"remove", "Stop watching pages that were added live", &setup_remove, Group::steer},
      {"pause", "Do not poll pages for a while", &setup_pause, Group::steer},
      {"resume", "Poll them again", &setup_resume, Group::steer},
      {"poll", "Poll pages next, whatever their intervals", &setup_poll, Group::steer},
      {"set", "Set name, tags, importance, intervals, rules, budget", &setup_set, Group::steer},
      {"reload", "Read the configuration again", &setup_reload, Group::steer},
      {"read", "Mark changes as read", &setup_read, Group::steer},

      {"demo", "Watch a built-in site and see the daemon learn", &setup_demo, Group::lab},
      {"lab", "Measure policies on synthetic and real pages", &setup_lab, Group::lab},
      {"docs", "Completions for shells, and manual pages", &setup_docs, Group::lab},
  };
  return table;
}

}  // namespace pollux::cli

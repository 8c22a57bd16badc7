#include "pollux/report/tree.hpp"

#include "cli/commands.hpp"
#include "cli/database_option.hpp"
#include "cli/output.hpp"
#include "pollux/cli/command_line.hpp"
#include "pollux/report/daemon_figures.hpp"
#include "pollux/store/reader.hpp"

#include <memory>

namespace pollux::cli {
namespace {

struct TreeOptions {
  DatabaseOption database;
  std::string prefix;
  bool json = false;
};

int show_tree(const TreeOptions& options) {
  Result<OpenDatabase> database = open_database(options.database);
  if (!database) return report(database.error());
  store::Reader& reader = *database->reader;
  const auto pages = reader.pages({.order = store::PageOrder::url, .limit = 0});
  if (!pages) return report(pages.error());
  const auto meta = reader.meta();
  if (!meta) return report(meta.error());
  const auto nodes = reader.nodes(report::figures_of(*meta).policy);
  if (!nodes) return report(nodes.error());
  const auto parts = report::tree_parts(*pages, *nodes, options.prefix);
  if (options.json) {
    show_json(report::tree_json(parts));
  } else {
    Table(report::tree_table(parts)).print(stdout);
  }
  return 0;
}

}  // namespace

std::function<int()> setup_tree(CommandLine& line) {
  auto options = std::make_shared<TreeOptions>();
  line.option("PREFIX", options->prefix, "A host, or the beginning of URLs; without it, all hosts");
  add_database_options(line, options->database);
  line.flag("--json", options->json, "Print JSON");
  line.footer(
      "SHARE: as the learner wished at each page's last poll. AFFINITY: the chance that\n"
      "a page on one side changed when one on the other did. LOOKS: how many,\n"
      "older ones count less. CORRECTION: of the odds of the first half, as was learnt.");
  return [options] { return show_tree(*options); };
}

}  // namespace pollux::cli

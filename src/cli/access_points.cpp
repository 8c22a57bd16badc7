#include "pollux/report/access_points.hpp"

#include "cli/commands.hpp"
#include "cli/database_option.hpp"
#include "cli/output.hpp"
#include "pollux/cli/command_line.hpp"
#include "pollux/store/reader.hpp"

#include <memory>
#include <vector>

#include <spdlog/fmt/fmt.h>

namespace pollux::cli {
namespace {

struct AccessPointsOptions {
  DatabaseOption database;
  std::string contains;
  std::int64_t limit = 50;
  bool json = false;
};

void print_text(const report::PlacementOverview& overview, std::size_t most_hosts) {
  Table(report::access_points_table(overview)).print(stdout);
  if (const std::string gain = report::gain_text(overview.gain); !gain.empty()) {
    std::fputs(("\n" + gain + "\n").c_str(), stdout);
  }
  if (overview.hosts.empty()) return;
  std::fputs("\n", stdout);
  Table(report::placed_hosts_table(overview, most_hosts)).print(stdout);
  if (overview.hosts.size() > most_hosts) {
    std::fputs(
        fmt::format("… and {} more; --limit 0 shows all\n", overview.hosts.size() - most_hosts)
            .c_str(),
        stdout);
  }
}

int show_access_points(const AccessPointsOptions& options) {
  Result<OpenDatabase> database = open_database(options.database);
  if (!database) return report(database.error());
  const auto points = database->reader->access_points();
  if (!points) return report(points.error());
  const auto rows = database->reader->placements();
  if (!rows) return report(rows.error());
  const auto meta = database->reader->meta();
  if (!meta) return report(meta.error());
  report::PlacementOverview overview =
      report::overview_of(*points, *rows, report::agents_of(*meta));
  std::erase_if(overview.hosts, [&](const report::PlacedHost& host) {
    return host.name.find(options.contains) == std::string::npos;
  });
  const std::size_t most =
      options.limit > 0 ? static_cast<std::size_t>(options.limit) : overview.hosts.size();
  if (options.json) {
    show_json(report::placement_json(overview, most));
  } else if (overview.access_points.empty()) {
    std::puts(report::no_access_points);
  } else {
    print_text(overview, most);
  }
  return 0;
}

}  // namespace

std::function<int()> setup_access_points(CommandLine& line) {
  auto options = std::make_shared<AccessPointsOptions>();
  add_database_options(line, options->database);
  line.option("--host", options->contains, "Only hosts that contain this text");
  line.option("--limit", options->limit, "At most this many hosts; 0 for all")
      .show_default()
      .check(whole_number);
  line.flag("--json", options->json, "Print JSON");
  return [options] { return show_access_points(*options); };
}

}  // namespace pollux::cli

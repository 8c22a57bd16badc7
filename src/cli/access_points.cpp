#include "cli/commands.hpp"
#include "cli/database_option.hpp"
#include "cli/output.hpp"
#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"
#include "pollux/cli/command_line.hpp"
#include "pollux/store/reader.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <spdlog/fmt/fmt.h>

namespace pollux::cli {
namespace {

struct AccessPointsOptions {
  DatabaseOption database;
  std::string contains;
  std::int64_t limit = 50;
  bool json = false;
};

struct Host {
  std::string name;
  std::string access_point;
  std::int64_t depth = 0;
  double seconds = 0;                             // through its access point; 0: not known
  std::map<std::string, double> by_access_point;  // only where it was measured
};

struct Place {
  store::AccessPointRow row;
  std::int64_t hosts = 0, measured = 0;
  double seconds = 0;  // of the measured hosts, together
};

// One poll of every host that was measured through more than one access point.
struct Comparison {
  std::int64_t hosts = 0;
  double placed = 0, random = 0, best_known = 0;  // seconds
  double gain() const { return placed > 0 ? random / placed : 1; }
};

struct Picture {
  std::vector<Place> places;
  std::vector<Host> hosts;
  Comparison comparison;
};

std::vector<Host> by_host(const std::vector<store::PlacementRow>& rows) {
  std::vector<Host> hosts;
  for (const store::PlacementRow& row : rows) {
    if (hosts.empty() || hosts.back().name != row.host) {
      hosts.emplace_back();
      hosts.back().name = row.host;
    }
    Host& host = hosts.back();
    if (row.seconds > 0) host.by_access_point[row.access_point] = row.seconds;
    if (!row.placed) continue;
    host.access_point = row.access_point;
    host.depth = row.depth;
    host.seconds = row.seconds;
  }
  return hosts;
}

Comparison compare(const std::vector<Host>& hosts) {
  Comparison all;
  for (const Host& host : hosts) {
    if (host.seconds <= 0 || host.by_access_point.size() < 2) continue;
    double sum = 0, best = host.seconds;
    for (const auto& [name, seconds] : host.by_access_point) {
      sum += seconds;
      best = std::min(best, seconds);
    }
    ++all.hosts;
    all.placed += host.seconds;
    all.random += sum / static_cast<double>(host.by_access_point.size());
    all.best_known += best;
  }
  return all;
}

Picture draw(const std::vector<store::AccessPointRow>& points,
             const std::vector<store::PlacementRow>& rows) {
  Picture picture;
  picture.hosts = by_host(rows);
  picture.comparison = compare(picture.hosts);
  for (const store::AccessPointRow& point : points) {
    Place place{.row = point};
    for (const Host& host : picture.hosts) {
      if (host.access_point != point.name) continue;
      ++place.hosts;
      if (host.seconds <= 0) continue;
      ++place.measured;
      place.seconds += host.seconds;
    }
    picture.places.push_back(std::move(place));
  }
  return picture;
}

std::string time_text(double seconds) {
  return seconds > 0 ? format_duration(from_seconds(seconds)) : "-";
}

double mean(const Place& place) {
  return place.measured > 0 ? place.seconds / static_cast<double>(place.measured) : 0;
}

void print_text(const Picture& picture, std::size_t most_hosts) {
  Table places({{"ACCESS POINT"},
                {"HOSTS", Align::right},
                {"CAPACITY", Align::right},
                {"MEAN TIME", Align::right},
                {"WAY OUT"}});
  for (const Place& place : picture.places) {
    places.add({place.row.name, std::to_string(place.hosts),
                place.row.capacity > 0 ? std::to_string(place.row.capacity) : "-",
                time_text(mean(place)), place.row.way});
  }
  places.print(stdout);

  const Comparison& all = picture.comparison;
  if (all.hosts > 0) {
    std::fputs(
        fmt::format("\nOne poll of each of {} hosts takes {}; placed at random it would take "
                    "about {}: {:.2f} times as long. The best placement known takes {}.\n",
                    all.hosts, time_text(all.placed), time_text(all.random), all.gain(),
                    time_text(all.best_known))
            .c_str(),
        stdout);
  }
  if (picture.hosts.empty()) return;

  std::vector<Table::Column> columns{{"HOST"}, {"POLLED BY"}, {"SURE", Align::right}};
  for (const Place& place : picture.places) columns.push_back({place.row.name, Align::right});
  Table hosts(std::move(columns));
  for (std::size_t i = 0; i < std::min(most_hosts, picture.hosts.size()); ++i) {
    const Host& host = picture.hosts[i];
    std::vector<std::string> cells{host.name, host.access_point, std::to_string(host.depth)};
    for (const Place& place : picture.places) {
      const auto found = host.by_access_point.find(place.row.name);
      cells.push_back(found == host.by_access_point.end() ? "-" : time_text(found->second));
    }
    hosts.add(std::move(cells));
  }
  std::fputs("\n", stdout);
  hosts.print(stdout);
  if (picture.hosts.size() > most_hosts) {
    std::fputs(
        fmt::format("… and {} more; --limit 0 shows all\n", picture.hosts.size() - most_hosts)
            .c_str(),
        stdout);
  }
}

boost::json::value seconds_or_null(double seconds) {
  if (seconds <= 0) return nullptr;
  return json_number(seconds);
}

void print_as_json(const Picture& picture, std::size_t most_hosts) {
  boost::json::array places, hosts;
  for (const Place& place : picture.places) {
    boost::json::object out{{"name", place.row.name}, {"way", place.row.way}};
    out["capacity"] = nullptr;
    if (place.row.capacity > 0) out["capacity"] = place.row.capacity;
    out["hosts"] = place.hosts;
    out["mean_seconds"] = seconds_or_null(mean(place));
    places.push_back(std::move(out));
  }
  for (std::size_t i = 0; i < std::min(most_hosts, picture.hosts.size()); ++i) {
    const Host& host = picture.hosts[i];
    boost::json::object times;
    for (const auto& [name, seconds] : host.by_access_point) times[name] = json_number(seconds);
    hosts.push_back({{"host", host.name},
                     {"access_point", json_text_or_null(host.access_point)},
                     {"depth", host.depth},
                     {"seconds", std::move(times)}});
  }
  const Comparison& all = picture.comparison;
  boost::json::object out;
  out["compared_hosts"] = all.hosts;
  out["placed_seconds"] = seconds_or_null(all.placed);
  out["random_seconds"] = seconds_or_null(all.random);
  out["best_known_seconds"] = seconds_or_null(all.best_known);
  out["times_as_fast_as_random"] = seconds_or_null(all.hosts > 0 ? all.gain() : 0);
  out["access_points"] = std::move(places);
  out["hosts"] = std::move(hosts);
  show_json(out);
}

int show_access_points(const AccessPointsOptions& options) {
  Result<OpenDatabase> database = open_database(options.database);
  if (!database) return report(database.error());
  const auto points = database->reader->access_points();
  if (!points) return report(points.error());
  const auto rows = database->reader->placements();
  if (!rows) return report(rows.error());
  Picture picture = draw(*points, *rows);
  std::erase_if(picture.hosts, [&](const Host& host) {
    return host.name.find(options.contains) == std::string::npos;
  });
  const std::size_t most =
      options.limit > 0 ? static_cast<std::size_t>(options.limit) : picture.hosts.size();
  if (options.json) {
    print_as_json(picture, most);
  } else if (picture.places.empty()) {
    std::puts("No access points are configured: every poll leaves by the default route.");
  } else {
    print_text(picture, most);
  }
  return 0;
}

}  // namespace

std::function<int()> setup_access_points(CommandLine& line) {
  auto options = std::make_shared<AccessPointsOptions>();
  add_database_options(line, options->database);
  line.option("--host", options->contains, "Only hosts that contain this text");
  line.option("--limit", options->limit, "Show so many hosts; 0: all")
      .show_default()
      .check(whole_number);
  line.flag("--json", options->json, "Print JSON");
  return [options] { return show_access_points(*options); };
}

}  // namespace pollux::cli

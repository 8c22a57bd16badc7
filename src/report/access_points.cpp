#include "pollux/report/access_points.hpp"

#include "pollux/base/units.hpp"
#include "pollux/report/json.hpp"

#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <spdlog/fmt/fmt.h>

namespace pollux::report {
namespace {

std::vector<PlacedHost> by_host(const std::vector<store::PlacementRow>& rows) {
  std::vector<PlacedHost> hosts;
  for (const store::PlacementRow& row : rows) {
    if (hosts.empty() || hosts.back().name != row.host) {
      hosts.emplace_back();
      hosts.back().name = row.host;
    }
    PlacedHost& host = hosts.back();
    if (row.seconds > 0) host.by_access_point[row.access_point] = row.seconds;
    if (!row.placed) continue;
    host.access_point = row.access_point;
    host.depth = row.depth;
    host.seconds = row.seconds;
  }
  return hosts;
}

PlacementGain gain_of(const std::vector<PlacedHost>& hosts) {
  PlacementGain all;
  for (const PlacedHost& host : hosts) {
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

std::string time_text(double seconds) {
  return seconds > 0 ? format_duration(from_seconds(seconds)) : "-";
}

boost::json::value seconds_or_null(double seconds) {
  if (seconds <= 0) return nullptr;
  return json_number(seconds);
}

Cell count_cell(std::int64_t count) {
  return {std::to_string(count), count};
}

boost::json::value agent_json(const std::optional<AgentState>& agent) {
  if (!agent) return nullptr;
  return boost::json::object{
      {"name", agent->name},     {"version", agent->version},
      {"alive", agent->alive},   {"renders", agent->renders},
      {"slots", agent->slots},   {"in_flight", agent->in_flight},
      {"polls", agent->polls},   {"unused", agent->unused},
      {"lost", agent->lost},     {"late", agent->late},
      {"faults", agent->faults}, {"mean_seconds", seconds_or_null(agent->seconds)}};
}

// A row as long as the others, also for what is no agent.
void add_agent_cells(std::vector<Cell>& row, const std::optional<AgentState>& agent) {
  if (!agent) {
    for (int i = 0; i < 5; ++i) row.push_back(Cell("-", nullptr));
    return;
  }
  std::string standing = agent->alive ? "alive, " + agent->version : std::string("silent");
  if (agent->renders > 0) standing += ", renders";
  row.push_back(std::move(standing));
  for (const std::int64_t count : {agent->in_flight, agent->polls, agent->lost, agent->faults})
    row.push_back(count_cell(count));
}

std::int64_t count_in(const boost::json::object& of, std::string_view name) {
  const auto* value = of.if_contains(name);
  return value != nullptr && value->is_int64() ? value->get_int64() : 0;
}
std::string text_in(const boost::json::object& of, std::string_view name) {
  const auto* value = of.if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

Cell time_cell(double seconds) {
  return {time_text(seconds), seconds_or_null(seconds)};
}

}  // namespace

double AccessPointUse::mean() const {
  return measured > 0 ? seconds / static_cast<double>(measured) : 0;
}

std::vector<AgentState> agents_of(const std::map<std::string, std::string>& meta) {
  std::vector<AgentState> agents;
  const auto row = meta.find("agents");
  if (row == meta.end()) return agents;
  boost::json::error_code error;
  const boost::json::value all = boost::json::parse(row->second, error);
  if (error || !all.is_array()) return agents;
  for (const boost::json::value& value : all.get_array()) {
    const auto* one = value.if_object();
    if (one == nullptr) continue;
    AgentState& agent = agents.emplace_back();
    agent.name = text_in(*one, "name");
    agent.version = text_in(*one, "version");
    const auto* alive = one->if_contains("alive");
    agent.alive = alive != nullptr && alive->is_bool() && alive->get_bool();
    agent.renders = count_in(*one, "renders");
    agent.slots = count_in(*one, "slots");
    agent.in_flight = count_in(*one, "in_flight");
    agent.polls = count_in(*one, "polls");
    agent.unused = count_in(*one, "unused");
    agent.lost = count_in(*one, "lost");
    agent.late = count_in(*one, "late");
    agent.faults = count_in(*one, "faults");
    const auto* seconds = one->if_contains("seconds");
    if (seconds != nullptr && seconds->is_double()) agent.seconds = seconds->get_double();
  }
  return agents;
}

std::string agents_text(const std::vector<AgentState>& agents) {
  if (agents.empty()) return {};
  std::string rendering;
  for (const AgentState& agent : agents) {
    if (!agent.alive || agent.renders == 0) continue;
    rendering += (rendering.empty() ? "" : ", ") + agent.name;
  }
  std::string text = fmt::format("{} of {} there",
                                 std::ranges::count_if(agents, &AgentState::alive), agents.size());
  // Which is lost, and which serves another brain?
  if (text.starts_with("0 ")) text += "   (pollux access-points)";
  return rendering.empty() ? text : text + "; pages are rendered by " + rendering;
}

PlacementOverview overview_of(const std::vector<store::AccessPointRow>& access_points,
                              const std::vector<store::PlacementRow>& rows,
                              const std::vector<AgentState>& agents) {
  PlacementOverview overview;
  overview.hosts = by_host(rows);
  overview.gain = gain_of(overview.hosts);
  for (const store::AccessPointRow& row : access_points) {
    AccessPointUse use{.row = row};
    const auto agent = std::ranges::find_if(
        agents, [&](const AgentState& one) { return row.way == "agent " + one.name; });
    if (agent != agents.end()) use.agent = *agent;
    for (const PlacedHost& host : overview.hosts) {
      if (host.access_point != row.name) continue;
      ++use.hosts;
      if (host.seconds <= 0) continue;
      ++use.measured;
      use.seconds += host.seconds;
    }
    overview.access_points.push_back(std::move(use));
  }
  return overview;
}

std::string gain_text(const PlacementGain& gain) {
  if (gain.hosts == 0) return {};
  return fmt::format(
      "One poll of each of {} hosts takes {}; placed at random it would take about {}: {:.2f} "
      "times as long. The best placement known takes {}.",
      gain.hosts, time_text(gain.placed), time_text(gain.random), gain.times(),
      time_text(gain.best_known));
}

Table access_points_table(const PlacementOverview& overview) {
  Table table{{{"ACCESS POINT"},
               {"HOSTS", Align::right},
               {"CAPACITY", Align::right},
               {"MEAN TIME", Align::right},
               {"LEAVES BY", Align::left, Fit::shortened}},
              {}};
  const bool agents = std::ranges::any_of(overview.access_points,
                                          [](const auto& use) { return use.agent.has_value(); });
  if (agents)
    table.columns.insert(table.columns.end(), {{"AGENT"},
                                               {"UNDER WAY", Align::right},
                                               {"POLLS", Align::right},
                                               {"LOST", Align::right},
                                               {"FAULTS", Align::right}});
  for (const AccessPointUse& use : overview.access_points) {
    const std::int64_t capacity = use.row.capacity;
    table.rows.push_back({use.row.name, count_cell(use.hosts),
                          capacity > 0 ? count_cell(capacity) : Cell("-", nullptr),
                          time_cell(use.mean()), use.row.way});
    if (agents) add_agent_cells(table.rows.back(), use.agent);
  }
  return table;
}

Table placed_hosts_table(const PlacementOverview& overview, std::size_t most) {
  Table table{{{"HOST"}, {"POLLED BY"}, {"SURE", Align::right}}, {}};
  for (const AccessPointUse& use : overview.access_points) {
    table.columns.push_back({use.row.name, Align::right});
  }
  for (std::size_t i = 0; i < std::min(most, overview.hosts.size()); ++i) {
    const PlacedHost& host = overview.hosts[i];
    std::vector<Cell> cells{host.name, host.access_point, count_cell(host.depth)};
    for (const AccessPointUse& use : overview.access_points) {
      const auto found = host.by_access_point.find(use.row.name);
      cells.push_back(time_cell(found == host.by_access_point.end() ? 0 : found->second));
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

boost::json::object placement_json(const PlacementOverview& overview, std::size_t most) {
  boost::json::array access_points, hosts;
  for (const AccessPointUse& use : overview.access_points) {
    boost::json::object out{{"name", use.row.name}, {"way", use.row.way}};
    out["capacity"] = nullptr;
    if (use.row.capacity > 0) out["capacity"] = use.row.capacity;
    out["hosts"] = use.hosts;
    out["mean_seconds"] = seconds_or_null(use.mean());
    out["agent"] = agent_json(use.agent);
    access_points.push_back(std::move(out));
  }
  for (std::size_t i = 0; i < std::min(most, overview.hosts.size()); ++i) {
    const PlacedHost& host = overview.hosts[i];
    boost::json::object times;
    for (const auto& [name, seconds] : host.by_access_point) times[name] = json_number(seconds);
    hosts.push_back({{"host", host.name},
                     {"access_point", json_text_or_null(host.access_point)},
                     {"depth", host.depth},
                     {"seconds", std::move(times)}});
  }
  const PlacementGain& gain = overview.gain;
  boost::json::object out;
  out["compared_hosts"] = gain.hosts;
  out["placed_seconds"] = seconds_or_null(gain.placed);
  out["random_seconds"] = seconds_or_null(gain.random);
  out["best_known_seconds"] = seconds_or_null(gain.best_known);
  out["times_as_fast_as_random"] = seconds_or_null(gain.hosts > 0 ? gain.times() : 0);
  out["access_points"] = std::move(access_points);
  out["hosts"] = std::move(hosts);
  return out;
}

}  // namespace pollux::report

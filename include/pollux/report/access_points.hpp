// Which access point polls which host, and what that gains. Pure.
#pragma once

#include "pollux/report/table.hpp"
#include "pollux/store/rows.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

namespace pollux::report {

struct PlacedHost {
  std::string name;
  std::string access_point;
  std::int64_t depth = 0;                         // how sure that is
  double seconds = 0;                             // through its access point; 0: not known
  std::map<std::string, double> by_access_point;  // only where it was measured
};

// How an agent does, as its brain saw it last.
struct AgentState {
  std::string name, version;
  bool alive = false;
  std::int64_t renders = 0;  // pages at a time; 0: none
  std::int64_t slots = 0, in_flight = 0, polls = 0, unused = 0, lost = 0, late = 0, faults = 0;
  double seconds = 0;  // of a download there; 0: not known
};
// Of the row "agents" of the table meta; what cannot be read is nobody.
std::vector<AgentState> agents_of(const std::map<std::string, std::string>& meta);
// "2 of 3 are there; fra-1 renders"; empty: there are no agents.
std::string agents_text(const std::vector<AgentState>& agents);

struct AccessPointUse {
  store::AccessPointRow row;
  std::optional<AgentState> agent = {};
  std::int64_t hosts = 0, measured = 0;
  double seconds = 0;   // of the measured hosts, together
  double mean() const;  // 0: not known
};

// One poll of every host that was measured through more than one access point.
struct PlacementGain {
  std::int64_t hosts = 0;
  double placed = 0, random = 0, best_known = 0;  // seconds
  double times() const { return placed > 0 ? random / placed : 1; }
};

struct PlacementOverview {
  std::vector<AccessPointUse> access_points;
  std::vector<PlacedHost> hosts;
  PlacementGain gain;
};
// `rows` sorted by host.
PlacementOverview overview_of(const std::vector<store::AccessPointRow>& access_points,
                              const std::vector<store::PlacementRow>& rows,
                              const std::vector<AgentState>& agents = {});

inline constexpr char no_access_points[] =
    "No access points are configured: every poll leaves by the default route.";
std::string gain_text(const PlacementGain& gain);  // a sentence or two; empty: nothing to compare

Table access_points_table(const PlacementOverview& overview);
// The first `most` hosts.
Table placed_hosts_table(const PlacementOverview& overview, std::size_t most);
boost::json::object placement_json(const PlacementOverview& overview, std::size_t most);

}  // namespace pollux::report

// Access points in the lab: sites that are near to one arm and far from the others, polled round by
// round through the daemon's placement or through the published automaton. In the words of seed
// 003: a site is a host, an arm an access point.
#pragma once

#include "pollux/placement/migration_automaton.hpp"
#include "pollux/placement/placement.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pollux::lab {

struct AccessWorld {
  std::size_t arms = 3;
  std::size_t sites = 90;
  double far = 3;        // a poll through any arm but the site's perfect one; through that it is 1
  double noise = 0.3;    // each poll takes this much more or less at most, evenly
  int change_every = 0;  // rounds after which every site gets another perfect arm; 0: never
  // How often two sites that are polled as a pair have the same perfect arm, beyond chance.
  double kin = 0.5;
  std::uint64_t seed = 1;
};

// The total download time of each round ÷ the least possible.
using AccessCurve = std::vector<double>;

// Every site once a round, probes of other arms included. Capacities: an equal share each, or none.
enum class Capacities { none, equal };
AccessCurve run_placement(const AccessWorld& world, Capacities capacities, int rounds);
// sites / 2 pairs a round. What a round would take by the placement reached.
struct PublishedRules {
  unsigned states = 8;  // as in the document
  unsigned jump = 2;
  placement::Exchange exchange = placement::Exchange::eager;
};
AccessCurve run_published(const AccessWorld& world, const PublishedRules& rules, int rounds);

AccessCurve mean(const std::vector<AccessCurve>& curves);

// The fastest arm of each site when no arm may take more than its capacity (0: no limit), over all
// sites together: exact. times[site][arm]; the capacities must hold all sites.
std::vector<std::size_t> best_placement(const std::vector<std::vector<double>>& times,
                                        const std::vector<std::uint32_t>& capacities);

}  // namespace pollux::lab

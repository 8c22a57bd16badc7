#include "pollux/lab/quiet_list.hpp"

#include "pollux/base/rng.hpp"

#include <cmath>

namespace pollux::lab {
namespace {

constexpr double lively_part = 0.09;
constexpr double seconds_per_day = 86400, born = 1.6e9;
constexpr double least_per_day = 0.003, most_per_day = 3;  // of a lively page, log-uniform

}  // namespace

Trace quiet_list(std::size_t pages, std::uint64_t seed) {
  Rng rng(seed);
  Trace trace;
  trace.end = born + quiet_list_days * seconds_per_day;
  trace.changes.assign(pages, {born});
  for (std::vector<double>& changes : trace.changes) {
    if (!rng.chance(lively_part)) continue;
    const double per_day = least_per_day * std::pow(most_per_day / least_per_day, rng.uniform());
    for (double at = born + rng.exponential(per_day / seconds_per_day); at < trace.end;
         at += rng.exponential(per_day / seconds_per_day))
      changes.push_back(at);
  }
  return trace;
}

}  // namespace pollux::lab

// Sites that are near to one access point and far from others, and the best placement, to compare
// with: what bench_access and bench_agents have in common.
#pragma once

#include "pollux/base/rng.hpp"
#include "pollux/lab/access.hpp"
#include "support/proxy.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace pollux::bench {

inline constexpr std::size_t access_sites = 90, access_ways = 3;
using AccessProxies = std::array<test::Proxy, access_ways>;
using SteadyTime = std::chrono::steady_clock::time_point;

inline std::string access_site(std::size_t i) {
  return "site" + std::to_string(i) + ".test";
}

// Injected, in ms: 30 to 150, by site and way.
class AccessDelays {
 public:
  explicit AccessDelays(std::uint32_t capacity) : capacity_(capacity), ms_(access_sites) {
    Rng rng(3);
    for (auto& site : ms_) {
      for (std::size_t way = 0; way < access_ways; ++way)
        site.push_back(30 + static_cast<double>(rng.below(120)));
    }
    settle();
  }
  // Every site gets another order of its ways.
  void swap() {
    for (auto& site : ms_) std::rotate(site.begin(), site.begin() + 1, site.end());
    settle();
  }
  void inject(AccessProxies& proxies) const {
    for (std::size_t i = 0; i < access_sites; ++i) {
      for (std::size_t way = 0; way < access_ways; ++way)
        proxies[way].set_delay(access_site(i),
                               std::chrono::milliseconds(static_cast<int>(ms_[i][way])));
    }
  }
  double best(const std::string& site) const { return best_.at(site); }
  // Sites polled equally often, against the best placement: all by one way, the best of those, and
  // each anywhere.
  double by_one_way() const {
    double least = 0;
    for (std::size_t way = 0; way < access_ways; ++way) {
      double sum = 0;
      for (const auto& site : ms_) sum += site[way];
      if (way == 0 || sum < least) least = sum;
    }
    return least / best_sum();
  }
  double at_random() const {
    double sum = 0;
    for (const auto& site : ms_) {
      for (const double ms : site) sum += ms / access_ways;
    }
    return sum / best_sum();
  }

 private:
  double best_sum() const {
    double sum = 0;
    for (const auto& [site, ms] : best_) sum += ms;
    return sum;
  }
  void settle() {
    const auto placed =
        lab::best_placement(ms_, std::vector<std::uint32_t>(access_ways, capacity_));
    for (std::size_t i = 0; i < access_sites; ++i) best_[access_site(i)] = ms_[i][placed[i]];
  }

  const std::uint32_t capacity_;
  std::vector<std::vector<double>> ms_;
  std::map<std::string, double> best_;  // by site, in the best placement
};

// Download time ÷ best placement: by the delays that were injected, and as the proxies measured it.
struct AccessRatio {
  double placed = 0, taken = 0;
};

inline AccessRatio access_ratio(const AccessProxies& proxies, const AccessDelays& delays,
                                SteadyTime begin, SteadyTime end) {
  double placed = 0, taken = 0, best = 0;
  for (const test::Proxy& proxy : proxies) {
    for (const test::Proxy::Forwarded& poll : proxy.forwarded()) {
      if (poll.at < begin || poll.at >= end) continue;
      placed += static_cast<double>(poll.delay.count());
      taken += static_cast<double>(poll.taken.count()) / 1000;
      best += delays.best(poll.site);
    }
  }
  return {placed / best, taken / best};
}

// Prints the phase in five parts; false when the last three are not all within 10 %.
inline bool report_access(const char* name, const AccessProxies& proxies,
                          const AccessDelays& delays, SteadyTime begin,
                          std::chrono::seconds length) {
  bool ok = true;
  std::printf("   %-14s", name);
  for (int part = 0; part < 5; ++part) {
    const AccessRatio ratio =
        access_ratio(proxies, delays, begin + length * part / 5, begin + length * (part + 1) / 5);
    std::printf("  %.3f (placed %.3f)", ratio.taken, ratio.placed);
    if (part >= 2) ok = ok && ratio.taken <= 1.10;
  }
  std::printf("  %s\n", ok ? "met" : "MISSED");
  return ok;
}

}  // namespace pollux::bench

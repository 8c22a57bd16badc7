// Three access points (real proxies on loopback) with different delays to each of 90 sites: does
// the total download time fall to that of the best placement, stay there, and come back after the
// delays have been swapped?
//   bench_access [SECONDS PER PHASE] [CAPACITY]
// Every poll's time, as the proxies measure it, is set against what the same poll takes in the best
// placement (exact); "placed" is the same by the delays that were injected, so without the noise of
// this machine.
#include "pollux/lab/access.hpp"

#include "pollux/base/rng.hpp"
#include "support/behaviours.hpp"
#include "support/origin.hpp"
#include "support/program.hpp"
#include "support/proxy.hpp"
#include "support/temp_folder.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

using namespace pollux::test;

namespace {

constexpr std::size_t sites = 90, ways = 3;
constexpr int budget = 300;

std::string site(std::size_t i) {
  return "site" + std::to_string(i) + ".test";
}

struct Delays {
  std::vector<std::vector<double>> ms;  // by site and way
  std::map<std::string, double> best;   // by site, in the best placement

  void settle(std::uint32_t capacity) {
    const auto placed = pollux::lab::best_placement(ms, std::vector<std::uint32_t>(ways, capacity));
    for (std::size_t i = 0; i < sites; ++i) best[site(i)] = ms[i][placed[i]];
  }
  void inject(std::array<Proxy, ways>& proxies) const {
    for (std::size_t i = 0; i < sites; ++i) {
      for (std::size_t way = 0; way < ways; ++way) {
        proxies[way].set_delay(site(i), std::chrono::milliseconds(static_cast<int>(ms[i][way])));
      }
    }
  }
};

struct Ratio {
  double placed = 0, taken = 0;
};

Ratio between(const std::array<Proxy, ways>& proxies, const Delays& delays, SteadyTime begin,
              SteadyTime end) {
  double placed = 0, taken = 0, best = 0;
  for (const Proxy& proxy : proxies) {
    for (const Proxy::Forwarded& poll : proxy.forwarded()) {
      if (poll.at < begin || poll.at >= end) continue;
      placed += static_cast<double>(poll.delay.count());
      taken += static_cast<double>(poll.taken.count()) / 1000;
      best += delays.best.at(poll.site);
    }
  }
  return {placed / best, taken / best};
}

// Prints the phase in five parts; false when the last three are not all within 10 %.
bool report(const char* name, const std::array<Proxy, ways>& proxies, const Delays& delays,
            SteadyTime begin, std::chrono::seconds length) {
  bool ok = true;
  std::printf("   %-14s", name);
  for (int part = 0; part < 5; ++part) {
    const Ratio ratio =
        between(proxies, delays, begin + length * part / 5, begin + length * (part + 1) / 5);
    std::printf("  %.3f (placed %.3f)", ratio.taken, ratio.placed);
    if (part >= 2) ok = ok && ratio.taken <= 1.10;
  }
  std::printf("  %s\n", ok ? "ok" : "MISSED");
  return ok;
}

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF,
               BUFSIZ);  // what waits in a buffer is printed by every child
  const std::chrono::seconds length(argc > 1 ? std::atoi(argv[1]) : 25);
  const auto capacity = static_cast<std::uint32_t>(argc > 2 ? std::atoi(argv[2]) : 0);
  const TempFolder folder;

  Origin origin;
  origin.otherwise(serve::page("a page"));
  std::array<Proxy, ways> proxies{Proxy(origin.port()), Proxy(origin.port()), Proxy(origin.port())};
  pollux::Rng rng(3);
  Delays delays;
  delays.ms.resize(sites);
  for (auto& site_delays : delays.ms) {
    for (std::size_t way = 0; way < ways; ++way) {
      site_delays.push_back(30 + static_cast<double>(rng.below(120)));
    }
  }
  delays.settle(capacity);
  delays.inject(proxies);

  std::ofstream config(folder.file("pollux.yaml"));
  config << "budget: " << budget << "\ndatabase: access.db\nlog: { level: warn }\n"
         << "hosts: { delay: 0s, connections: 1 }\nlearner: { seed: 5, policy: uniform }\n"
         << "defaults: { min_interval: 0s }\naccess_points:\n";
  for (std::size_t way = 0; way < ways; ++way) {
    config << "  - { name: way" << way << ", proxy: \"" << proxies[way].url() << "\"";
    if (capacity > 0) config << ", capacity: " << capacity;
    config << " }\n";
  }
  config << "pages:\n";
  for (std::size_t i = 0; i < sites; ++i) config << "  - http://" << site(i) << "/\n";
  config.close();

  std::printf(
      "   90 sites, 3 access points, delays of 30 to 150 ms, %d polls/s, capacity %s; download "
      "time / best placement in five parts of %lld s (wanted: the last three 1.10 or less)\n",
      budget, capacity > 0 ? std::to_string(capacity).c_str() : "without limit",
      static_cast<long long>(length.count()) / 5);
  Program daemon(POLLUX_BINARY, folder, {"run", "--config", folder.file("pollux.yaml")});
  while (origin.requests() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  SteadyTime begin = std::chrono::steady_clock::now();
  std::this_thread::sleep_until(begin + length);
  bool ok = report("at first", proxies, delays, begin, length);

  for (auto& site_delays : delays.ms) {
    std::rotate(site_delays.begin(), site_delays.begin() + 1, site_delays.end());
  }
  delays.settle(capacity);
  delays.inject(proxies);
  begin = std::chrono::steady_clock::now();
  std::this_thread::sleep_until(begin + length);
  ok = report("delays swapped", proxies, delays, begin, length) && ok;
  daemon.send(SIGTERM);
  const bool ended = daemon.wait().exit_code == 0;
  const Finished shown =
      Program(POLLUX_BINARY, folder,
              {"access-points", "--database", folder.file("access.db"), "--limit", "1"})
          .wait();
  std::printf("%s", shown.out.c_str());
  return ok && ended ? 0 : 1;
}

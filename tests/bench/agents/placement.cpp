// Three agents with different delays to each of 90 sites, as bench_access has three proxies: each
// agent reaches the web through a proxy of its own. Does the total download time fall to that of
// the best placement, stay there, and come back after the delays have been swapped?
#include "bench/access_world.hpp"
#include "bench/agents/fleet.hpp"
#include "bench/agents/parts.hpp"
#include "support/behaviours.hpp"
#include "support/origin.hpp"

#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

namespace pollux::bench {
namespace {

using namespace std::chrono_literals;

constexpr auto length = 30s;  // of a phase

std::string brain_sections() {
  std::string text =
      "budget: 300\nlog: { level: warn }\n"
      "hosts: { delay: 0s, connections: 1, robots: ignore, adaptive_delay: 0 }\n"
      "learner: { seed: 5, policy: uniform }\ndefaults: { min_interval: 0s }\npages:\n";
  for (std::size_t i = 0; i < access_sites; ++i) text += "  - http://" + access_site(i) + "/\n";
  return text;
}

bool phase(const char* name, const AccessProxies& proxies, const AccessDelays& delays,
           std::chrono::steady_clock::time_point begin) {
  std::this_thread::sleep_until(begin + length);
  const bool met = report_access(name, proxies, delays, begin, length);
  std::printf("   %-14s  all by the best single agent %.3f, each site by any agent %.3f\n", "",
              delays.by_one_way(), delays.at_random());
  return met;
}

}  // namespace

bool placement() {
  std::printf(
      "3. Three agents, 90 sites, delays of 30 to 150 ms, 300 polls/s: download time / best "
      "placement in five parts of %lld s (wanted: the last three 1.10 or less)\n",
      static_cast<long long>(length.count()) / 5);
  test::Origin origin;
  origin.otherwise(test::serve::page("a page"));
  AccessProxies proxies{test::Proxy(origin.port()), test::Proxy(origin.port()),
                        test::Proxy(origin.port())};
  AccessDelays delays(0);
  delays.inject(proxies);
  const std::vector<std::string> names{"one", "two", "three"};
  Fleet fleet(names);
  for (std::size_t i = 0; i < names.size(); ++i)
    fleet.start_agent(names[i], {.sections = "network: { proxy: \"" + proxies[i].url() +
                                             "\" }\nhosts: { delay: 0s, connections: 1 }\n"});
  fleet.start_brain(brain_sections());
  const auto limit = std::chrono::steady_clock::now() + 60s;
  while (origin.requests() == 0 && std::chrono::steady_clock::now() < limit)
    std::this_thread::sleep_for(5ms);
  bool met = phase("at first", proxies, delays, std::chrono::steady_clock::now());
  delays.swap();
  delays.inject(proxies);
  met &= phase("delays swapped", proxies, delays, std::chrono::steady_clock::now());
  fleet.end_brain(SIGTERM);
  return met;
}

}  // namespace pollux::bench

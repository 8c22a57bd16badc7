// Three access points (real proxies on loopback) with different delays to each of 90 sites: does
// the total download time fall to that of the best placement, stay there, and come back after the
// delays have been swapped?
//   bench_access [SECONDS PER PHASE] [CAPACITY]
// Every poll's time, as the proxies measure it, is set against what the same poll takes in the best
// placement (exact); "placed" is the same by the delays that were injected, so without the noise of
// this machine.
#include "bench/access_world.hpp"
#include "support/behaviours.hpp"
#include "support/origin.hpp"
#include "support/program.hpp"
#include "support/temp_folder.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

using namespace pollux::test;
using namespace pollux::bench;

namespace {

constexpr int budget = 300;

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF,
               BUFSIZ);  // what waits in a buffer is printed by every child
  const std::chrono::seconds length(argc > 1 ? std::atoi(argv[1]) : 25);
  const auto capacity = static_cast<std::uint32_t>(argc > 2 ? std::atoi(argv[2]) : 0);
  const TempFolder folder;

  Origin origin;
  origin.otherwise(serve::page("a page"));
  AccessProxies proxies{Proxy(origin.port()), Proxy(origin.port()), Proxy(origin.port())};
  AccessDelays delays(capacity);
  delays.inject(proxies);

  std::ofstream config(folder.file("pollux.yaml"));
  config << "budget: " << budget << "\ndatabase: access.db\nlog: { level: warn }\n"
         << "hosts: { delay: 0s, connections: 1 }\nlearner: { seed: 5, policy: uniform }\n"
         << "defaults: { min_interval: 0s }\naccess_points:\n";
  for (std::size_t way = 0; way < access_ways; ++way) {
    config << "  - { name: way" << way << ", proxy: \"" << proxies[way].url() << "\"";
    if (capacity > 0) config << ", capacity: " << capacity;
    config << " }\n";
  }
  config << "pages:\n";
  for (std::size_t i = 0; i < access_sites; ++i) config << "  - http://" << access_site(i) << "/\n";
  config.close();

  std::printf(
      "   90 sites, 3 access points, delays of 30 to 150 ms, %d polls/s, capacity %s; download "
      "time / best placement in five parts of %lld s (wanted: the last three 1.10 or less)\n",
      budget, capacity > 0 ? std::to_string(capacity).c_str() : "without limit",
      static_cast<long long>(length.count()) / 5);
  Program daemon(POLLUX_BINARY, folder, {"run", "--config", folder.file("pollux.yaml")});
  while (origin.requests() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  pollux::bench::SteadyTime begin = std::chrono::steady_clock::now();
  std::this_thread::sleep_until(begin + length);
  bool ok = report_access("at first", proxies, delays, begin, length);

  delays.swap();
  delays.inject(proxies);
  begin = std::chrono::steady_clock::now();
  std::this_thread::sleep_until(begin + length);
  ok = report_access("delays swapped", proxies, delays, begin, length) && ok;
  daemon.send(SIGTERM);
  const bool ended = daemon.wait().exit_code == 0;
  const Finished shown =
      Program(POLLUX_BINARY, folder,
              {"access-points", "--database", folder.file("access.db"), "--limit", "1"})
          .wait();
  std::printf("%s", shown.out.c_str());
  return ok && ended ? 0 : 1;
}

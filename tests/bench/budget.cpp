// The budget as a server sees it: how full the fullest second is, and how much of the budget is
// used.
//   bench_budget [SECONDS] [BUDGET] [PAGES]
#include "support/behaviours.hpp"
#include "support/origin.hpp"
#include "support/program.hpp"
#include "support/temp_folder.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

using namespace pollux::test;

int main(int argc, char** argv) {
  const int seconds = argc > 1 ? std::atoi(argv[1]) : 60;
  const int budget = argc > 2 ? std::atoi(argv[2]) : 50;
  const int pages = argc > 3 ? std::atoi(argv[3]) : 500;
  const TempFolder folder;

  Origin origin;
  origin.otherwise(serve::page("a page"));
  for (int i = 0; i < pages; i += 7) {
    origin.on("/" + std::to_string(i), serve::changing_page());
  }
  std::ofstream config(folder.file("pollux.yaml"));
  config << "budget: " << budget << "\ndatabase: budget.db\nnetwork: { allow: [127.0.0.0/8] }\n"
         << "hosts: { delay: 0s, connections: 64 }\nlog: { level: warn }\npages:\n";
  for (int i = 0; i < pages; ++i) config << "  - " << origin.url("/" + std::to_string(i)) << "\n";
  config.close();

  Program daemon(POLLUX_BINARY, folder, {"run", "--config", folder.file("pollux.yaml")});
  while (origin.requests() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  std::this_thread::sleep_for(std::chrono::seconds(seconds));
  daemon.send(SIGTERM);
  const Finished finished = daemon.wait();

  const std::vector<SteadyTime> all = origin.arrivals();
  const SteadyTime end = all.front() + std::chrono::seconds(seconds);
  const std::vector<SteadyTime> arrivals(all.begin(),
                                         std::lower_bound(all.begin(), all.end(), end));
  std::size_t fullest = 0, first = 0;
  for (std::size_t last = 0; last < arrivals.size(); ++last) {
    while (arrivals[last] - arrivals[first] >= std::chrono::seconds(1)) ++first;
    fullest = std::max(fullest, last - first + 1);
  }
  const double used = 100.0 * static_cast<double>(arrivals.size()) / (budget * seconds);
  const bool ok =
      fullest <= static_cast<std::size_t>(budget) + 1 && used >= 99 && finished.exit_code == 0;
  std::printf(
      "   %d s, budget %d/s, %d pages: fullest second %zu (wanted: %d or less), used %.2f %% "
      "(wanted: 99 or more) %s\n",
      seconds, budget, pages, fullest, budget + 1, used, ok ? "ok" : "MISSED");
  return 0;
}

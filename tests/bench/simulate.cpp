// Virtual weeks of the whole engine with many seeds: no promise may be broken with any of them.
//   bench_simulate [SEEDS] [DAYS] [FIRST]
#include "simulation/simulation.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

#include <spdlog/spdlog.h>

int main(int argc, char** argv) {
  using namespace pollux::simulation;
  const auto number = [&](int at, unsigned long fallback) {
    return argc > at ? std::strtoul(argv[at], nullptr, 10) : fallback;
  };
  const unsigned long seeds = number(1, 200), days = number(2, 7), first = number(3, 1);
  spdlog::set_level(spdlog::level::err);

  std::atomic<unsigned long> next = first;
  std::mutex printing;
  std::uint64_t violations = 0, requests = 0, changes = 0;
  double least_used = 1, worst_share = 0;
  unsigned long done = 0;
  const auto work = [&] {
    for (unsigned long seed = next++; seed < first + seeds; seed = next++) {
      const SimulationResult result =
          simulate({.seed = seed, .length = std::chrono::hours(24 * days)});
      const std::lock_guard lock(printing);
      violations += result.violation_count;
      requests += result.requests;
      changes += result.changes;
      least_used = std::min(least_used, result.budget_used);
      worst_share = std::max(worst_share, result.share_error);
      for (const std::string& violation : result.violations)
        std::printf("   seed %lu, %s\n", seed, violation.c_str());
      std::fprintf(stderr, "\r   %lu of %lu seeds", ++done, seeds);
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i)
    threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  std::fprintf(stderr, "\n");
  std::printf(
      "   %lu seeds x %lu virtual days, 1 000 hosts: %llu requests, %llu changes\n"
      "   violations            %llu (wanted: 0) %s\n"
      "   least budget used     %.1f %%\n   worst tenth of shares %.1f %% off\n",
      seeds, days, static_cast<unsigned long long>(requests),
      static_cast<unsigned long long>(changes), static_cast<unsigned long long>(violations),
      violations == 0 ? "ok" : "MISSED", 100 * least_used, 100 * worst_share);
  return violations == 0 ? 0 : 1;
}

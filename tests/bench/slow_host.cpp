// One slow host with a thousand pages beside ten healthy ones with a hundred each: how late the
// healthy pages are, by their servers' clocks, without and with it.
//   bench_slow_host [SECONDS]
#include "support/behaviours.hpp"
#include "support/origin.hpp"
#include "support/program.hpp"
#include "support/temp_folder.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

using namespace pollux::test;

namespace {

constexpr int hosts = 10, pages_each = 100, slow_pages = 1000;
constexpr double wanted_every = 10;  // seconds

struct Result {
  std::size_t polls = 0;
  double p99 = 0;  // seconds after max_interval
  std::size_t slow_requests = 0;
};

Result measure(int seconds, bool with_slow_host) {
  const TempFolder folder;
  std::vector<std::unique_ptr<Origin>> healthy;
  for (int i = 0; i < hosts; ++i) {
    healthy.push_back(std::make_unique<Origin>());
    healthy.back()->otherwise(serve::page("a page"));
  }
  Origin slow;
  slow.otherwise([](Exchange& x) -> Step {
    co_await x.sleep(std::chrono::seconds(3));
    co_await x.respond(200, "", "at last");
  });
  std::ofstream config(folder.file("pollux.yaml"));
  config << "budget: 200\ndatabase: slow.db\nnetwork: { allow: [127.0.0.0/8] }\n"
         << "hosts: { delay: 20ms, adaptive_delay: 0, connections: 4 }\nlog: { level: warn }\n"
         << "defaults: { min_interval: 9s, max_interval: 10s }\npages:\n";
  for (int i = 0; i < pages_each; ++i) {
    for (const auto& origin : healthy)
      config << "  - " << origin->url("/" + std::to_string(i)) << "\n";
  }
  for (int i = 0; with_slow_host && i < slow_pages; ++i)
    config << "  - " << slow.url("/" + std::to_string(i)) << "\n";
  config.close();

  Program daemon(POLLUX_BINARY, folder, {"run", "--config", folder.file("pollux.yaml")});
  std::this_thread::sleep_for(std::chrono::seconds(seconds));
  daemon.send(SIGTERM);
  daemon.wait();

  Result result;
  std::vector<double> late;
  for (const auto& origin : healthy) {
    for (int i = 0; i < pages_each; ++i) {
      const auto times = origin->arrivals("/" + std::to_string(i));
      for (std::size_t k = 1; k < times.size(); ++k) {
        const double gap = std::chrono::duration<double>(times[k] - times[k - 1]).count();
        late.push_back(std::max(0.0, gap - wanted_every));
      }
    }
  }
  std::sort(late.begin(), late.end());
  result.polls = late.size();
  if (!late.empty()) result.p99 = late[late.size() * 99 / 100];
  result.slow_requests = slow.requests();
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  const int seconds = argc > 1 ? std::atoi(argv[1]) : 60;
  const Result alone = measure(seconds, false), beside = measure(seconds, true);
  std::printf("   healthy pages alone:            %zu polls, lateness p99 %.3f s\n", alone.polls,
              alone.p99);
  std::printf("   beside a slow host (%zu asked): %zu polls, lateness p99 %.3f s\n",
              beside.slow_requests, beside.polls, beside.p99);
  // Lateness near zero is the timers' and the machine's: a tenth of the interval's hundredth.
  const double allowed = std::max(1.1 * alone.p99, alone.p99 + 0.001 * wanted_every);
  std::printf("   growth %.1f %% (wanted: less than 10) %s\n",
              alone.p99 > 0 ? 100 * (beside.p99 / alone.p99 - 1) : 0.0,
              beside.p99 <= allowed ? "ok" : "MISSED");
  return 0;
}

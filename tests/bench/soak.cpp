// The real program on 2 000 pages, a third of which misbehave in every way the origin knows, for as
// long as asked: do memory and descriptors stay flat? SQLite's cache fills first: it may hold
// 16 MiB of the database, and no more.
//   bench_soak [SECONDS]
#include "support/behaviours.hpp"
#include "support/origin.hpp"
#include "support/program.hpp"
#include "support/temp_folder.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace pollux::test;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr int pages = 2'000, origins = 20;

std::vector<Script> misbehaviours() {
  return {serve::silence(),
          serve::reset(),
          serve::reset_after("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"),
          serve::silence_after("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"),
          serve::slow_body(200ms),
          serve::slow_headers(200ms),
          serve::short_body(1000, "short"),
          serve::endless_chunks(),
          serve::endless_trailers(),
          serve::endless_early_hints(),
          serve::header_flood(),
          serve::http_0_9(),
          serve::gzip_bomb(50u << 20),
          serve::status(500),
          serve::status(429, "Retry-After: 2\r\n"),
          serve::redirect(302, "/loop"),
          serve::raw("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nx")};
}

struct Sample {
  double minute = 0, rss_kib = 0, descriptors = 0;
};

Sample look_at(pid_t pid, double minute) {
  const std::string place = "/proc/" + std::to_string(pid);
  Sample sample{.minute = minute};
  std::ifstream status(place + "/status");
  for (std::string word; status >> word;) {
    if (word == "VmRSS:") status >> sample.rss_kib;
  }
  std::error_code gone;
  for (fs::directory_iterator at(place + "/fd", gone), end; !gone && at != end;
       at.increment(gone)) {
    ++sample.descriptors;
  }
  return sample;
}

// By least squares, a minute.
double slope(const std::vector<Sample>& samples, double Sample::*what) {
  double x = 0, y = 0, xx = 0, xy = 0;
  const auto n = static_cast<double>(samples.size());
  for (const Sample& sample : samples) {
    x += sample.minute, y += sample.*what;
    xx += sample.minute * sample.minute, xy += sample.minute * sample.*what;
  }
  const double spread = n * xx - x * x;
  return spread > 0 ? (n * xy - x * y) / spread : 0;
}

}  // namespace

int main(int argc, char** argv) {
  const int seconds = argc > 1 ? std::max(8, std::atoi(argv[1])) : 600;
  const TempFolder folder;
  const std::vector<Script> bad = misbehaviours();
  std::vector<std::unique_ptr<Origin>> sites;
  for (int i = 0; i < origins; ++i) {
    sites.push_back(std::make_unique<Origin>());
    sites.back()->otherwise(i % 2 == 0 ? serve::changing_page() : serve::page("still"));
  }
  {
    std::ofstream file(folder / "pollux.yaml");
    file << "budget: 200\ndatabase: soak.db\nnetwork: { allow: [127.0.0.0/8] }\n"
            "rules: [{ match: \"*\", content: { as: raw } }]\n"
         << "hosts: { delay: 0s, connections: 16 }\nstorage: { backup_every: 30s }\n"
         << "defaults: { min_interval: 1s, timeout: 3s, max_body: 1MiB }\nlog: { level: warn }\n"
         << "pages:\n";
    for (int i = 0; i < pages; ++i) {
      Origin& site = *sites[static_cast<std::size_t>(i) % sites.size()];
      const std::string path = "/" + std::to_string(i);
      if (i % 3 == 0) site.on(path, bad[static_cast<std::size_t>(i / 3) % bad.size()]);
      file << "  - " << site.url(path) << "\n";
    }
  }
  int failed = 0;
  {
    Program daemon(POLLUX_BINARY, folder, {"run", "--config", (folder / "pollux.yaml").string()});
    std::vector<Sample> samples;
    for (int second = 1; second <= seconds; ++second) {
      std::this_thread::sleep_for(1s);
      samples.push_back(look_at(daemon.pid(), second / 60.0));
    }
    double most = 0;
    for (const Sample& sample : samples) most = std::max(most, sample.rss_kib);
    std::size_t requests = 0;
    for (const auto& site : sites) requests += site->requests();
    std::printf("%d s, %d pages (%d misbehaving), %zu requests\n", seconds, pages, (pages + 2) / 3,
                requests);
    std::printf("memory      %8.1f MiB at the end, %.1f at most\n", samples.back().rss_kib / 1024,
                most / 1024);
    std::printf("descriptors %8.0f at the end\n", samples.back().descriptors);
    for (std::size_t quarter = 0; quarter < 4; ++quarter) {
      const auto at = [&](std::size_t nth) {
        return samples.begin() + static_cast<std::ptrdiff_t>(samples.size() * nth / 4);
      };
      const std::vector<Sample> part(at(quarter), at(quarter + 1));
      std::printf("quarter %zu   memory %+8.1f KiB/min, descriptors %+.2f/min\n", quarter + 1,
                  slope(part, &Sample::rss_kib), slope(part, &Sample::descriptors));
    }
    daemon.send(SIGTERM);
    const Finished finished = daemon.wait();
    std::printf("stopped with %d\n", finished.exit_code);
    failed = finished.exit_code;
  }
  return failed;
}

// Noise: a web of 152 pages with 28 kinds of noise, seven kinds of lying answers and true changes
// at known times, watched by the real program; beside it the same web without noise, and urlwatch.
//   bench_noise [SECONDS] [SEED]      or POLLUX_NOISE_SECONDS; 600 unless told
// With POLLUX_NOISE_DETAILS set it also says which changes were useless and which were missed.
#include "bench/noise/urlwatch.hpp"
#include "pollux/store/reader.hpp"
#include "support/noise_score.hpp"
#include "support/program.hpp"
#include "support/temp_folder.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <future>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace pollux::test {
namespace {

using namespace std::chrono_literals;

constexpr int seconds_between_polls = 4;  // of a page, on average
constexpr auto last_answers = 2s;         // what comes later may be on its way when it ends

const char* verdict(bool ok) {
  return ok ? "ok" : "MISSED";
}
double percent(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

NoisyWeb::Options web_options(std::chrono::seconds length, std::uint64_t seed, bool noise) {
  NoisyWeb::Options options;
  options.seed = seed;
  options.noise = noise;
  options.length = length;
  options.between_changes = std::max<std::chrono::milliseconds>(length / 10, 15s);
  return options;
}

void write_config(const NoisyWeb& web, const TempFolder& folder) {
  std::ofstream config(folder.file("pollux.yaml"));
  config << "budget: " << web.pages().size() / seconds_between_polls
         << "\ndatabase: noise.db\nnetwork: { allow: [127.0.0.0/8] }\nlog: { level: warn }\n"
         << "learner: { seed: 7 }\ndefaults: { min_interval: 1s, timeout: 5s }\n"
         << "hosts: { delay: 0s, connections: 4, robots: ignore }\npages:\n";
  for (std::size_t i = 0; i < web.pages().size(); ++i) config << "  - " << web.url(i) << "\n";
}

std::vector<Recorded> changes_in(const std::string& database) {
  std::vector<Recorded> recorded;
  auto reader = store::Reader::open(database);
  if (!reader.ok()) return recorded;
  store::Reader::ChangeQuery every;
  every.limit = 10'000'000;
  const auto changes = (*reader)->changes(every);
  if (!changes.ok()) return recorded;
  for (const store::ChangeView& change : *changes) {
    recorded.push_back(
        {change.url, change.row.found_at, change.row.previous_poll_at, change.row.summary});
  }
  return recorded;
}

struct Watch {
  NoiseScore score;
  std::vector<std::string> health;  // "kind: noisy (why)", where it is not ok
  int exit_code = -1;
};

Watch watch(NoisyWeb& web, std::chrono::seconds length) {
  const TempFolder folder;
  write_config(web, folder);
  web.begin();
  Program daemon(POLLUX_BINARY, folder, {"run", "--config", folder.file("pollux.yaml")});
  std::this_thread::sleep_for(length);
  const SystemTime end = std::chrono::system_clock::now();
  daemon.send(SIGTERM);
  Watch seen;
  const Finished finished = daemon.wait();
  seen.exit_code = finished.exit_code;
  if (seen.exit_code != 0)
    std::printf("   it ended with %d: %s\n", seen.exit_code, finished.err.c_str());
  seen.score = score(web, changes_in(folder.file("noise.db")), end - last_answers);
  auto reader = store::Reader::open(folder.file("noise.db"));
  for (std::size_t i = 0; reader.ok() && i < web.pages().size(); ++i) {
    const auto row = (*reader)->page(web.url(i));
    if (!row.ok() || row->progress.health == "ok") continue;
    seen.health.push_back(std::string(name_of(web.pages()[i].kind)) + " " + web.url(i) + ": " +
                          row->progress.health + " (" + row->progress.health_reason + ")");
  }
  return seen;
}

// Over the true changes that both have recorded.
std::pair<double, double> mean_delays(const NoiseScore& noisy, const NoiseScore& plain,
                                      const NoisyWeb& web, SinceBegin from) {
  double with = 0, without = 0, count = 0;
  for (const auto& [change, delay] : noisy.delays) {
    const auto other = plain.delays.find(change);
    if (other == plain.delays.end()) continue;
    const auto version = static_cast<std::size_t>(change.second);
    if (web.pages()[change.first].changes[version - 1].at < from) continue;
    with += delay;
    without += other->second;
    ++count;
  }
  return {with / std::max(count, 1.0), without / std::max(count, 1.0)};
}

void print_figures(const char* who, const NoiseScore& score) {
  std::printf(
      "   %s: %zu changes recorded, %zu useless (%.2f %%); %zu true ones could be seen, %zu "
      "recorded in the right words (%.2f %%)\n",
      who, score.all.recorded, score.all.useless, percent(score.all.useless, score.all.recorded),
      score.all.visible, score.all.found, percent(score.all.found, score.all.visible));
}

void print_kinds(const NoiseScore& score) {
  std::printf("   %-18s %6s %9s %9s %8s %8s %6s\n", "kind", "pages", "requests", "recorded",
              "useless", "visible", "found");
  for (const auto& [kind, sum] : score.kinds) {
    std::printf("   %-18s %6zu %9zu %9zu %8zu %8zu %6zu\n", kind.c_str(), sum.pages, sum.requests,
                sum.recorded, sum.useless, sum.visible, sum.found);
  }
}

// By kind: where the noise makes it later.
void print_delays(const NoiseScore& noisy, const NoiseScore& plain, const NoisyWeb& web) {
  struct Sum {
    double with = 0, without = 0, count = 0;
  };
  std::map<std::string, Sum> kinds;
  for (const auto& [change, delay] : noisy.delays) {
    const auto other = plain.delays.find(change);
    if (other == plain.delays.end()) continue;
    const NoisyPage& page = web.pages()[change.first];
    Sum& sum = kinds[std::string(page.lie ? name_of(*page.lie) : name_of(page.kind))];
    sum.with += delay;
    sum.without += other->second;
    ++sum.count;
  }
  for (const auto& [kind, sum] : kinds) {
    std::printf("   delay: %-18s %4.0f changes, %6.2f s, without noise %6.2f s\n", kind.c_str(),
                sum.count, sum.with / sum.count, sum.without / sum.count);
  }
}

// Those that noise made much later: when the page was asked meanwhile, in seconds since the change.
void print_late(const NoiseScore& noisy, const NoiseScore& plain, const NoisyWeb& web) {
  constexpr double much = 4;
  for (const auto& [change, delay] : noisy.delays) {
    const auto other = plain.delays.find(change);
    if (other == plain.delays.end() || delay < other->second + much) continue;
    const NoisyPage& page = web.pages()[change.first];
    const TrueChange& made = page.changes[static_cast<std::size_t>(change.second - 1)];
    std::printf("   late: %s %s at %.0f s: %.1f s, without noise %.1f s; asked at",
                std::string(page.lie ? name_of(*page.lie) : name_of(page.kind)).c_str(),
                web.url(change.first).c_str(), std::chrono::duration<double>(made.at).count(),
                delay, other->second);
    for (const Shown& one : web.shown(change.first)) {
      const double at = std::chrono::duration<double>(one.at - web.begun() - made.at).count();
      if (at > -4 * seconds_between_polls && at < delay + 1) std::printf(" %.1f", at);
    }
    std::printf("\n");
  }
}

void print_details(const Watch& seen) {
  for (const std::string& line : seen.score.useless) std::printf("   useless: %s\n", line.c_str());
  for (const std::string& line : seen.score.missed) std::printf("   missed: %s\n", line.c_str());
  for (const std::string& line : seen.health) std::printf("   health: %s\n", line.c_str());
}

int bench(std::chrono::seconds length, std::uint64_t seed) {
  NoisyWeb noisy_web(web_options(length, seed, true)), plain_web(web_options(length, seed, false));
  NoisyWeb other_web(web_options(length, seed, true));
  const bool compared = noise::urlwatch_is_installed();
  auto plain_run = std::async(std::launch::async, [&] { return watch(plain_web, length); });
  auto other_run = std::async(std::launch::async, [&] {
    other_web.begin();
    return compared
               ? noise::run_urlwatch(other_web, length, std::chrono::seconds(seconds_between_polls))
               : std::vector<Recorded>();
  });
  const Watch noisy = watch(noisy_web, length);
  const Watch plain = plain_run.get();
  const std::vector<Recorded> reported = other_run.get();

  const NoiseScore& got = noisy.score;
  std::printf("   %zu pages, %lld s, seed %llu, a request per page every %d s\n",
              noisy_web.pages().size(), static_cast<long long>(length.count()),
              static_cast<unsigned long long>(seed), seconds_between_polls);
  print_kinds(got);
  const double useless = percent(got.all.useless, got.all.recorded);
  const double found = percent(got.all.found, got.all.visible);
  const double requests = percent(got.still_requests, got.all.requests);
  const double fair = percent(got.still_pages, got.all.pages);
  const auto [with, without] = mean_delays(got, plain.score, noisy_web, 0s);
  const auto [later_with, later_without] = mean_delays(got, plain.score, noisy_web, length / 2);
  std::printf("   %zu changes recorded, useless: %zu, %.2f %% (wanted: 1 or less) %s\n",
              got.all.recorded, got.all.useless, useless, verdict(useless <= 1));
  std::printf(
      "   %zu true changes could be seen, recorded in the right words: %zu, %.2f %% (wanted: "
      "99 or more) %s\n",
      got.all.visible, got.all.found, found, verdict(found >= 99));
  std::printf(
      "   requests to pages without true changes: %.1f %% (wanted: %.1f or less, their part of "
      "the pages) %s\n",
      requests, fair, verdict(requests <= fair));
  std::printf(
      "   mean delay of true changes %.2f s, without noise %.2f s: %+.1f %% (wanted: 10 or "
      "less) %s\n",
      with, without, 100 * (with / without - 1), verdict(with <= 1.1 * without));
  std::printf(
      "   of those in the second half, when the noise is known: %.2f s and %.2f s, %+.1f %%\n",
      later_with, later_without, 100 * (later_with / later_without - 1));
  print_figures("without noise", plain.score);
  if (compared) {
    print_figures("urlwatch", score(other_web, reported,
                                    std::chrono::system_clock::now() - last_answers - 10s));
  } else {
    std::printf("   urlwatch is not installed: not compared\n");
  }
  if (std::getenv("POLLUX_NOISE_DETAILS") != nullptr) {
    print_delays(noisy.score, plain.score, noisy_web);
    print_late(noisy.score, plain.score, noisy_web);
    print_details(noisy);
  }
  return noisy.exit_code == 0 && plain.exit_code == 0 ? 0 : 1;
}

}  // namespace
}  // namespace pollux::test

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const char* told = std::getenv("POLLUX_NOISE_SECONDS");
  const int seconds = argc > 1 ? std::atoi(argv[1]) : told != nullptr ? std::atoi(told) : 600;
  const int seed = argc > 2 ? std::atoi(argv[2]) : 1;
  if (seconds < 10 || seed < 1) return 64;
  return pollux::test::bench(std::chrono::seconds(seconds), static_cast<std::uint64_t>(seed));
}

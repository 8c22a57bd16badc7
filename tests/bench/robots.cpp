// Detection made slow and fast by turns: the controller of fetches against fixed numbers of them.
//   bench_robots [SECONDS PER PHASE] [MILLISECONDS OF A FETCH] [MICROSECONDS OF A SLOW DETECTION]
#include "pollux/store/reader.hpp"
#include "support/daemon_thread.hpp"
#include "support/origin.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include <stdlib.h>

using namespace pollux;
using namespace pollux::test;

namespace {

constexpr int pages = 3000;

struct Settings {
  double seconds = 10;
  std::chrono::milliseconds fetch{250};
  std::chrono::microseconds slow{2500};
};

// One daemon on a fresh database; detection takes what it is told to.
class Run {
 public:
  Run(const Settings& settings, const std::string& concurrency, bool slow) : settings_(settings) {
    std::string name = (std::filesystem::temp_directory_path() / "pollux-robots-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) std::exit(73);
    folder_ = name;
    origin_.otherwise([delay = settings.fetch](Exchange& x) -> Step {
      co_await x.sleep(delay);
      co_await x.respond(200, "", "page " + x.path + std::string(4000, 'x'));
    });
    std::string yaml =
        "budget: unlimited\ndatabase: robots.db\nlog: { level: warn }\n"
        "network: { allow: [127.0.0.0/8] }\n"
        "hosts: { delay: 0s, connections: 1000 }\ndefaults: { min_interval: 0s }\n"
        "fetch: { concurrency: " +
        concurrency + " }\npages:\n";
    for (int i = 0; i < pages; ++i) yaml += "  - " + origin_.url("/" + std::to_string(i)) + "\n";
    set_slow(slow);
    engine::DaemonOptions options;
    options.on_detection = [this] {
      ++detected_;
      if (const auto time = detection_.load(); time > 0) {
        std::this_thread::sleep_for(std::chrono::microseconds(time));
      }
    };
    daemon_ = std::make_unique<DaemonThread>(yaml, folder_, std::move(options));
  }
  ~Run() {
    daemon_.reset();
    std::filesystem::remove_all(folder_);
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  void set_slow(bool slow) { detection_ = slow ? settings_.slow.count() : 0; }
  // Pages detected per second.
  double measure(double seconds) {
    const std::int64_t before = detected_;
    const auto start = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    return static_cast<double>(detected_ - before) / took.count();
  }

  struct End {
    double overflows = 0;
    std::int64_t lost = 0;  // requests whose answer is not in the database, errors
  };
  End stop() {
    daemon_->stop();
    const store::Summary all =
        store::Reader::open(folder_ + "/robots.db").value()->summary().value();
    const auto overflows = all.meta.find("detect_overflows");
    return {overflows == all.meta.end() ? -1 : std::atof(overflows->second.c_str()),
            static_cast<std::int64_t>(origin_.requests()) - all.polls + all.errors};
  }

 private:
  Settings settings_;
  std::string folder_;
  std::atomic<std::int64_t> detection_{0}, detected_{0};
  Origin origin_;
  std::unique_ptr<DaemonThread> daemon_;
};

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  if (argc > 1) settings.seconds = std::atof(argv[1]);
  if (argc > 2) settings.fetch = std::chrono::milliseconds(std::atoi(argv[2]));
  if (argc > 3) settings.slow = std::chrono::microseconds(std::atoi(argv[3]));
  const double settling = 1 + 4 * static_cast<double>(settings.fetch.count()) / 1000;

  std::printf("   fetches of %ld ms, slow detection of %.1f ms a page\n", settings.fetch.count(),
              static_cast<double>(settings.slow.count()) / 1000);
  double best[2] = {0, 0};
  for (const char* concurrency : {"32", "128", "256", "512"}) {
    std::printf("   fixed %-4s", concurrency);
    for (const bool slow : {true, false}) {
      Run run(settings, concurrency, slow);
      run.measure(settling);
      const double rate = run.measure(settings.seconds / 2);
      best[slow] = std::max(best[slow], rate);
      std::printf("  %s %6.0f pages/s (overflows %5.0f)", slow ? "slow" : "fast", rate,
                  run.stop().overflows);
      std::fflush(stdout);
    }
    std::printf("\n");
  }

  Run run(settings, "auto", false);
  run.measure(settling);
  double worst = 1e9;
  for (int phase = 0; phase < 4; ++phase) {
    const bool slow = phase % 2 == 0;
    run.set_slow(slow);
    const double rate = run.measure(settings.seconds);
    worst = std::min(worst, rate / best[slow]);
    std::printf("   auto, %s     %6.0f pages/s, of the best fixed number %.3f\n",
                slow ? "slow" : "fast", rate, rate / best[slow]);
    std::fflush(stdout);
  }
  const Run::End end = run.stop();
  std::printf(
      "   auto: lost %ld, overflows %.0f (wanted: 0 and 0); the worst phase %.3f (wanted: "
      "0.95 or more) %s\n",
      end.lost, end.overflows, worst,
      end.lost == 0 && end.overflows == 0 && worst >= 0.95 ? "ok" : "MISSED");
  return 0;
}

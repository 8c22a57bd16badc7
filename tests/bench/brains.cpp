// Four brains under one budget against one brain with all of it: real daemons, side by side on the
// same changes of the same 4 000 pages, over a real cluster of three NATS servers with TLS; then
// brains are killed and come back. The site counts requests. How cost grows with more brains is
// measured in this process.
//   bench_brains [BUDGET] [WARM_UP_SECONDS] [MEASURED_SECONDS]      150 120 150 unless told
#include "bench/brains/fleet.hpp"
#include "bench/brains/growth.hpp"
#include "pollux/lab/ablation.hpp"
#include "pollux/lab/brain_lists.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <thread>

namespace pollux::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using std::chrono::system_clock;

constexpr std::size_t brains = 4, alone = 0, together = 1;  // the last two: watchers of the site
constexpr double bar = 0.98;

struct Plan {
  double budget = 150;
  int warm_up = 120, measured = 150;  // seconds
};

double seconds_since(SteadyTime from) {
  return std::chrono::duration<double>(steady_clock::now() - from).count();
}

class Contest {
 public:
  explicit Contest(const Plan& plan) : plan_(plan), servers_({.servers = 3, .users = users()}) {
    std::vector<std::vector<std::size_t>> pages(brains);
    std::vector<std::size_t> all(site_.pages());
    std::iota(all.begin(), all.end(), 0U);
    brain_of_.resize(site_.pages());
    for (const std::size_t page : all) {
      const std::string host = ChangingSite::host_name(site_.host_of(page));
      brain_of_[page] = lab::brain_of(host, brains);
      pages[brain_of_[page]].push_back(page);
    }
    for (std::size_t i = 0; i < brains; ++i)
      four_.push_back(std::make_unique<Watcher>(site_,
                                                Watcher::Options{.name = name_of(i),
                                                                 .number = together,
                                                                 .budget = plan.budget,
                                                                 .pages = pages[i],
                                                                 .seed = 11 + i},
                                                &servers_));
    one_ = std::make_unique<Watcher>(
        site_,
        Watcher::Options{
            .name = "", .number = alone, .budget = plan.budget, .pages = all, .seed = 10},
        nullptr);
  }

  bool run() {
    const SteadyTime begun = steady_clock::now();
    for (const auto& brain : four_) brain->start();
    if (!eventually([&] { return polled_since(begun) == brains; })) return failed("a start");
    std::printf("   four brains that start together poll after %.1f s\n", seconds_since(begun));
    one_->start();
    std::this_thread::sleep_for(std::chrono::seconds(plan_.warm_up));
    bool good = compare();
    one_->stop();
    good &= lose_brains();
    for (const auto& brain : four_) brain->stop();
    // One that was killed leaves what it held behind, beside what its successor is granted.
    return check_limit("four brains", together, brains + 1, begun) && rows_are_true() && good;
  }

 private:
  static std::string name_of(std::size_t i) { return "b" + std::to_string(i); }
  static std::vector<NatsUser> users() {
    std::vector<NatsUser> all;
    for (std::size_t i = 0; i < brains; ++i) all.push_back(nats_brain(name_of(i)));
    return all;
  }
  static bool eventually(const std::function<bool()>& condition) {
    const SteadyTime end = steady_clock::now() + 2min;
    while (!condition()) {
      if (steady_clock::now() >= end) return false;
      std::this_thread::sleep_for(20ms);
    }
    return true;
  }
  static bool failed(const char* what) {
    std::printf("   MISSED: %s did not happen within two minutes\n", what);
    return false;
  }

  std::vector<std::size_t> requests_of_brains(SteadyTime from) const {
    std::vector<std::size_t> counts(brains, 0);
    for (const auto& request : site_.log(together)) {
      if (request.came >= from) ++counts[brain_of_[request.page]];
    }
    return counts;
  }
  std::size_t polled_since(SteadyTime from) const {
    const auto counts = requests_of_brains(from);
    return static_cast<std::size_t>(
        std::count_if(counts.begin(), counts.end(), [](std::size_t n) { return n > 0; }));
  }

  bool compare() {
    constexpr int parts = 5;
    std::vector<double> ratios;
    std::size_t by_one = 0, by_four = 0;
    std::vector<system_clock::time_point> moments{system_clock::now()};
    const SteadyTime begun = steady_clock::now();
    double cpu = 0, cpu_alone = one_->cpu_seconds();
    for (const auto& brain : four_) cpu += brain->cpu_seconds();
    for (int i = 0; i < parts; ++i) {
      std::this_thread::sleep_for(std::chrono::seconds(plan_.measured) / parts);
      moments.push_back(system_clock::now());
    }
    const SteadyTime ended = steady_clock::now();
    cpu_alone = one_->cpu_seconds() - cpu_alone;
    cpu = -cpu;
    for (const auto& brain : four_) cpu += brain->cpu_seconds();
    std::this_thread::sleep_for(5s);  // the last rows reach the disk; they carry their own time
    for (int i = 0; i < parts; ++i) {
      const auto found = [&](const Watcher& watcher) {
        const auto rows = watcher.changes(moments[static_cast<std::size_t>(i)],
                                          moments[static_cast<std::size_t>(i) + 1]);
        return std::accumulate(rows.begin(), rows.end(), std::size_t{0});
      };
      const std::size_t one = found(*one_);
      std::size_t four = 0;
      for (const auto& brain : four_) four += found(*brain);
      by_one += one;
      by_four += four;
      ratios.push_back(static_cast<double>(four) / std::max(1.0, static_cast<double>(one)));
    }
    const double ratio = static_cast<double>(by_four) / std::max(1.0, static_cast<double>(by_one));
    const double seconds = std::chrono::duration<double>(ended - begun).count();
    const auto used = [&](std::size_t watcher) {
      std::size_t count = 0;
      for (const auto& request : site_.log(watcher))
        count += request.came >= begun && request.came < ended ? 1 : 0;
      return static_cast<double>(count) / seconds / plan_.budget;
    };
    std::printf(
        "   %zu pages change %.0f times a second, budget %g/s; in %.0f s there were %zu changes\n"
        "   found by four %zu, by one %zu: %.3f +- %.3f of it (wanted: %.2f) %s\n"
        "   of the budget used: four %.3f, one %.3f; CPU: four %.0f ms per second, one %.0f\n",
        site_.pages(), site_.changes_per_second(), plan_.budget, seconds,
        site_.changes(begun, ended), by_four, by_one, ratio, lab::estimate_of(ratios).error, bar,
        ratio >= bar ? "ok" : "MISSED", used(together), used(alone), cpu / seconds * 1e3,
        cpu_alone / seconds * 1e3);
    const auto counts = requests_of_brains(begun);
    for (std::size_t i = 0; i < brains; ++i)
      std::printf("   %s: %zu pages, %.1f polls/s\n", name_of(i).c_str(), four_[i]->pages().size(),
                  static_cast<double>(counts[i]) / seconds_since(begun));
    return check_limit("one brain", alone, 1, begun) && ratio >= bar;
  }

  std::size_t allocator() const {
    std::size_t highest = 0;
    for (std::size_t i = 1; i < brains; ++i) {
      if (four_[i]->epoch() > four_[highest]->epoch()) highest = i;
    }
    return highest;
  }
  // Of those who do not allocate the one that polls most: so its part is seen to move.
  std::size_t busiest_other() const {
    const auto counts = requests_of_brains(steady_clock::now() - 10s);
    std::size_t most = allocator() == 0 ? 1 : 0;
    for (std::size_t i = 0; i < brains; ++i) {
      if (i != allocator() && counts[i] > counts[most]) most = i;
    }
    return most;
  }
  // Waits until the budget is in use again, by a window of five seconds that begins after that.
  bool whole_again(SteadyTime since, double& after) const {
    constexpr double window = 5, most_of_it = 0.97;
    return eventually([&] {
      const SteadyTime now = steady_clock::now();
      if (now - since < 5s) return false;
      const auto counts = requests_of_brains(now - 5s);
      const auto all = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
      after = std::chrono::duration<double>(now - since).count() - window;
      std::this_thread::sleep_for(200ms);
      return static_cast<double>(all) >= most_of_it * window * plan_.budget;
    });
  }

  bool lose(const char* what, std::size_t lost, bool cleanly) {
    double settled = 0, again = 0;
    if (!whole_again(steady_clock::now() - 5s, settled)) return failed("the use of the budget");
    const std::uint64_t epoch = four_[allocator()]->epoch();
    const bool allocated = lost == allocator();
    const double part = static_cast<double>(requests_of_brains(steady_clock::now() - 10s)[lost]) /
                        10 / plan_.budget;
    const SteadyTime gone = steady_clock::now();
    if (cleanly)
      four_[lost]->stop();
    else
      four_[lost]->kill();
    double succeeded = 0;
    if (allocated) {
      if (!eventually([&] { return four_[allocator()]->epoch() > epoch; }))
        return failed("an election");
      succeeded = seconds_since(gone);
    }
    if (!whole_again(gone, settled)) return failed("the division of a lost brain's part");
    const SteadyTime back = steady_clock::now();
    four_[lost]->start();
    if (!eventually([&] { return requests_of_brains(back)[lost] > 0; }))
      return failed("the return of a brain");
    again = seconds_since(back);
    std::printf("   %s (%.0f %% of the budget): ", what, part * 100);
    if (allocated) std::printf("succeeded after %.1f s, ", succeeded);
    std::printf("its part in use by others after %.1f s, it polls %.1f s after its return\n",
                settled, again);
    std::this_thread::sleep_for(10s);
    return true;
  }
  bool lose_brains() {
    return lose("a brain killed", busiest_other(), false) &&
           lose("the allocator killed", allocator(), false) &&
           lose("the allocator stopped", allocator(), true);
  }

  bool check_limit(const char* who, std::size_t watcher, std::size_t holders,
                   SteadyTime from) const {
    const auto fullest = site_.fullest_second(watcher, from, steady_clock::now());
    const double limit = plan_.budget + static_cast<double>(holders);
    const bool kept = static_cast<double>(fullest.less) <= limit;
    std::printf(
        "   %s, fullest second: %zu requests, %zu less what our own thread held back (wanted: "
        "%.0f) %s\n",
        who, fullest.most, fullest.less, limit, kept ? "ok" : "MISSED");
    return kept;
  }
  // A row is true where the watcher had been shown another content than before.
  bool rows_are_true() const {
    std::size_t rows = 0, wrong = 0;
    const auto count = [&](std::size_t watcher, const std::vector<const Watcher*>& who) {
      std::vector<std::size_t> shown(site_.pages(), 0), found(site_.pages(), 0);
      std::vector<std::size_t> last(site_.pages(), ~std::size_t{0});
      for (const auto& request : site_.log(watcher)) {
        std::size_t& before = last[request.page];
        if (before != ~std::size_t{0} && before != request.version) ++shown[request.page];
        before = request.version;
      }
      for (const Watcher* one : who) {
        const auto of_one = one->changes({}, system_clock::now());
        for (std::size_t page = 0; page < found.size(); ++page) found[page] += of_one[page];
      }
      for (std::size_t page = 0; page < found.size(); ++page) {
        rows += found[page];
        wrong += found[page] > shown[page] ? found[page] - shown[page] : 0;
      }
    };
    count(alone, {one_.get()});
    std::vector<const Watcher*> four;
    for (const auto& brain : four_) four.push_back(brain.get());
    count(together, four);
    std::printf("   rows of changes that were none: %zu of %zu (wanted: 0) %s\n", wrong, rows,
                wrong == 0 && rows > 0 ? "ok" : "MISSED");
    return wrong == 0 && rows > 0;
  }

  const Plan plan_;
  ChangingSite site_{ChangingSite::Options{}};
  NatsServers servers_;
  std::vector<std::size_t> brain_of_;  // of each page
  std::vector<std::unique_ptr<Watcher>> four_;
  std::unique_ptr<Watcher> one_;
};

}  // namespace
}  // namespace pollux::test

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  pollux::test::Plan plan;
  if (argc > 1) plan.budget = std::atof(argv[1]);
  if (argc > 2) plan.warm_up = std::atoi(argv[2]);
  if (argc > 3) plan.measured = std::atoi(argv[3]);
  if (!(plan.budget > 0) || plan.warm_up < 1 || plan.measured < 5) return 64;
  pollux::bench::brains_growth();
  if (!pollux::test::NatsServers::installed()) {
    std::puts("   nats-server is not installed: nothing is measured with it");
    return 1;
  }
  const bool good = pollux::test::Contest(plan).run();
  std::puts(good ? "   all as wanted" : "   NOT as wanted");
  return good ? 0 : 1;
}

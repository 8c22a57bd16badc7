// What one decision costs (choose, release, feed, finish) and how that grows with the list.
// Prints a line per size, best of five, and the ratio to the smallest; one core, no I/O. Then the
// largest list again with sites that are deployed anew, so that looks are made, and the longest of
// its decisions. All in time of this thread: what else runs on the machine is left out as far as
// that can be.
//   bench_decisions [POLICY] [DECISIONS] [PAGES]     htraa 1000000 and all sizes unless told
#include "pollux/learn/policy.hpp"
#include "pollux/schedule/scheduler.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <vector>

using namespace pollux;

namespace {

constexpr std::uint32_t site_pages = 250;
constexpr std::uint32_t most_pages = 1'000'000;

enum class Bursts { no, yes };

struct Cost {
  double nanoseconds = 0;
  double bytes_per_page = 0;
  double looks = 0;           // of the polls
  std::uint64_t choices = 0;  // which pages were chosen, in one number: the same for the same seed
};

double thread_nanoseconds() {
  timespec spent{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
  return static_cast<double>(spent.tv_sec) * 1e9 + static_cast<double>(spent.tv_nsec);
}

// A list under one budget of a poll per second, and a world in which it changes.
class Run {
 public:
  Run(const std::string& name, std::uint32_t pages, Bursts bursts)
      : policy_(learn::make_policy({name, 1})),
        last_(pages, 1),
        deployed_(bursts == Bursts::yes ? pages / site_pages : 0, -1) {
    policy_->set_sweep(pages);
    for (std::uint32_t p = 0; p < pages; ++p) policy_->add(PageSlot{p}, 1, std::nullopt);
    scheduler_.emplace(schedule::Options{.budget = 1, .explore = 0.03, .follow = 0.5, .seed = 1},
                       *policy_);
    scheduler_->add_host(HostSlot{0}, {Duration::zero(), 1 << 30});
    const Instant now{std::chrono::seconds(1)};
    const schedule::Limits limits{Duration::zero(), std::chrono::hours(24 * 36500)};
    for (std::uint32_t p = 0; p < pages; ++p)
      scheduler_->add(PageSlot{p}, HostSlot{0}, limits, now);
  }

  void step() {
    second_ += 1;
    const Instant now{from_seconds(second_)};
    const auto choice = scheduler_->next(now);
    const std::uint32_t p = index(choice->page);
    const double before = static_cast<double>(last_[p]);
    const double elapsed = second_ - before + 1;
    last_[p] = static_cast<float>(second_);
    const bool changed = rng_.chance(1 - std::exp(-rate(p) * elapsed)) || redeployed(p, before);
    scheduler_->release_host(HostSlot{0}, now);
    policy_->feed(choice->page, {.changed = changed,
                                 .elapsed = elapsed,
                                 .now = second_,
                                 .modified_ago = {},
                                 .look = choice->look});
    scheduler_->finish(choice->page, now);
    looks_ += choice->look ? 1 : 0;
    choices_ = choices_ * 31 + p;
  }

  Cost measure(int decisions) {
    for (int i = 0; i < decisions / 4; ++i) step();  // warm up
    looks_ = 0;
    Cost cost;
    const double start = thread_nanoseconds();
    for (int i = 0; i < decisions; ++i) step();
    cost.nanoseconds = (thread_nanoseconds() - start) / decisions;
    cost.bytes_per_page =
        static_cast<double>(policy_->memory_bytes() + scheduler_->memory_bytes()) /
        static_cast<double>(last_.size());
    cost.looks = looks_ / decisions;
    cost.choices = choices_;
    return cost;
  }

  // What each decision took, where that is less than what is known.
  void time_each(std::vector<double>& nanoseconds) {
    for (double& least : nanoseconds) {
      const double begun = thread_nanoseconds();
      step();
      least = std::min(least, thread_nanoseconds() - begun);
    }
  }

 private:
  // Rates fall with the slot; enough hits to keep the automata moving. In a list with sites that
  // are deployed anew few pages change besides.
  double rate(std::uint32_t page) const {
    const double most = deployed_.empty() ? 20.0 : 1.0;
    return most / static_cast<double>(last_.size()) / (1 + static_cast<double>(page % 1000) / 50);
  }
  // A site every so many polls; the page shows it unless it was polled since.
  bool redeployed(std::uint32_t page, double before) {
    if (deployed_.empty()) return false;
    if (rng_.chance(1.0 / (2 * site_pages))) deployed_[rng_.below(deployed_.size())] = second_;
    return deployed_[std::min<std::size_t>(page / site_pages, deployed_.size() - 1)] > before;
  }

  std::unique_ptr<learn::Policy> policy_;
  std::optional<schedule::Scheduler> scheduler_;
  Rng rng_{42};
  std::vector<float> last_;
  std::vector<double> deployed_;  // by site
  double second_ = 1;
  double looks_ = 0;
  std::uint64_t choices_ = 0;
};

Cost best_of_five(const std::string& policy, std::uint32_t pages, int decisions, Bursts bursts) {
  Cost best = Run(policy, pages, bursts).measure(decisions);
  for (int again = 1; again < 5; ++again) {
    const Cost other = Run(policy, pages, bursts).measure(decisions);
    if (other.nanoseconds < best.nanoseconds) best = other;
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string policy = argc > 1 ? argv[1] : "htraa";
  const int decisions = argc > 2 ? std::atoi(argv[2]) : 1'000'000;
  std::vector<std::uint32_t> sizes{1'000, 10'000, 100'000, most_pages};
  if (argc > 3) sizes = {static_cast<std::uint32_t>(std::max(std::atoi(argv[3]), 1))};
  if (!learn::make_policy({policy, 1}) || decisions < 4) return 64;
  std::printf("%-10s %10s %14s %14s %12s %12s\n", "policy", "pages", "ns/decision", "decisions/s",
              "x of 1 000", "bytes/page");
  double smallest = 0;
  for (const std::uint32_t pages : sizes) {
    const Cost cost = best_of_five(policy, pages, decisions, Bursts::no);
    if (smallest == 0) smallest = cost.nanoseconds;
    std::printf("%-10s %10u %14.0f %14.0f %12.2f %12.1f\n", policy.c_str(), pages, cost.nanoseconds,
                1e9 / cost.nanoseconds, cost.nanoseconds / smallest, cost.bytes_per_page);
  }
  const std::uint32_t pages = sizes.back();
  const Cost bursts = best_of_five(policy, pages, decisions, Bursts::yes);
  std::printf(
      "%-10s %10u %14.0f %14.0f   sites are deployed anew; %.0f %% of the polls are looks\n",
      policy.c_str(), pages, bursts.nanoseconds, 1e9 / bursts.nanoseconds, 100 * bursts.looks);
  // The same decisions three times: what is long each time is long by itself.
  std::vector<double> each(static_cast<std::size_t>(decisions) * 5 / 4, 1e300);
  for (int again = 0; again < 3; ++again) Run(policy, pages, Bursts::yes).time_each(each);
  std::printf("%-10s %10u the longest of these decisions took %.2f ms (wanted: 5 or less)\n",
              policy.c_str(), pages, *std::max_element(each.begin(), each.end()) / 1e6);
  std::printf("%-10s %10u choices %016llx: the same from the same code on every machine\n",
              policy.c_str(), pages, static_cast<unsigned long long>(bursts.choices));
  return 0;
}

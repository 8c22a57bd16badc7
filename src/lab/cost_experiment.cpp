#include "pollux/lab/cost_experiment.hpp"

#include "pollux/base/rng.hpp"
#include "pollux/lab/watch.hpp"

#include <algorithm>
#include <ctime>

namespace pollux::lab {

namespace {

// One page in ten changes often; answering costs next to nothing.
class CheapWorld final : public World {
 public:
  CheapWorld(std::size_t pages, std::uint64_t seed) : pages_(pages), rng_(seed) {}
  std::size_t pages() const override { return pages_; }
  double rate(std::uint32_t page) const override { return is_lively(page) ? 0.1 : 0.001; }
  bool poll(std::uint32_t page, double) override {
    return rng_.chance(is_lively(page) ? 0.6 : 0.05);
  }

 private:
  static bool is_lively(std::uint32_t page) { return ((page * 2654435761U) >> 16) % 10 == 0; }
  std::size_t pages_;
  Rng rng_;
};

// Processor time, not wall time: a busy machine must not look like a slow learner.
double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace

CostResult measure_cost(const std::string& policy, std::size_t pages, std::uint64_t seed) {
  CheapWorld world(pages, seed);
  Watch watch(world, {.policy = policy, .seed = seed});
  const std::uint64_t warm_up = pages + 100000;  // every page has been learnt about once
  for (std::uint64_t i = 0; i < warm_up; ++i) watch.step();

  CostResult result{.policy = policy, .pages = pages};
  result.decisions = std::max<std::uint64_t>(500000, pages / 2);
  const double start = thread_seconds();
  for (std::uint64_t i = 0; i < result.decisions; ++i) watch.step();
  const double seconds = thread_seconds() - start;
  const auto decisions = static_cast<double>(result.decisions);
  result.ns_per_decision = seconds / decisions * 1e9;
  result.decisions_per_second = decisions / seconds;
  // Apart from the above: reading the clock costs as much as some decisions do.
  for (std::uint64_t i = 0; i < std::max<std::uint64_t>(100000, pages / 2); ++i) {
    const double before = thread_seconds();
    watch.step();
    result.longest_ms = std::max(result.longest_ms, (thread_seconds() - before) * 1e3);
  }
  result.bytes_per_page = static_cast<double>(watch.memory_bytes()) / static_cast<double>(pages);
  return result;
}

}  // namespace pollux::lab

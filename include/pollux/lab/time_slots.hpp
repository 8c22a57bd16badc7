// The environment of the thesis on importance: time slots in which a tenth of the pages can be
// polled, each once; importance biased towards lively pages; two kinds of updates.
//
// The thesis leaves open how its Zipf-like chances (rank^−θ, θ random for each page) reach more
// changes than 0.9 per poll. Here θ is even in 0…θ_max, and θ_max is what the wished ratio needs:
// scaling the chances instead would give many pages a chance of 1, whose importance no scheme could
// learn, and then neither of the thesis' two comparisons holds at every ratio.
#pragma once

#include "pollux/base/rng.hpp"
#include "pollux/lab/world.hpp"
#include "pollux/learn/policy.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace pollux::lab {

struct TimeSlotOptions {
  std::size_t pages = 1000;
  Updates updates = Updates::overwritten;
  double change_ratio = 2;          // expected changes per poll
  std::uint64_t reverse_every = 0;  // slots after which the first page becomes the last, and so on
  std::uint64_t seed = 1;
};

// One poll per second; a slot is pages/10 polls long, all of them at its end.
class TimeSlotWorld final : public World {
 public:
  explicit TimeSlotWorld(const TimeSlotOptions& options);
  std::size_t pages() const override { return chance_.size(); }
  double importance(std::uint32_t page) const override { return importance_[page]; }
  double rate(std::uint32_t page) const override;
  bool advance(double now) override;
  bool poll(std::uint32_t page, double now) override;

  std::uint64_t polls_per_slot() const { return polls_per_slot_; }
  // The importance of the changes expected in one slot.
  double expected_value() const;

 private:
  TimeSlotOptions options_;
  Rng rng_;
  std::uint64_t polls_per_slot_;
  std::vector<double> chance_;  // of a change in a slot
  std::vector<double> importance_;
  std::vector<double> unchanged_;  // chance that nothing happened since the last poll, settled
  std::vector<std::uint64_t> settled_slot_;
  std::uint64_t slot_ = 0;
  void settle(std::uint32_t page);
};

struct TimeSlotRun {
  TimeSlotOptions world;
  std::string policy = "cgla";
  learn::PaperOptions papers = {};
  std::uint64_t slots = 2000;
  std::size_t points = 40;
};
struct TimeSlotResult {
  double tail = 0;            // retrieved ÷ expected importance over the last quarter
  std::vector<double> curve;  // the same over equal stretches
  std::vector<double> asked;  // polls a slot that the automata of cgla ask for, at their ends
};
TimeSlotResult run_time_slots(const TimeSlotRun& run);

}  // namespace pollux::lab

// The environment of the thesis on importance (time slots in which a tenth of the pages can be
// polled): Zipf-like change chances with a random exponent per page, importance biased towards
// lively pages, and two kinds of updates.
#pragma once

#include "pollux/base/rng.hpp"
#include "pollux/lab/world.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace pollux::lab {

enum class Updates {
  overwritten,  // a change can be found until the next one replaces it
  vanishing     // a change can be found in its own slot only
};

struct SlotOptions {
  std::size_t pages = 1000;
  Updates updates = Updates::overwritten;
  double change_ratio = 2;          // expected changes per poll
  std::uint64_t reverse_every = 0;  // slots after which lively pages become quiet and vice versa
  std::uint64_t seed = 1;
};

// One poll per second; a slot is pages/10 polls long.
class SlotWorld final : public World {
 public:
  explicit SlotWorld(const SlotOptions& options);
  std::size_t pages() const override { return chance_.size(); }
  double importance(std::uint32_t page) const override { return importance_[page]; }
  double rate(std::uint32_t page) const override;
  bool advance(double now) override;
  bool poll(std::uint32_t page, double now) override;

  std::uint64_t polls_per_slot() const { return polls_per_slot_; }
  // The importance of the changes expected in one slot.
  double expected_value() const;

 private:
  SlotOptions options_;
  Rng rng_;
  std::uint64_t polls_per_slot_;
  std::vector<double> chance_;  // of a change in a slot
  std::vector<double> importance_;
  std::vector<std::uint64_t> last_slot_;
  std::vector<double> unchanged_;  // chance that nothing happened since the last poll, settled
  std::vector<std::uint64_t> settled_slot_;
  std::uint64_t slot_ = 0;
  void settle(std::uint32_t page);
};

struct SlotRun {
  SlotOptions world;
  std::string policy = "cgla";
  std::uint64_t slots = 2000;
  std::size_t points = 40;
};
struct SlotResult {
  double tail = 0;            // retrieved ÷ expected importance over the last quarter
  std::vector<double> curve;  // the same over equal stretches
};
SlotResult run_slots(const SlotRun& run);

}  // namespace pollux::lab

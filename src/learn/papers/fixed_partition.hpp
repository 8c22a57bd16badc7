// FPA, the Fixed Partitioning Automaton: pages are in a polled class or in a waiting class, each
// with N states from the inside to the boundary. A hit moves a page towards (and inside) the polled
// class, a miss away from it; a waiting page whose poll was a hit at the boundary is exchanged
// with a polled one at (or nearest to) the boundary whose last poll was a miss. The published rule
// also lets that miss start the exchange; here the page that comes in has just been polled, because
// a scheduler that refreshes a page's deadline at its poll would not see the other one for long.
// Time slots can hold a tenth of the pages; f, of the capacity or of the waiting class
// (WaitingPartOf), goes round the waiting class, the rest polls every page of the polled class once
// a slot. Importance is the chance that a hit counts.
#pragma once

#include "pollux/base/rng.hpp"
#include "pollux/learn/policy.hpp"

#include <vector>

namespace pollux::learn {

class FixedPartition final : public Policy {
 public:
  struct Rules {
    int states = 16;
    double waiting_part = 0.1;
    WaitingPartOf of = WaitingPartOf::capacity;
  };
  FixedPartition(const Rules& rules, std::uint64_t seed);

  std::string_view name() const override { return "fpa"; }
  void add(PageSlot page, double importance, const std::optional<PageMemory>& memory) override;
  void remove(PageSlot page) override;
  void set_importance(PageSlot page, double importance) override;
  void feed(PageSlot page, const Observation& seen) override;
  double share(PageSlot page) const override;
  void set_sweep(double) override {}
  PageMemory memory(PageSlot page) const override;
  std::size_t memory_bytes() const override;

 private:
  // Positions: −1 … −N waiting (−1 is the boundary), +1 … +N polled (+1 is the boundary).
  struct Page {
    float importance = 0;  // 0: an empty slot
    std::int16_t position = 0;
    bool hit = false;      // what its last poll showed
    std::uint32_t at = 0;  // its position in members_
  };
  std::vector<std::uint32_t>& members(int position) { return members_[position + states_]; }
  std::size_t wanted_polled() const;
  void put(std::uint32_t slot, int position);
  void take_out(std::uint32_t slot);
  void fill_polled_class();
  // Somebody in the polled class, nearest to its boundary, whose last poll was a miss.
  std::optional<std::uint32_t> leaver();

  int states_;
  double waiting_part_;  // of the capacity
  Rng rng_;
  std::vector<Page> pages_;
  std::vector<std::vector<std::uint32_t>> members_ =
      std::vector<std::vector<std::uint32_t>>(static_cast<std::size_t>(2 * states_ + 1));
  std::size_t count_ = 0, polled_ = 0;
  float largest_importance_ = 0;
};

}  // namespace pollux::learn

// One automaton per page, all competing for one knapsack. State k of N asks for the frequency
// (k/N)^power. A hit moves a page's automaton up one state while the knapsack has room, a miss
// moves it down one while the knapsack is over-full; importance is the chance that a hit counts.
//   LAKG (the Learning Automata Knapsack Game; its own paper is not at hand, so this is our
//   reading): one poll per step is the capacity, N = 250, power λ = 2. Document 000, footnote 7,
//         sets λ to 1; with that the lowest frequency is 1/N, and 512 pages ask for
//         more than there is whatever they learn. λ = 2 lets a page ask for little.
//   CGLA (the Competitive Game of Learning Automata): N = 64, power 1, time slots in which a tenth
//         of the pages can be polled.
#pragma once

#include "learn/page_values.hpp"
#include "pollux/base/rng.hpp"
#include "pollux/learn/policy.hpp"

#include <vector>

namespace pollux::learn {

struct GameRules {
  std::string_view name;
  int states;
  double power;
  bool time_slots;  // capacity n/10 in each, else 1 in single steps
};
inline constexpr GameRules lakg_rules{"lakg", 250, 2, false};
inline constexpr GameRules cgla_rules{"cgla", 64, 1, true};

class KnapsackGame final : public Policy {
 public:
  KnapsackGame(const GameRules& rules, std::uint64_t seed) : rules_(rules), rng_(seed) {}

  std::string_view name() const override { return rules_.name; }
  void add(PageSlot page, double importance, const std::optional<PageMemory>& memory) override;
  void remove(PageSlot page) override;
  void set_importance(PageSlot page, double importance) override;
  void feed(PageSlot page, const Observation& seen) override;
  double share(PageSlot page) const override { return asked_.share(index(page)); }
  void set_sweep(double) override;
  PageMemory memory(PageSlot page) const override;
  std::size_t memory_bytes() const override;

 private:
  struct Page {
    float importance = 0;  // 0: an empty slot
    int state = 0;         // 0: has heard nothing, asks for its equal part
  };
  double capacity() const { return rules_.time_slots ? static_cast<double>(count_) / 10 : 1; }
  double frequency(int state) const;
  int equal_state() const;
  void ask(std::uint32_t slot);

  GameRules rules_;
  Rng rng_;
  std::vector<Page> pages_;
  PageValues asked_;
  std::size_t count_ = 0;
  float largest_importance_ = 0;
};

}  // namespace pollux::learn

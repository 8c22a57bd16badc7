// The top of the hierarchy: the budget divided among brains by the tree that divides it among pages
// inside one (learn/page_tree.hpp), with a brain for a page.
//
// A brain's part begins as its part of all pages. Reward-Inaction, in expectation: at each step the
// automata on the way to a brain move towards it by what its part of the polls finds, and away from
// it by what the others' find, so they rest where the next poll is worth the same everywhere; that
// is where the parts together find most.
#pragma once

#include "learn/page_tree.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace pollux::brains {

class Division {
 public:
  // Every brain keeps so much of an equal part, so that its value stays known.
  static constexpr double least_part = 0.02;

  void set(const std::string& brain, double marginal_value, std::uint64_t pages);
  void remove(const std::string& brain);
  void step();                            // once a second
  double part(const std::string& brain);  // they add up to 1
  std::size_t size() const { return brains_.size(); }
  std::vector<std::string> names() const;

 private:
  struct Brain {
    std::uint32_t slot = 0;
    double value = 0;
  };
  double learnt_part(const Brain& brain);

  std::map<std::string, Brain> brains_;
  std::vector<std::uint32_t> free_slots_;
  learn::PageTree tree_;
};

}  // namespace pollux::brains

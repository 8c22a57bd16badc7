// The Object Migration Automaton as published (document 003, sections 4.5, 7 and 8), for the lab:
// sites are polled in pairs. A pair in one arm is rewarded, a pair in two arms is penalised; a site
// moves two states instead of one when its download was faster (rewarded) or slower (penalised)
// than the mean of its arm; a penalised pair with a site at the boundary changes arms. Where the
// document is silent: the mean of an arm is over all downloads made there so far, and a site at the
// boundary changes places with the site of the other arm that stands nearest to its boundary, which
// is the rule of the automaton that the document extends (arms keep their size).
//
// Deterministic for a given Rng. Threading: one thread.
#pragma once

#include "pollux/base/rng.hpp"

#include <cstddef>
#include <vector>

namespace pollux::placement {

class MigrationAutomaton {
 public:
  struct Options {
    std::size_t arms = 3;
    std::size_t sites = 90;
    unsigned states = 8;  // per arm
    unsigned jump = 2;    // states that a fast reward or a slow penalty moves
  };
  // Sites are dealt to the arms at random, equally many each, into the innermost states.
  MigrationAutomaton(const Options& options, Rng& rng);

  std::size_t arm(std::size_t site) const { return arm_[site]; }
  unsigned depth(std::size_t site) const { return depth_[site]; }  // 0: the boundary
  // Two different sites were polled and took so long.
  void poll_pair(std::size_t first, double first_seconds, std::size_t second,
                 double second_seconds);

 private:
  struct Mean {
    double sum = 0, count = 0;
  };
  bool is_fast(std::size_t site, double seconds);
  void reward(std::size_t site, bool fast);
  // True when it stood at the boundary already.
  bool penalise(std::size_t site, bool fast);
  void change_arms(std::size_t site, std::size_t arm);

  Options options_;
  std::vector<std::size_t> arm_;
  std::vector<unsigned> depth_;
  std::vector<Mean> means_;
};

}  // namespace pollux::placement

// The Object Migration Automaton as published (document 003, sections 4.5, 7 and 8), for the lab:
// sites are polled in pairs. A pair in one arm is rewarded, a pair in two arms is penalised; a site
// moves two states instead of one when its download was faster (rewarded) or slower (penalised)
// than the mean of its arm; a penalised pair with a site at the boundary changes arms, by one of
// three rules. The document does not say over what the mean of an arm is taken: here over all
// downloads made there so far. Arms keep their size.
//
// Left out of the document: its detection of changes (a site has changed when its state moved),
// because a state moves by where a pair stands and how long it took, and says nothing of content;
// and in its environment the part of a download's time that depends on the site's own state,
// because no server knows that state (the number of users is in the noise).
//
// Deterministic for a given Rng. Threading: one thread.
#pragma once

#include "pollux/base/rng.hpp"

#include <cstddef>
#include <vector>

namespace pollux::placement {

// Who changes arms when a pair is penalised.
enum class Exchange {
  // Document 003, Action 5, to the letter: if one of the pair is at the boundary, the two switch
  // arms. They are as far from each other as before.
  action_5,
  // The automaton the document extends (document 001, §4.2.2): a site at the boundary waits for
  // its partner; when both are there one follows the other, and somebody else at the boundary of
  // that arm, or nearest to it, goes back in its place.
  classic,
  // Ours: as the classic one, but a site at the boundary does not wait.
  eager
};

class MigrationAutomaton {
 public:
  struct Options {
    std::size_t arms = 3;
    std::size_t sites = 90;
    unsigned states = 8;  // per arm
    unsigned jump = 2;    // states that a fast reward or a slow penalty moves
    Exchange exchange = Exchange::eager;
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
  // To its partner's arm, in exchange for somebody else there.
  void follow(std::size_t site, std::size_t partner);

  Options options_;
  std::vector<std::size_t> arm_;
  std::vector<unsigned> depth_;
  std::vector<Mean> means_;
};

}  // namespace pollux::placement

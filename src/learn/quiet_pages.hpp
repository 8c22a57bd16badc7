// Pages that have never changed, and how much livelier they look than they are.
//
// A page without a change has a rate that is guessed from above. On some lists that is right; on
// others most pages never change at all, and together they have much of the budget for nothing. So
// what polls of such pages were predicted to find is held against what they found: in all, and in
// every part of the web with enough pages. A part's word counts against the one above it by its
// polls, so the whole list speaks where little is known. What every page is over-predicted by, the
// lively ones too, is no fault of the quiet ones.
//
// The weight of such a page is lowered by the root of what is left, and only far below what was
// predicted: who is to change one day must be polled to be found. Never raised.
//
// O(depth) per poll of a page that never changed, O(1) otherwise; a byte per page and eight per
// node. Forgotten by a restart, and learnt again in a sweep. Threading: one owner.
#pragma once

#include "learn/page_tree.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pollux::learn {

class QuietPages {
 public:
  static bool is_quiet(double hits) { return hits <= 0; }

  // A poll in its page's turn, of a page that had shown `hits` changes, and the chance that it
  // would find one.
  void note(std::uint32_t slot, double hits, bool changed, double predicted, PageTree& tree);
  // What the weight of a page without a change is multiplied by: as found at its last poll.
  double factor(std::uint32_t slot) const {
    return slot < lowered_.size() ? 1 - lowered_[slot] / lowest : 1;
  }
  void forget(std::uint32_t slot) {
    if (slot < lowered_.size()) lowered_[slot] = 0;
  }

  std::size_t memory_bytes() const {
    return parts_.capacity() * sizeof(Tally) + lowered_.capacity();
  }

 private:
  struct Tally {
    float found = 0, predicted = 0;
    void note(bool changed, double chance, float keep) {
      found = keep * found + (changed ? 1.0F : 0.0F);
      predicted = keep * predicted + static_cast<float>(chance);
    }
  };
  static constexpr std::size_t classes = 4;  // by changes seen; the last are the lively pages

  static constexpr double lowest = 256;

  static std::size_t class_of(double hits);
  double found_of_predicted(std::size_t of) const;
  double note_in_parts(std::uint32_t slot, bool changed, double predicted, PageTree& tree);

  std::array<Tally, classes> all_{};
  // By node. A node that is made anew takes over what its index had: soon forgotten.
  std::vector<Tally> parts_;
  std::vector<std::uint8_t> lowered_;  // by slot, in parts of `lowest`
};

}  // namespace pollux::learn

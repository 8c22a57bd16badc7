// Changes that nobody had foreseen, the last few found by polls in their turn, and where in the
// tree they come together.
//
// A site that is deployed for the first time since it is watched: looks across a node are tried
// when several of the last changes lie below it although few would by its weight, whatever looks
// elsewhere have found. Tried in vain they become rare.
// A burst that is being followed: a page found by the way belongs to it, if its siblings were found
// since its last poll; it is no news that began just now.
//
// O(depth) per change that is noted; fixed memory. Threading: one owner.
#pragma once

#include "learn/page_tree.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace pollux::learn {

class Coincidences {
 public:
  // A change of the page, in a list of so many, at some time after `since`. Returns when the first
  // of its burst was found: `now`, or earlier if `together(level)` says of a node that both sides
  // change together.
  template <typename Together>
  double note(std::uint32_t slot, const TreePath& path, std::size_t pages, double since, double now,
              const Together& together);
  // The level of the last page's path at which it comes together with others, if that is no chance;
  // nothing when too much was tried in vain lately.
  std::optional<std::uint32_t> unlikely(const PageTree& tree) const;
  void tried() { credit_ -= 1; }
  // What was tried found something: that costs nothing.
  void paid() { credit_ += 1; }

 private:
  static constexpr std::size_t remembered = 8;
  struct Change {
    std::uint32_t slot = PageTree::none;
    double until = 0;  // when the first of its burst was found
    TreePath path;
  };

  Change& begin(std::uint32_t slot, const TreePath& path, std::size_t pages);
  const Change& last() const { return changes_[(next_ + remembered - 1) % remembered]; }
  // Levels that the last one shares with each of the others; 0 for the last itself.
  void compare();

  std::array<Change, remembered> changes_;
  std::array<std::uint32_t, remembered> common_{};
  std::size_t next_ = 0;
  double credit_ = 0;  // what may be tried in vain
  bool begun_ = false;
};

template <typename Together>
double Coincidences::note(std::uint32_t slot, const TreePath& path, std::size_t pages, double since,
                          double now, const Together& together) {
  Change& change = begin(slot, path, pages);
  change.until = now;
  for (std::size_t i = 0; i < remembered; ++i) {
    const double until = changes_[i].until;
    if (common_[i] == 0 || until <= since || until >= change.until) continue;
    if (together(common_[i] - 1)) change.until = until;
  }
  return change.until;
}

}  // namespace pollux::learn

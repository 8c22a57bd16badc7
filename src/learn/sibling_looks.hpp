// Siblings change together: a site is deployed, a directory is regenerated. A change that nobody
// had foreseen is passed on through the hierarchy: across nodes of the page's path where looks have
// paid, pages of the other side are proposed for a look, if that is worth more than the ordinary
// poll of the moment. A look that finds a change passes it on, one that does not does not: a
// cascade follows a burst as far as it goes and dies where it ends. O(log n) per unforeseen change,
// nothing per miss.
//
// What is learnt: of a node, how many of the looks across it found a change (its affinity, an
// average that forgets); of all nodes of a size, the same; of a page, how often it took part. A
// node starts from what is usual for its size or what looks across the nodes above it have found,
// whichever is better. Looks that were too late to tell count for less. Now and then, and where
// unforeseen changes come together, a look goes across a node that has not paid, to learn whether
// it would.
// Threading: one owner.
#pragma once

#include "learn/coincidences.hpp"
#include "learn/page_tree.hpp"
#include "pollux/base/huge_pages.hpp"
#include "pollux/base/rng.hpp"
#include "pollux/learn/policy.hpp"

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace pollux::learn {

class SiblingLooks {
 public:
  void cover(std::uint32_t slot);
  void forget(std::uint32_t slot) { pages_[slot] = {}; }
  void prefetch(std::uint32_t slot) const { __builtin_prefetch(&pages_[slot], 1); }

  // After every poll, in this order. `importance`: of the page.
  void note_ordinary(bool changed, double importance);
  // `by_itself`: the chance that the page would have changed anyway, which says nothing of
  // siblings.
  void note_look(const Look& look, bool changed, double by_itself, double now, PageTree& tree);
  void note_poll(std::uint32_t slot, double now) { pages_[slot].last = now; }
  // The page changed, after `since`, and that was not foreseen. `importance_of(slot)`.
  template <typename Importance>
  void pass_on(std::uint32_t slot, double since, double now, PageTree& tree, Rng& rng,
               const Importance& importance_of);

  std::vector<Look> take() { return std::exchange(proposed_, {}); }
  bool still_wanted(const Look& look) const {
    return pages_[index(look.page)].last == look.last &&
           (look.trial || look.value >= worth_while());
  }
  double affinity(std::uint32_t index, PageTree& tree) const;
  // The sums by size are those of the nodes: after these were restored.
  void restore_sizes(std::span<const NodeMemory> nodes);
  std::size_t memory_bytes() const { return pages_.capacity() * sizeof(Page); }

 private:
  struct Page {
    double last = never;  // its last poll
    PageTree::Count tried, found;
  };
  struct Sums {
    double tried = 0, found = 0;
    double usual = 0.1;  // what a node starts from
    void reckon() { usual = (found + 0.05) / (tried + 0.5); }
  };
  struct Across {
    std::uint32_t node;
    int side;  // the other one
    double affinity;
    bool trial;
  };
  // What is known of looks across the nodes above a page, the root first.
  struct Known {
    TreePath path;
    std::array<double, TreePath::most> affinity;
  };
  static constexpr double never = -1e300;
  static constexpr double together_from = 0.3;  // an affinity: one burst, not two
  static constexpr std::size_t most_across = 8, draws = 6, most_proposed = 1024;

  double worth_while() const;
  // That the burst, somewhere in (since, until), came after the page's last poll.
  static double certainty(double last, double since, double until);
  void recall(std::uint32_t slot, PageTree& tree, Known& known) const;
  double affinity(const PageTree::Node& node, double above) const;
  // Of the looks across the node and `looks` more that are expected to pay so much.
  static double paid(const PageTree::Node& node, double expected, double looks);
  std::size_t choose_across(const Known& known, Rng& rng,
                            std::array<Across, most_across>& across) const;
  // Where changes come together and nothing is known of looks.
  void try_coincidence(const PageTree& tree, const Known& known,
                       std::array<Across, most_across>& across, std::size_t& count);
  double worth(std::uint32_t slot, double affinity, double since, double until) const;

  HugeVector<Page> pages_;  // by slot
  std::array<Sums, 33> sizes_{};
  Coincidences coincidences_;
  std::vector<Look> proposed_;
  double ordinary_ = 0.1;       // importance found by an ordinary poll
  double importance_ = 1;       // of the page of an ordinary poll
  double ordinary_polls_ = 0;   // heard of, up to what is remembered
  double burst_until_ = never;  // of the look heard of last; never: it was none
};

template <typename Importance>
void SiblingLooks::pass_on(std::uint32_t slot, double since, double now, PageTree& tree, Rng& rng,
                           const Importance& importance_of) {
  // All of a cascade is one burst, which had happened when its first page was found. A page that
  // has changed after that began another one.
  const bool by_look = burst_until_ != never;
  double until = burst_until_ > since ? std::min(burst_until_, now) : now;
  Known known;
  recall(slot, tree, known);
  if (!by_look) {
    until = coincidences_.note(
        slot, known.path, tree.pages(), since, now,
        [&](std::uint32_t level) { return known.affinity[level] >= together_from; });
  }
  std::array<Across, most_across> across;
  std::size_t count = choose_across(known, rng, across);
  if (!by_look) try_coincidence(tree, known, across, count);
  for (std::size_t i = 0; i < count && proposed_.size() < most_proposed; ++i) {
    const Across& way = across[i];
    const std::size_t pages = tree.node(way.node).pages;
    Look best{
        .because = PageSlot{slot}, .value = -1, .since = since, .until = until, .trial = way.trial};
    // First all are drawn, then all are weighed: the memory of each is waited for together.
    std::array<std::uint32_t, draws> drawn;
    const std::size_t wanted = std::min<std::size_t>(draws, pages - 1);
    for (std::size_t k = 0; k < wanted; ++k) {
      drawn[k] = tree.draw(way.node, way.side, rng);
      prefetch(drawn[k]);
    }
    for (std::size_t k = 0; k < wanted; ++k) {
      const std::uint32_t page = drawn[k];
      const double chance = worth(page, way.affinity, since, until);
      const double value = chance * importance_of(page);
      if (value <= best.value) continue;
      best.page = PageSlot{page};
      best.worth = chance;
      best.value = value;
      best.last = pages_[page].last;
    }
    if (best.value < worth_while() && !way.trial) continue;
    proposed_.push_back(best);
  }
}

}  // namespace pollux::learn

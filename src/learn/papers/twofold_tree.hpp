// The hierarchy of document 000, §3: a binary tree over page slots, one TRAA per node. State s of
// N keeps s/(N+1) of the node's capacity for its left side; a node that has heard nothing splits by
// the number of pages on each side, so that a list whose length is no power of two starts even.
// N may double from each level to the one above it (§4.3.3).
//
// Earliest deadline first inside the tree: each side of a node was last served at a virtual time of
// the node's own and is due 1/part later, by the part it has now; the way down takes the earlier
// side. So every share counts from the moment it is learnt, and a choice is O(log n), where a flat
// queue would have to renew all deadlines after every feedback. Threading: one owner.
#pragma once

#include "pollux/learn/policy.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace pollux::learn {

enum class Doubling { no, yes };

class TwofoldTree {
 public:
  TwofoldTree(int states, Doubling doubling) : states_(states), doubling_(doubling) {}

  // Adding a slot twice is an error. Growing adds nodes on the right and on top.
  void add(std::uint32_t slot);
  void remove(std::uint32_t slot);
  std::uint32_t pages() const;

  // The product of the parts along the path.
  double share(std::uint32_t slot) const;
  // Tells every node on the path, leaves first, of a reward (or a penalty). `unless(part)`, where
  // `part` is what the page's side holds, keeps a node as it is.
  template <typename Unless>
  void feed(std::uint32_t slot, bool reward, const Unless& unless);

  // The page that is due first; it counts as served.
  std::optional<std::uint32_t> choose();
  // This page was served without choose().
  void serve(std::uint32_t slot);

  std::vector<NodeMemory> take_changed(std::size_t limit);
  void restore(std::span<const NodeMemory> nodes);
  std::size_t memory_bytes() const;

 private:
  struct Node {
    float state = 0;  // 0: has heard nothing
    bool changed = false;
    std::uint32_t pages[2] = {0, 0};  // on the left, on the right
    double served[2] = {0, 0};        // virtual time at which a side was due when it was served
    bool decides() const { return pages[0] > 0 && pages[1] > 0; }
  };

  float states(std::size_t level) const;
  float left_part(const Node& node, std::size_t level) const;
  void serve(Node& node, std::size_t level, int side);
  void count(std::uint32_t slot, int by);
  void note_change(std::size_t level, std::uint32_t position);

  int states_;
  Doubling doubling_;
  std::vector<std::vector<Node>> levels_;                         // [0]: parents of leaves
  std::vector<std::pair<std::uint32_t, std::uint32_t>> changed_;  // (level, position)
};

template <typename Unless>
void TwofoldTree::feed(std::uint32_t slot, bool reward, const Unless& unless) {
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    const bool is_left = (slot & 1) == 0;
    slot >>= 1;
    Node& node = levels_[level][slot];
    if (!node.decides()) continue;
    const float left = left_part(node, level);
    if (unless(is_left ? left : 1 - left)) continue;
    const float most = states(level);
    // Rounded when it hears for the first time; whole numbers afterwards.
    const auto nearest = static_cast<float>(static_cast<int>(left * (most + 1) + 0.5F));
    const float from = node.state > 0 ? node.state : nearest;
    const float to = from + (is_left == reward ? 1.0F : -1.0F);
    const float next = to < 1 ? 1 : (to > most ? most : to);
    if (next == node.state) continue;
    node.state = next;
    note_change(level, slot);
  }
}

}  // namespace pollux::learn

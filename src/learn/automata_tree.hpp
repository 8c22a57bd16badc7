// The hierarchy all H-TRAA policies share: a binary tree over page slots, one automaton per node.
//
// Three binary levels are packed into one 64-byte block: the weights of its eight children and the
// values of the seven automata between them. A path of 21 levels is seven cache lines, and their
// addresses follow from the slot alone. Sums of weights are always recomputed from children, never
// adjusted by differences, so rounding does not accumulate. An empty slot weighs 0 and gets
// nothing: where one side of a node is empty the other side has all.
//
// What a value means (an odds multiplier, a state of N) is the policy's business, given as a
// function `split(value, left, right)` → the left side's part, asked only when both sides weigh
// something. Threading: one owner.
#pragma once

#include "pollux/base/huge_pages.hpp"
#include "pollux/learn/policy.hpp"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace pollux::learn {

class AutomataTree {
 public:
  explicit AutomataTree(float initial_value) : initial_value_(initial_value) {}

  // Makes room for this slot. Growing adds nodes on the right and on top; no node is renamed.
  void cover(std::uint32_t slot);

  float weight(std::uint32_t slot) const { return levels_[0][slot >> 3].weight[slot & 7]; }
  float total() const { return levels_.empty() ? 0 : sum(levels_.back()[0]); }
  void set_weight(std::uint32_t slot, float weight);
  // The automata nearest to the leaf start anew: what they learnt was about the page that is gone.
  void forget(std::uint32_t slot);
  // Sets a leaf without its ancestors: many of these, then one rebuild().
  void set_weight_only(std::uint32_t slot, float weight) {
    levels_[0][slot >> 3].weight[slot & 7] = weight;
  }
  void rebuild();
  void prefetch(std::uint32_t slot) const {
    for (const auto& level : levels_) {
      slot >>= 3;
      __builtin_prefetch(&level[slot], 1);
    }
  }

  // The product of the parts along the path from the root to the slot.
  template <typename Split>
  double share(std::uint32_t slot, const Split& split) const;

  // Sets the slot's weight and asks every automaton on its path, leaves first, for its new value:
  // `move(value, part, is_left)` where `part` is what the page's side holds. Automata with an
  // empty side have nothing to decide and are not asked.
  template <typename Split, typename Move>
  void update(std::uint32_t slot, float weight, const Split& split, const Move& move);

  std::vector<NodeMemory> take_changed(std::size_t limit);
  void restore(std::span<const NodeMemory> nodes);
  std::size_t memory_bytes() const;

 private:
  struct alignas(64) Block {
    float weight[8];
    float value[7];  // four parents of leaves, two above them, one on top
    std::uint8_t changed = 0;
  };
  static_assert(sizeof(Block) == 64);

  struct Ends {
    float left, right;
    int node;      // index into Block::value
    bool is_left;  // which side the child is on
  };
  static float sum(const Block& b) {
    return ((b.weight[0] + b.weight[1]) + (b.weight[2] + b.weight[3])) +
           ((b.weight[4] + b.weight[5]) + (b.weight[6] + b.weight[7]));
  }
  // The automaton of `height` 0, 1 or 2 inside the block above this child.
  static Ends ends(const Block& b, std::uint32_t child, int height) {
    const float* w = b.weight;
    if (height == 0) {
      const std::uint32_t at = child & 6;
      return {w[at], w[at + 1], static_cast<int>(child >> 1), (child & 1) == 0};
    }
    if (height == 1) {
      const std::uint32_t at = child & 4;
      return {w[at] + w[at + 1], w[at + 2] + w[at + 3], 4 + static_cast<int>(child >> 2),
              (child & 2) == 0};
    }
    return {(w[0] + w[1]) + (w[2] + w[3]), (w[4] + w[5]) + (w[6] + w[7]), 6, (child & 4) == 0};
  }
  void note_change(std::size_t level, std::uint32_t index, Block& block, int node) {
    if (block.changed == 0) changed_.emplace_back(static_cast<std::uint32_t>(level), index);
    block.changed = static_cast<std::uint8_t>(block.changed | (1u << node));
  }

  float initial_value_;
  std::vector<HugeVector<Block>> levels_;                         // [0] holds the leaves
  std::vector<std::pair<std::uint32_t, std::uint32_t>> changed_;  // (level, block)
};

template <typename Split>
double AutomataTree::share(std::uint32_t slot, const Split& split) const {
  double result = 1;
  for (const auto& level : levels_) {
    const std::uint32_t child = slot & 7;
    slot >>= 3;
    const Block& block = level[slot];
    for (int height = 0; height < 3; ++height) {
      const Ends e = ends(block, child, height);
      if (e.left <= 0 || e.right <= 0) continue;
      const float left = split(block.value[e.node], e.left, e.right);
      result *= static_cast<double>(e.is_left ? left : 1 - left);
    }
  }
  return result;
}

template <typename Split, typename Move>
void AutomataTree::update(std::uint32_t slot, float weight, const Split& split, const Move& move) {
  for (std::size_t k = 0; k < levels_.size(); ++k) {
    const std::uint32_t child = slot & 7;
    slot >>= 3;
    Block& block = levels_[k][slot];
    block.weight[child] = weight;
    for (int height = 0; height < 3; ++height) {
      const Ends e = ends(block, child, height);
      if (e.left <= 0 || e.right <= 0) continue;
      const float left = split(block.value[e.node], e.left, e.right);
      const float before = block.value[e.node];
      const float after = move(before, e.is_left ? left : 1 - left, e.is_left);
      if (after == before) continue;
      block.value[e.node] = after;
      note_change(k, slot, block, e.node);
    }
    weight = sum(block);
  }
}

}  // namespace pollux::learn

#include "learn/automata_tree.hpp"

#include <algorithm>
#include <bit>

namespace pollux::learn {

namespace {

// Grows by an eighth, not by doubling: a million pages must not pay for two.
template <typename T>
void resize_frugally(HugeVector<T>& items, std::size_t size, const T& fill) {
  if (size > items.capacity()) {
    items.reserve(std::max(size, items.capacity() + items.capacity() / 8 + 8));
  }
  items.resize(size, fill);
}

}  // namespace

void AutomataTree::cover(std::uint32_t slot) {
  Block empty{};
  std::fill(std::begin(empty.value), std::end(empty.value), initial_value_);
  std::uint32_t block = slot;
  for (std::size_t k = 0;; ++k) {
    block >>= 3;
    if (k == levels_.size()) {
      levels_.emplace_back();
      resize_frugally(levels_[k], 1, empty);
      if (k > 0) levels_[k][0].weight[0] = sum(levels_[k - 1][0]);
    }
    if (block >= levels_[k].size()) resize_frugally(levels_[k], block + std::size_t{1}, empty);
    if (block == 0 && levels_[k].size() == 1) return;
  }
}

void AutomataTree::set_weight(std::uint32_t slot, float weight) {
  for (auto& level : levels_) {
    const std::uint32_t child = slot & 7;
    slot >>= 3;
    level[slot].weight[child] = weight;
    weight = sum(level[slot]);
  }
}

void AutomataTree::forget(std::uint32_t slot) {
  Block& block = levels_[0][slot >> 3];
  for (int height = 0; height < 3; ++height) {
    const int node = ends(block, slot & 7, height).node;
    block.value[node] = initial_value_;
    note_change(0, slot >> 3, block, node);
  }
}

void AutomataTree::rebuild() {
  for (std::size_t k = 1; k < levels_.size(); ++k) {
    for (std::size_t i = 0; i < levels_[k - 1].size(); ++i) {
      levels_[k][i >> 3].weight[i & 7] = sum(levels_[k - 1][i]);
    }
  }
}

std::vector<NodeMemory> AutomataTree::take_changed(std::size_t limit) {
  std::vector<NodeMemory> nodes;
  while (!changed_.empty() && nodes.size() < limit) {
    const auto [level, index] = changed_.back();
    Block& block = levels_[level][index];
    while (block.changed != 0 && nodes.size() < limit) {
      const auto node = static_cast<std::uint32_t>(std::countr_zero(block.changed));
      block.changed = static_cast<std::uint8_t>(block.changed & (block.changed - 1));
      const std::uint32_t height = node < 4 ? 0 : node < 6 ? 1 : 2;
      const std::uint32_t first = height == 0 ? 0 : height == 1 ? 4 : 6;
      nodes.push_back({.level = level * 3 + height + 1,
                       .position = (index << (2 - height)) + node - first,
                       .value = static_cast<double>(block.value[node])});
    }
    if (block.changed == 0) changed_.pop_back();
  }
  return nodes;
}

void AutomataTree::restore(std::span<const NodeMemory> nodes) {
  for (const NodeMemory& node : nodes) {
    if (node.level == 0) continue;
    const std::size_t level = (node.level - 1) / 3;
    const std::uint32_t height = (node.level - 1) % 3;
    const std::uint32_t width = 2 - height;
    const std::uint32_t index = node.position >> width;
    if (level >= levels_.size() || index >= levels_[level].size()) continue;  // the list shrank
    const std::uint32_t first = height == 0 ? 0 : height == 1 ? 4 : 6;
    const std::uint32_t within = node.position & ((1u << width) - 1);
    levels_[level][index].value[first + within] = static_cast<float>(node.value);
  }
}

std::size_t AutomataTree::memory_bytes() const {
  std::size_t bytes = changed_.capacity() * sizeof(changed_[0]);
  for (const auto& level : levels_) bytes += level.capacity() * sizeof(Block);
  return bytes;
}

}  // namespace pollux::learn

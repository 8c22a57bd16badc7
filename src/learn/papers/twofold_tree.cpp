#include "learn/papers/twofold_tree.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace pollux::learn {

namespace {
// N of the highest nodes of a very large tree: beyond that a float cannot count by one.
constexpr float most_states = 1 << 22;
}  // namespace

float TwofoldTree::states(std::size_t level) const {
  const auto lowest = static_cast<float>(states_);
  if (doubling_ == Doubling::no) return lowest;
  return std::min(std::ldexp(lowest, static_cast<int>(level)), most_states);
}

float TwofoldTree::left_part(const Node& node, std::size_t level) const {
  if (node.state > 0) return node.state / (states(level) + 1);
  return static_cast<float>(node.pages[0]) / static_cast<float>(node.pages[0] + node.pages[1]);
}

std::uint32_t TwofoldTree::pages() const {
  return levels_.empty() ? 0 : levels_.back()[0].pages[0] + levels_.back()[0].pages[1];
}

void TwofoldTree::add(std::uint32_t slot) {
  if (levels_.empty()) levels_.emplace_back(1);
  while ((slot >> levels_.size()) > 0) {
    const Node& root = levels_.back()[0];
    Node above;
    above.pages[0] = root.pages[0] + root.pages[1];
    levels_.push_back({above});
  }
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    const std::size_t position = slot >> (level + 1);
    if (position >= levels_[level].size()) levels_[level].resize(position + 1);
  }
  count(slot, 1);
}

void TwofoldTree::remove(std::uint32_t slot) {
  // What the nearest automaton learnt was about the page that is gone.
  Node& nearest = levels_[0][slot >> 1];
  if (nearest.state > 0) note_change(0, slot >> 1);
  nearest.state = 0;
  count(slot, -1);
}

void TwofoldTree::count(std::uint32_t slot, int by) {
  for (std::vector<Node>& level : levels_) {
    const int side = static_cast<int>(slot & 1);
    slot >>= 1;
    Node& node = level[slot];
    node.pages[side] += static_cast<std::uint32_t>(by);
    // A side that was empty starts at the present: it has nothing saved up.
    if (by > 0 && node.pages[side] == 1) node.served[side] = node.served[1 - side];
  }
}

double TwofoldTree::share(std::uint32_t slot) const {
  double result = 1;
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    const bool is_left = (slot & 1) == 0;
    slot >>= 1;
    const Node& node = levels_[level][slot];
    if (!node.decides()) continue;
    const float left = left_part(node, level);
    result *= static_cast<double>(is_left ? left : 1 - left);
  }
  return result;
}

void TwofoldTree::serve(Node& node, std::size_t level, int side) {
  const float left = left_part(node, level);
  node.served[side] += 1 / static_cast<double>(side == 0 ? left : 1 - left);
}

std::optional<std::uint32_t> TwofoldTree::choose() {
  if (pages() == 0) return std::nullopt;
  std::uint32_t position = 0;
  for (std::size_t level = levels_.size(); level-- > 0;) {
    Node& node = levels_[level][position];
    int side = node.pages[0] > 0 ? 0 : 1;
    if (node.decides()) {
      const auto left = static_cast<double>(left_part(node, level));
      side = node.served[0] + 1 / left <= node.served[1] + 1 / (1 - left) ? 0 : 1;
      serve(node, level, side);
    }
    position = 2 * position + static_cast<std::uint32_t>(side);
  }
  return position;
}

void TwofoldTree::serve(std::uint32_t slot) {
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    const int side = static_cast<int>(slot & 1);
    slot >>= 1;
    Node& node = levels_[level][slot];
    if (node.decides()) serve(node, level, side);
  }
}

void TwofoldTree::note_change(std::size_t level, std::uint32_t position) {
  Node& node = levels_[level][position];
  if (!node.changed) changed_.emplace_back(static_cast<std::uint32_t>(level), position);
  node.changed = true;
}

std::vector<NodeMemory> TwofoldTree::take_changed(std::size_t limit) {
  std::vector<NodeMemory> taken;
  while (!changed_.empty() && taken.size() < limit) {
    const auto [level, position] = changed_.back();
    changed_.pop_back();
    Node& node = levels_[level][position];
    node.changed = false;
    taken.push_back({level + 1, position, static_cast<double>(node.state)});
  }
  return taken;
}

void TwofoldTree::restore(std::span<const NodeMemory> nodes) {
  for (const NodeMemory& memory : nodes) {
    if (memory.level < 1 || memory.level > levels_.size()) continue;
    std::vector<Node>& level = levels_[memory.level - 1];
    if (memory.position >= level.size()) continue;
    const auto state = static_cast<float>(memory.value);
    if (state >= 1 && state <= states(memory.level - 1)) level[memory.position].state = state;
  }
}

std::size_t TwofoldTree::memory_bytes() const {
  std::size_t bytes = sizeof(*this) + changed_.capacity() * sizeof(changed_[0]);
  for (const std::vector<Node>& level : levels_) bytes += level.capacity() * sizeof(Node);
  return bytes;
}

}  // namespace pollux::learn

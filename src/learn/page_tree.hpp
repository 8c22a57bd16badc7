// The hierarchy of the default policy: a binary tree over the pages in the order of their places,
// so that every node is a part of the web: a domain, a host, a directory, or a run of pages.
//
// A node is split at the most significant boundary of its run (between domains, then hosts, then
// directories), of equally significant ones at the one nearest to its middle, as far as the depth
// allows: no page is deeper than 2·log₂ n + 32, whatever the URLs are. New pages come in beside
// their neighbours; where they make it too deep the smallest part that helps is split anew, of a
// large part only its upper end, so no step takes long.
//
// A node holds the weights of its two sides, an automaton's value (odds for the left side), how
// many looks across it were tried and how many found a change. What was learnt belongs to the run,
// not to the position: it is kept when the tree is split anew, and named by the first page, what
// the pages have in common and their number, so it is found again in a list that was edited.
// Sums of weights are recomputed from both sides, never adjusted, so rounding does not accumulate.
//
// Pages that are added before anything is asked are put in order all at once.
// Threading: one owner; const functions may build the tree.
#pragma once

#include "pollux/base/huge_pages.hpp"
#include "pollux/base/rng.hpp"
#include "pollux/learn/policy.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pollux::learn {

class PageTree {
 public:
  static constexpr std::uint32_t none = 0xffffffffU;

  // A count in 16 bits, up to 63.
  class Count {
   public:
    double value() const { return value_ / unit; }
    void set(double value) {
      value_ = static_cast<std::uint16_t>(std::lround(std::min(value, most) * unit));
    }

   private:
    static constexpr double unit = 1024, most = 63;
    std::uint16_t value_ = 0;
  };
  struct Node {
    std::uint32_t child[2] = {none, none};  // with leaf_bit: a page
    float weight[2] = {0, 0};
    std::uint32_t parent = none;
    float value = 1;  // odds of the left side, times those of the weights
    Count tried, found;
    std::uint32_t pages : 29 = 0;
    std::uint32_t changed : 1 = 0;  // since it was last taken
    std::uint32_t stored : 1 = 0;   // under the name it had when it was taken
    std::uint32_t in_use : 1 = 0;
  };
  static_assert(sizeof(Node) == 32, "a list of millions has as many nodes");

  // Without places (null) pages stand in the order of their slots.
  void set_places(const Places* places) { places_ = places; }

  void add(std::uint32_t slot, float weight);
  void remove(std::uint32_t slot);
  std::size_t pages() const { return count_; }

  float weight(std::uint32_t slot) const { return leaves_[slot].weight; }
  void set_weight(std::uint32_t slot, float weight);
  // Sets a page without its ancestors: many of these, then one sum_up().
  void set_weight_only(std::uint32_t slot, float weight) { leaves_[slot].weight = weight; }
  void sum_up();
  void prefetch(std::uint32_t slot) const {
    if (slot < leaves_.size()) __builtin_prefetch(&leaves_[slot], 1);
  }
  // A step further: what prefetch() brought is there now.
  void prefetch_path(std::uint32_t slot) const;

  // visit(node's index, node, side of the page), from the page up to the root.
  template <typename Visit>
  void climb(std::uint32_t slot, const Visit& visit);

  // The product of the parts along the path: `split(value, left, right)` is the left side's.
  template <typename Split>
  double share(std::uint32_t slot, const Split& split) const {
    ensure_built();
    return share_below(slot | leaf_bit, leaves_[slot].parent, split);
  }
  template <typename Split>
  double node_share(std::uint32_t index, const Split& split) const {
    return share_below(index, nodes_[index].parent, split);
  }
  // Sets the page's weight and asks every automaton on its path for its new value:
  // `move(value, part, is_left, pages)`, `part` being what the page's side holds.
  template <typename Split, typename Move>
  void update(std::uint32_t slot, float weight, const Split& split, const Move& move);

  const Node& node(std::uint32_t index) const { return nodes_[index]; }
  Node& edit(std::uint32_t index) {
    note_change(index);
    return nodes_[index];
  }
  // Which of about 32 sizes the node's run has: nodes of a size have something in common.
  static std::uint32_t size_class(const Node& node) { return std::bit_width(node.pages); }
  // A page below a node's side, with a chance in proportion to its weight.
  std::uint32_t draw(std::uint32_t index, int side, Rng& rng) const;
  // The node in which the paths of two pages meet; `none` if one is gone or they are the same.
  std::uint32_t meeting(std::uint32_t a, std::uint32_t b) const;
  std::uint32_t depth(std::uint32_t slot) const;
  static std::uint32_t most_depth(std::size_t pages) { return 2 * levels_for(pages) + 32; }

  // Nodes that have learnt something which has changed since the last call, and names under which
  // nothing is known any more. `describe(index, out)` fills what the owner makes of the values.
  using Describe = std::function<void(std::uint32_t, NodeMemory&)>;
  std::vector<NodeMemory> take_changed(std::size_t limit, const Describe& describe);
  // Those that are named, found again in the list as it is now.
  void restore(std::span<const NodeMemory> nodes);
  // The nodes above a page, root first.
  std::vector<NodeMemory> path(std::uint32_t slot, const Describe& describe) const;

  std::size_t memory_bytes() const;

 private:
  static constexpr std::uint32_t leaf_bit = 0x80000000U, absent = 0xfffffffeU;
  struct Leaf {
    std::uint32_t parent = absent;
    float weight = 0;
  };
  // What is put in order: pages, or parts of the tree that stay as they are.
  struct Atom {
    std::uint32_t ref, pages, first, last;
  };
  struct Run;
  struct Learnt {
    float value;
    Count tried, found;
  };
  using Kept = std::unordered_map<std::uint64_t, Learnt>;  // by first and last page

  static std::uint32_t levels_for(std::size_t pages) {
    return pages < 2 ? 0 : static_cast<std::uint32_t>(std::bit_width(pages - 1));
  }
  static bool is_leaf(std::uint32_t ref) { return (ref & leaf_bit) != 0; }
  std::uint32_t pages_of(std::uint32_t ref) const { return is_leaf(ref) ? 1 : nodes_[ref].pages; }
  float weight_of(std::uint32_t ref) const {
    return is_leaf(ref) ? leaves_[ref ^ leaf_bit].weight
                        : nodes_[ref].weight[0] + nodes_[ref].weight[1];
  }
  std::uint32_t& parent_of(std::uint32_t ref) {
    return is_leaf(ref) ? leaves_[ref ^ leaf_bit].parent : nodes_[ref].parent;
  }
  int side_of(std::uint32_t ref, const Node& parent) const { return parent.child[1] == ref; }
  std::uint32_t end_of(std::uint32_t ref, int side) const;  // its first or last page
  std::string_view url(std::uint32_t slot, std::string& number) const;
  void key(std::uint32_t slot, std::string& into) const;
  static bool has_learnt(const Node& node);

  template <typename Split>
  double share_below(std::uint32_t ref, std::uint32_t at, const Split& split) const;

  void ensure_built() const {
    if (!unbuilt_.empty()) const_cast<PageTree*>(this)->build_first();
  }
  void build_first();
  void insert(std::uint32_t slot);
  std::uint32_t neighbour_for(std::uint32_t slot, bool& before) const;
  void join(std::uint32_t slot, std::uint32_t beside, bool before);
  void settle_depth(std::uint32_t slot);
  void split_anew(std::uint32_t ref, std::uint32_t depth);
  void take_apart(std::uint32_t ref, std::uint32_t keep, bool top, std::vector<Atom>& atoms,
                  Kept& kept);
  std::uint32_t build(const Run& run, std::size_t first, std::size_t end, std::uint32_t depth_left,
                      unsigned least);
  std::size_t split_at(const Run& run, std::size_t first, std::size_t end, std::uint32_t depth_left,
                       unsigned& least) const;
  void replace(std::uint32_t parent, std::uint32_t old, std::uint32_t now);
  std::uint32_t new_node();
  void free_node(std::uint32_t index);
  void note_change(std::uint32_t index) {
    Node& changed = nodes_[index];
    if (changed.changed == 0) changed_.push_back(index);
    changed.changed = 1;
  }
  void forget_name(std::uint32_t index);  // it is about to be another one
  NodeMemory named(std::uint32_t index) const;

  const Places* places_ = nullptr;
  HugeVector<Node> nodes_;
  HugeVector<Leaf> leaves_;  // by slot
  std::uint32_t root_ = none;
  std::size_t count_ = 0;        // pages
  std::size_t count_built_ = 0;  // when it was last split from the root
  std::vector<std::uint32_t> free_, changed_, unbuilt_;
  std::vector<NodeMemory> gone_;
};

template <typename Visit>
void PageTree::climb(std::uint32_t slot, const Visit& visit) {
  ensure_built();
  std::uint32_t ref = slot | leaf_bit;
  for (std::uint32_t at = leaves_[slot].parent; at < leaf_bit;) {
    Node& node = nodes_[at];
    const std::uint32_t up = node.parent;
    visit(at, node, side_of(ref, node));
    ref = at;
    at = up;
  }
}

template <typename Split>
double PageTree::share_below(std::uint32_t ref, std::uint32_t at, const Split& split) const {
  double result = 1;
  while (at < leaf_bit) {
    const Node& node = nodes_[at];
    const float left = split(node.value, node.weight[0], node.weight[1]);
    result *= static_cast<double>(side_of(ref, node) == 0 ? left : 1 - left);
    ref = at;
    at = node.parent;
  }
  return result;
}

template <typename Split, typename Move>
void PageTree::update(std::uint32_t slot, float weight, const Split& split, const Move& move) {
  ensure_built();
  leaves_[slot].weight = weight;
  std::uint32_t ref = slot | leaf_bit;
  for (std::uint32_t at = leaves_[slot].parent; at < leaf_bit;) {
    Node& node = nodes_[at];
    const int side = side_of(ref, node);
    node.weight[side] = weight;
    const float left = split(node.value, node.weight[0], node.weight[1]);
    const float after = move(node.value, side == 0 ? left : 1 - left, side == 0, node.pages);
    if (after != node.value) {
      node.value = after;
      note_change(at);
    }
    weight = node.weight[0] + node.weight[1];
    ref = at;
    at = node.parent;
  }
}

}  // namespace pollux::learn

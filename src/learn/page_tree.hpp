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
// A decision among a million pages waits for memory, so what the way up from a page reads (weights,
// values, links) stands apart from the rest, and nodes that are passed together stand together:
// about three levels in two neighbouring cache lines. What came later is linked from elsewhere.
//
// Pages that are added before anything is asked are put in order all at once.
// Threading: one owner.
#pragma once

#include "pollux/base/huge_pages.hpp"
#include "pollux/base/rng.hpp"
#include "pollux/learn/policy.hpp"

#include <algorithm>
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

// The nodes above a page or a node, the root first.
struct TreePath {
  static constexpr std::uint32_t most = 96;  // PageTree's depth is at most 2·31 + 32
  static constexpr std::uint32_t right_side = 0x80000000U, is_looked = 0x40000000U;
  std::uint32_t levels = 0;
  std::array<std::uint32_t, most>
      way;  // the node, on which side of it, is something known of looks

  std::uint32_t node(std::uint32_t level) const { return way[level] & ~(right_side | is_looked); }
  int other_side(std::uint32_t level) const { return (way[level] & right_side) != 0 ? 0 : 1; }
  bool looked(std::uint32_t level) const { return (way[level] & is_looked) != 0; }
  std::uint32_t in_common(const TreePath& other) const {
    std::uint32_t low = 0, high = std::min(levels, other.levels);
    while (low < high) {  // paths part once
      const std::uint32_t middle = (low + high) / 2;
      if (node(middle) == other.node(middle))
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
};

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
    Count tried, found;
    std::uint32_t pages : 30 = 0;
    std::uint32_t stored : 1 = 0;  // under the name it had when it was taken
    std::uint32_t in_use : 1 = 0;
  };
  static_assert(sizeof(Node) == 16, "a list of millions has as many nodes");

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

  void path_of(std::uint32_t slot, TreePath& path) {
    ensure_built();
    path_from(leaves_[slot].link, path);
  }
  void path_of_node(std::uint32_t index, TreePath& path) const {
    path_from(ways_[index].link, path);
  }

  // The product of the parts along the path: `split(value, left, right)` is the left side's, the
  // same function in every call.
  template <typename Split>
  double share(std::uint32_t slot, const Split& split) {
    ensure_built();
    return slot == updated_ ? share_of_updated_ : share_below(leaves_[slot].link, split);
  }
  template <typename Split>
  double node_share(std::uint32_t index, const Split& split) const {
    return share_below(ways_[index].link, split);
  }
  // Sets the page's weight and asks every automaton on its path for its new value:
  // `move(value, part, is_left, node)`, `part` being what the page's side holds. The page's share,
  // which is found on the same way, is known until something else changes.
  template <typename Split, typename Move>
  void update(std::uint32_t slot, float weight, const Split& split, const Move& move);

  const Node& node(std::uint32_t index) const { return nodes_[index]; }
  // The automaton's: odds of the left side, times those of the weights.
  float value(std::uint32_t index) const { return ways_[index].value; }
  float node_weight(std::uint32_t index) const { return ways_[index].sum(); }
  void set_looks(std::uint32_t index, double tried, double found) {
    note_change(index);
    put_looks(index, tried, found);
  }
  // Which of about 32 sizes the node's run has: nodes of a size have something in common.
  static std::uint32_t size_class(const Node& node) { return std::bit_width(node.pages); }
  // A page below a node's side, with a chance in proportion to its weight.
  std::uint32_t draw(std::uint32_t index, int side, Rng& rng) const;
  // The node in which the paths of two pages meet; `none` if one is gone or they are the same.
  std::uint32_t meeting(std::uint32_t a, std::uint32_t b);
  std::uint32_t depth(std::uint32_t slot);
  static std::uint32_t most_depth(std::size_t pages) { return 2 * levels_for(pages) + 32; }

  // Nodes that have learnt something which has changed since the last call, and names under which
  // nothing is known any more. `describe(index, out)` fills what the owner makes of the values.
  using Describe = std::function<void(std::uint32_t, NodeMemory&)>;
  std::vector<NodeMemory> take_changed(std::size_t limit, const Describe& describe);
  // Those that are named, found again in the list as it is now.
  void restore(std::span<const NodeMemory> nodes);
  // Values of the nodes whose pages have a prefix that `spans` sites, so that every page below them
  // has a share in the ratio of `shares` (by slot); which nodes these are.
  std::vector<std::uint32_t> fit(std::span<const double> shares,
                                 const std::function<bool(std::string_view prefix)>& spans);
  NodeMemory named(std::uint32_t index) const;
  // The nodes above a page, root first.
  std::vector<NodeMemory> path(std::uint32_t slot, const Describe& describe);

  std::size_t memory_bytes() const;

 private:
  static constexpr std::uint32_t leaf_bit = 0x80000000U;
  // The node above and on which side of it.
  struct Link {
    static constexpr std::uint32_t root = 0x1fffffffU, absent = 0x1ffffffeU;
    std::uint32_t parent : 29 = absent;
    std::uint32_t side : 1 = 0;
    std::uint32_t changed : 1 = 0;  // of a node: since it was last taken
    std::uint32_t looked : 1 = 0;   // of a node: something of looks across it is known
    bool has_parent() const { return parent < absent; }
    void set(std::uint32_t above, int at) {
      parent = above & root;
      side = at != 0 ? 1U : 0U;
    }
  };
  // What a way up reads of a node.
  struct Way {
    float weight[2] = {0, 0};
    float value = 1;
    Link link;
    float sum() const { return weight[0] + weight[1]; }
  };
  static_assert(sizeof(Way) == 16);
  struct Leaf {
    Link link;
    float weight = 0;
  };
  // What is put in order: pages, or parts of the tree that stay as they are.
  struct Atom {
    std::uint32_t ref, pages, first, last;
  };
  struct Run;
  struct Room;
  struct Neighbours;
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
    return is_leaf(ref) ? leaves_[ref ^ leaf_bit].weight : ways_[ref].sum();
  }
  Link& link_of(std::uint32_t ref) {
    return is_leaf(ref) ? leaves_[ref ^ leaf_bit].link : ways_[ref].link;
  }
  void set_child(std::uint32_t index, int side, std::uint32_t ref) {
    nodes_[index].child[side] = ref;
    link_of(ref).set(index, side);
  }
  void set_pages(std::uint32_t index, std::size_t pages) {
    nodes_[index].pages = static_cast<std::uint32_t>(pages) & 0x3fffffffU;
  }
  void set_root(std::uint32_t ref) {
    root_ = ref;
    link_of(ref).set(Link::root, 0);
  }
  // The weights of a node and of all above it.
  void sum_above(std::uint32_t ref);
  void count_above(Link link, int more);                    // pages; names end
  std::uint32_t end_of(std::uint32_t ref, int side) const;  // its first or last page
  std::string_view url(std::uint32_t slot, std::string& number) const;
  void key(std::uint32_t slot, std::string& into) const;
  bool has_learnt(std::uint32_t index) const;

  void path_from(Link link, TreePath& path) const;
  template <typename Split>
  double share_below(Link link, const Split& split) const;

  void ensure_built() {
    if (!unbuilt_.empty()) build_first();
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
                      unsigned least, Room& room);
  std::size_t split_at(const Run& run, std::size_t first, std::size_t end, std::uint32_t depth_left,
                       unsigned& least) const;
  void replace(Link at, std::uint32_t now);
  std::uint32_t new_node();
  std::uint32_t use(std::uint32_t index);
  void free_node(std::uint32_t index);
  void note_change(std::uint32_t index) {
    Link& changed = ways_[index].link;
    if (changed.changed == 0) changed_.push_back(index);
    changed.changed = 1;
  }
  void put_looks(std::uint32_t index, double tried, double found) {
    nodes_[index].tried.set(tried);
    nodes_[index].found.set(found);
    ways_[index].link.looked = 1;
  }
  void forget_name(std::uint32_t index);  // it is about to be another one
  double fit_below(std::uint32_t ref, std::span<const double> shares,
                   const std::function<bool(std::string_view prefix)>& spans,
                   std::vector<std::uint32_t>& fitted);

  const Places* places_ = nullptr;
  HugeVector<Way> ways_;
  HugeVector<Node> nodes_;   // the same indices
  HugeVector<Leaf> leaves_;  // by slot
  std::uint32_t root_ = none;
  std::size_t count_ = 0;        // pages
  std::size_t count_built_ = 0;  // when it was last split from the root
  std::vector<std::uint32_t> free_, changed_, unbuilt_;
  std::vector<NodeMemory> gone_;
  std::uint32_t updated_ = none;  // the page of the last update(), while its share is known
  double share_of_updated_ = 0;
};

template <typename Split>
double PageTree::share_below(Link link, const Split& split) const {
  double result = 1;
  while (link.has_parent()) {
    const Way& way = ways_[link.parent];
    const float left = split(way.value, way.weight[0], way.weight[1]);
    result *= static_cast<double>(link.side == 0 ? left : 1 - left);
    link = way.link;
  }
  return result;
}

template <typename Split, typename Move>
void PageTree::update(std::uint32_t slot, float weight, const Split& split, const Move& move) {
  ensure_built();
  Leaf& leaf = leaves_[slot];
  leaf.weight = weight;
  double share = 1;
  for (Link up = leaf.link; up.has_parent();) {
    Way& way = ways_[up.parent];
    const bool is_left = up.side == 0;
    way.weight[up.side] = weight;
    float left = split(way.value, way.weight[0], way.weight[1]);
    const float after = move(way.value, is_left ? left : 1 - left, is_left, up.parent);
    if (after != way.value) {
      way.value = after;
      note_change(up.parent);
      left = split(after, way.weight[0], way.weight[1]);
    }
    share *= static_cast<double>(is_left ? left : 1 - left);
    weight = way.sum();
    up = way.link;
  }
  updated_ = slot;
  share_of_updated_ = share;
}

}  // namespace pollux::learn

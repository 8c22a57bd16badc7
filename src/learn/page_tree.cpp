#include "learn/page_tree.hpp"

#include "learn/place.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <memory>
#include <utility>

namespace pollux::learn {
namespace {

// A part that is split anew should have so much room that it need not be again soon.
constexpr std::uint32_t depth_to_gain = 8;

// Grows by an eighth, not by doubling: a million pages must not pay for two.
template <typename T>
void grow_to(HugeVector<T>& items, std::size_t size) {
  if (size <= items.size()) return;
  if (size > items.capacity())
    items.reserve(std::max(size, items.capacity() + items.capacity() / 8 + 8));
  items.resize(size);
}

}  // namespace

std::uint32_t PageTree::end_of(std::uint32_t ref, int side) const {
  while (!is_leaf(ref)) ref = nodes_[ref].child[side];
  return ref ^ leaf_bit;
}

void PageTree::key(std::uint32_t slot, std::string& into) const {
  into.clear();
  append_place_key(places_->url(PageSlot{slot}), into);
}

void PageTree::add(std::uint32_t slot, float weight) {
  grow_to(leaves_, slot + std::size_t{1});
  updated_ = none;
  leaves_[slot].weight = weight;
  leaves_[slot].link.set(Link::root, 0);
  ++count_;
  if (root_ == none) {
    unbuilt_.push_back(slot);
  } else {
    insert(slot);
  }
}

std::uint32_t PageTree::new_node() {
  if (free_.empty()) return use(static_cast<std::uint32_t>(nodes_.size()));
  const std::uint32_t index = free_.back();
  free_.pop_back();
  return use(index);
}

std::uint32_t PageTree::use(std::uint32_t index) {
  grow_to(nodes_, index + std::size_t{1});
  grow_to(ways_, index + std::size_t{1});
  const bool listed = ways_[index].link.changed != 0;  // still in changed_, from its life before
  nodes_[index] = Node{};
  nodes_[index].in_use = 1;
  ways_[index] = Way{};
  ways_[index].link.changed = listed ? 1 : 0;
  return index;
}

void PageTree::free_node(std::uint32_t index) {
  nodes_[index].in_use = 0;
  free_.push_back(index);
}

void PageTree::replace(Link at, std::uint32_t now) {
  if (at.has_parent()) {
    set_child(at.parent, static_cast<int>(at.side), now);
  } else {
    set_root(now);
  }
}

void PageTree::count_above(Link link, int more) {
  for (; link.has_parent(); link = ways_[link.parent].link) {
    forget_name(link.parent);
    set_pages(link.parent, nodes_[link.parent].pages + static_cast<std::size_t>(more));
  }
}

// The part of the tree beside which the page belongs: the deepest one with which it has as much in
// common as its pages have with each other.
std::uint32_t PageTree::neighbour_for(std::uint32_t slot, bool& before) const {
  std::string mine, a, b;
  if (places_) key(slot, mine);
  const auto less = [&](std::uint32_t other, std::string& room) {
    if (!places_) return slot < other;
    key(other, room);
    return mine < room;
  };
  std::uint32_t at = root_;
  while (!is_leaf(at)) {
    if (places_) {
      key(end_of(at, 0), a);
      key(end_of(at, 1), b);
      const unsigned common = parts_in_common(a, b);
      if (std::max(parts_in_common(mine, a), parts_in_common(mine, b)) < common) {
        before = mine < a;
        return at;
      }
    }
    const Node& node = nodes_[at];
    if (less(end_of(node.child[0], 1), a)) {
      at = node.child[0];
    } else if (!less(end_of(node.child[1], 0), b)) {
      at = node.child[1];
    } else {
      // Between the two: with whom it has more in common, else where fewer are.
      const bool fewer = pages_of(node.child[1]) < pages_of(node.child[0]);
      const int nearer = places_ ? static_cast<int>(parts_in_common(mine, b)) -
                                       static_cast<int>(parts_in_common(mine, a))
                                 : 0;
      at = node.child[nearer > 0 || (nearer == 0 && fewer) ? 1 : 0];
    }
  }
  before = less(at ^ leaf_bit, a);
  return at;
}

void PageTree::insert(std::uint32_t slot) {
  bool before = false;
  const std::uint32_t beside = neighbour_for(slot, before);
  join(slot, beside, before);
  settle_depth(slot);
}

void PageTree::join(std::uint32_t slot, std::uint32_t beside, bool before) {
  const Link above = link_of(beside);
  count_above(above, 1);
  const std::uint32_t index = new_node();
  replace(above, index);
  set_child(index, before ? 0 : 1, slot | leaf_bit);
  set_child(index, before ? 1 : 0, beside);
  set_pages(index, pages_of(beside) + std::size_t{1});
  for (int side = 0; side < 2; ++side)
    ways_[index].weight[side] = weight_of(nodes_[index].child[side]);
  sum_above(index);
}

void PageTree::remove(std::uint32_t slot) {
  ensure_built();
  updated_ = none;
  const Link above = leaves_[slot].link;
  assert(above.parent != Link::absent);
  count_above(above, -1);
  --count_;
  leaves_[slot] = Leaf{};
  if (!above.has_parent()) {
    root_ = none;
    return;
  }
  const std::uint32_t other = nodes_[above.parent].child[above.side == 0 ? 1 : 0];
  replace(ways_[above.parent].link, other);
  free_node(above.parent);
  sum_above(other);
  // What is left of a list that was much longer may be deeper than a list of its length should be.
  if (count_ >= 2 && count_ < count_built_ / 2) split_anew(root_, 0);
}

void PageTree::sum_above(std::uint32_t ref) {
  float weight = weight_of(ref);
  for (Link up = link_of(ref); up.has_parent();) {
    Way& way = ways_[up.parent];
    way.weight[up.side] = weight;
    weight = way.sum();
    up = way.link;
  }
}

void PageTree::path_from(Link link, TreePath& path) const {
  path.levels = 0;
  while (link.has_parent() && path.levels < TreePath::most) {
    const Link above = ways_[link.parent].link;
    path.way[path.levels++] = link.parent | (link.side != 0 ? TreePath::right_side : 0) |
                              (above.looked != 0 ? TreePath::is_looked : 0);
    link = above;
  }
  std::reverse(path.way.begin(), path.way.begin() + path.levels);
}

std::uint32_t PageTree::depth(std::uint32_t slot) {
  ensure_built();
  std::uint32_t depth = 0;
  for (Link up = leaves_[slot].link; up.has_parent(); up = ways_[up.parent].link) ++depth;
  return depth;
}

// The smallest part above the page with room to become flat enough is split anew. Of a large one
// only the upper end is, and then the part below it that holds the page.
void PageTree::settle_depth(std::uint32_t slot) {
  const std::uint32_t most = most_depth(count_);
  for (int tries = 0; tries < 8; ++tries) {
    const std::uint32_t depth = this->depth(slot);
    if (depth <= most) return;
    std::uint32_t at = leaves_[slot].link.parent, at_depth = depth - 1;
    while (ways_[at].link.has_parent() &&
           levels_for(nodes_[at].pages) + depth_to_gain > most - std::min(at_depth, most)) {
      at = ways_[at].link.parent;
      --at_depth;
    }
    split_anew(at, at_depth);
  }
}

void PageTree::set_weight(std::uint32_t slot, float weight) {
  ensure_built();
  updated_ = none;
  leaves_[slot].weight = weight;
  sum_above(slot | leaf_bit);
}

void PageTree::sum_up() {
  ensure_built();
  updated_ = none;
  if (root_ == none || is_leaf(root_)) return;
  // Children after their parents, then backwards.
  std::vector<std::uint32_t> order{root_};
  order.reserve(count_);
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const std::uint32_t child : nodes_[order[i]].child) {
      if (!is_leaf(child)) order.push_back(child);
    }
  }
  for (std::size_t i = order.size(); i-- > 0;) {
    for (int side = 0; side < 2; ++side)
      ways_[order[i]].weight[side] = weight_of(nodes_[order[i]].child[side]);
  }
}

std::uint32_t PageTree::draw(std::uint32_t index, int side, Rng& rng) const {
  std::uint32_t ref = nodes_[index].child[side];
  while (!is_leaf(ref)) {
    const Way& way = ways_[ref];
    const float at = static_cast<float>(rng.uniform()) * way.sum();
    ref = nodes_[ref].child[at < way.weight[0] ? 0 : 1];
  }
  return ref ^ leaf_bit;
}

std::uint32_t PageTree::meeting(std::uint32_t a, std::uint32_t b) {
  const auto is_there = [&](std::uint32_t slot) {
    return slot < leaves_.size() && leaves_[slot].link.parent != Link::absent;
  };
  if (a == b || !is_there(a) || !is_there(b)) return none;
  std::uint32_t deep_a = depth(a), deep_b = depth(b);
  const auto above = [this](std::uint32_t index) -> std::uint32_t {
    return ways_[index].link.parent;
  };
  a = leaves_[a].link.parent;
  b = leaves_[b].link.parent;
  for (; deep_a > deep_b; --deep_a) a = above(a);
  for (; deep_b > deep_a; --deep_b) b = above(b);
  while (a != b) {
    a = above(a);
    b = above(b);
  }
  return a;
}

std::size_t PageTree::memory_bytes() const {
  return nodes_.capacity() * sizeof(Node) + ways_.capacity() * sizeof(Way) +
         leaves_.capacity() * sizeof(Leaf) +
         (free_.capacity() + changed_.capacity() + unbuilt_.capacity()) * sizeof(std::uint32_t);
}

}  // namespace pollux::learn

#include "learn/page_tree.hpp"

#include "learn/place.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <memory>
#include <utility>

namespace pollux::learn {
namespace {

// What a first building leaves for pages that come later.
constexpr std::uint32_t depth_to_spare = 16;
// A part that is split anew should have so much room that it need not be again soon.
constexpr std::uint32_t depth_to_gain = 8;
// A part that is split anew is taken apart into about so many pieces: a few milliseconds.
constexpr std::uint32_t most_atoms = 1024;
constexpr double few_looks = 0.5;

// Grows by an eighth, not by doubling: a million pages must not pay for two.
template <typename T>
void grow_to(HugeVector<T>& items, std::size_t size) {
  if (size <= items.size()) return;
  if (size > items.capacity())
    items.reserve(std::max(size, items.capacity() + items.capacity() / 8 + 8));
  items.resize(size);
}

std::uint64_t ends_key(std::uint32_t first, std::uint32_t last) {
  return std::uint64_t{first} << 32 | last;
}

}  // namespace

// Atoms in their order, and what lies between them.
struct PageTree::Run {
  std::vector<Atom> atoms;
  std::vector<std::uint8_t> boundary;  // [i] between i − 1 and i; empty: all alike
  std::vector<std::uint32_t> before;   // pages before atom i, one more than atoms; empty: i
  Kept* kept = nullptr;
  std::size_t pages(std::size_t first, std::size_t end) const {
    return before.empty() ? end - first : before[end] - before[first];
  }
};

// Indices next to each other for nodes that are passed together; taken one by one.
struct PageTree::Room {
  Neighbours* from = nullptr;  // null: wherever there is one
  unsigned size_class = 0;     // of the nodes it is for
  std::uint32_t next = 0, left = 0;
};

// A first building's indices, in pairs of cache lines. What a room leaves over, or what is left at
// the end of a pair, is a gap for a room that fits.
struct PageTree::Neighbours {
  static constexpr std::uint32_t together = 2 * 64 / sizeof(Way);
  // Nodes of a class with one of them above the others are passed together: three levels, if they
  // are even.
  static unsigned class_of(std::size_t pages) {
    return (static_cast<unsigned>(std::bit_width(pages - 1)) + 2) / 3;
  }
  // How many will be wanted: all below a node of up to eight pages, about so many of a larger one.
  static std::uint32_t wanted(std::size_t pages) {
    return static_cast<std::uint32_t>(std::min<std::size_t>(pages, together) - 1);
  }

  void add_gap(std::uint32_t first, std::uint32_t count) {
    if (count > 0) gaps[count].push_back(first);
  }
  void fill(Room& room, std::uint32_t count) {
    for (std::uint32_t size = count; size < together; ++size) {
      if (gaps[size].empty()) continue;
      room.next = gaps[size].back();
      gaps[size].pop_back();
      add_gap(room.next + count, size - count);
      room.left = count;
      return;
    }
    room.next = end;
    room.left = count;
    end += together;
    add_gap(room.next + count, together - count);
  }
  std::uint32_t take(Room& room, std::size_t pages) {
    if (room.left == 0) fill(room, wanted(pages));
    --room.left;
    return room.next++;
  }

  std::uint32_t end = 0;
  std::array<std::vector<std::uint32_t>, together> gaps;
};

bool PageTree::has_learnt(std::uint32_t index) const {
  return ways_[index].value != 1 || nodes_[index].tried.value() > few_looks;
}

std::uint32_t PageTree::end_of(std::uint32_t ref, int side) const {
  while (!is_leaf(ref)) ref = nodes_[ref].child[side];
  return ref ^ leaf_bit;
}

std::string_view PageTree::url(std::uint32_t slot, std::string& number) const {
  if (places_) return places_->url(PageSlot{slot});
  number = std::to_string(slot);
  return number;
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

void PageTree::build_first() {
  Run run;
  run.atoms.reserve(unbuilt_.size());
  if (places_) {
    PlaceList list;
    list.reserve(unbuilt_.size());
    for (const std::uint32_t slot : unbuilt_) list.add(places_->url(PageSlot{slot}), slot);
    list.sort();
    run.boundary.resize(list.size());
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i > 0) run.boundary[i] = static_cast<std::uint8_t>(std::min(list.boundary(i), 255U));
      run.atoms.push_back({list.name(i) | leaf_bit, 1, list.name(i), list.name(i)});
    }
  } else {
    std::sort(unbuilt_.begin(), unbuilt_.end());
    for (const std::uint32_t slot : unbuilt_) run.atoms.push_back({slot | leaf_bit, 1, slot, slot});
  }
  std::vector<std::uint32_t>().swap(unbuilt_);
  count_built_ = count_;
  nodes_.reserve(count_ - 1);
  ways_.reserve(count_ - 1);
  Neighbours neighbours;
  Room room{.from = &neighbours};
  set_root(build(run, 0, run.atoms.size(), 2 * levels_for(count_) + depth_to_spare, 0, room));
  for (std::uint32_t size = 1; size < Neighbours::together; ++size) {
    for (const std::uint32_t gap : neighbours.gaps[size]) {
      for (std::uint32_t i = gap; i < std::min<std::size_t>(gap + size, nodes_.size()); ++i)
        free_.push_back(i);
    }
  }
}

// Where the run is divided. `least`: the most significant boundary there can be; on return, the one
// that was found. From the middle outwards, so that the first of a kind is the nearest.
std::size_t PageTree::split_at(const Run& run, std::size_t first, std::size_t end,
                               std::uint32_t depth_left, unsigned& least) const {
  const std::size_t all = run.pages(first, end);
  const std::size_t side = std::size_t{1} << std::min<std::uint32_t>(depth_left - 1, 40);
  std::size_t middle = first + (end - first) / 2;
  if (!run.before.empty()) {
    const auto half = static_cast<std::uint32_t>(run.before[first] + all / 2);
    const auto begin = run.before.begin() + static_cast<std::ptrdiff_t>(first) + 1;
    const auto stop = run.before.begin() + static_cast<std::ptrdiff_t>(end);
    middle = static_cast<std::size_t>(std::lower_bound(begin, stop, half) - run.before.begin());
    middle = std::clamp(middle, first + 1, end - 1);
  }
  if (run.boundary.empty()) return middle;
  std::size_t best = middle;
  unsigned found = run.boundary[middle];
  const auto consider = [&](std::size_t at) {
    if (run.boundary[at] >= found) return;
    found = run.boundary[at];
    best = at;
  };
  std::size_t low = middle, high = middle;
  while (found > least && (low > first + 1 || high + 1 < end)) {
    if (low > first + 1) {
      if (run.pages(low - 1, end) > side)
        low = first + 1;
      else
        consider(--low);
    }
    if (high + 1 < end) {
      if (run.pages(first, high + 1) > side)
        high = end;
      else
        consider(++high);
    }
  }
  least = found;
  return best;
}

std::uint32_t PageTree::build(const Run& run, std::size_t first, std::size_t end,
                              std::uint32_t depth_left, unsigned least, Room& room) {
  if (end - first == 1) return run.atoms[first].ref;
  const std::size_t pages = run.pages(first, end);
  Room own{.from = room.from, .size_class = Neighbours::class_of(pages)};
  Room& mine = room.size_class == own.size_class ? room : own;
  const std::uint32_t index = mine.from ? use(mine.from->take(mine, pages)) : new_node();
  const std::size_t at = split_at(run, first, end, std::max(depth_left, 1U), least);
  const std::uint32_t left_depth = depth_left > 0 ? depth_left - 1 : 0;
  const std::uint32_t sides[2] = {build(run, first, at, left_depth, least, mine),
                                  build(run, at, end, left_depth, least, mine)};
  if (own.from) own.from->add_gap(own.next, own.left);
  set_pages(index, pages);
  for (int side = 0; side < 2; ++side) {
    set_child(index, side, sides[side]);
    ways_[index].weight[side] = weight_of(sides[side]);
  }
  if (!run.kept) return index;
  const auto kept = run.kept->find(ends_key(run.atoms[first].first, run.atoms[end - 1].last));
  if (kept == run.kept->end()) return index;
  ways_[index].value = kept->second.value;
  put_looks(index, kept->second.tried.value(), kept->second.found.value());
  note_change(index);
  run.kept->erase(kept);
  return index;
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

void PageTree::split_anew(std::uint32_t ref, std::uint32_t depth) {
  if (is_leaf(ref)) return;
  const Link above = ways_[ref].link;
  const std::uint32_t keep = std::max(1U, nodes_[ref].pages / most_atoms);
  Run run;
  Kept kept;
  run.kept = &kept;
  if (!above.has_parent()) count_built_ = count_;
  take_apart(ref, keep, true, run.atoms, kept);
  if (keep > 1) {
    run.before.push_back(0);
    for (const Atom& atom : run.atoms) run.before.push_back(run.before.back() + atom.pages);
  }
  if (places_) {
    std::string a, b;
    run.boundary.assign(run.atoms.size(), 0);
    key(run.atoms.front().last, a);
    for (std::size_t i = 1; i < run.atoms.size(); ++i) {
      key(run.atoms[i].first, b);
      run.boundary[i] = static_cast<std::uint8_t>(std::min(parts_in_common(a, b), 255U));
      key(run.atoms[i].last, a);
    }
  }
  const std::uint32_t most = most_depth(count_) - depth_to_spare;
  const std::uint32_t left =
      std::max(most > depth ? most - depth : 0, levels_for(run.pages(0, run.atoms.size())) + 1);
  Room anywhere;
  replace(above, build(run, 0, run.atoms.size(), left, 0, anywhere));
}

void PageTree::take_apart(std::uint32_t ref, std::uint32_t keep, bool top, std::vector<Atom>& atoms,
                          Kept& kept) {
  if (is_leaf(ref) || (!top && nodes_[ref].pages <= keep)) {
    atoms.push_back({ref, pages_of(ref), end_of(ref, 0), end_of(ref, 1)});
    return;
  }
  const Node node = nodes_[ref];
  const std::size_t first = atoms.size();
  for (const std::uint32_t child : node.child) take_apart(child, keep, false, atoms, kept);
  if (has_learnt(ref) || node.stored != 0) {
    forget_name(ref);
    kept.emplace(ends_key(atoms[first].first, atoms.back().last),
                 Learnt{ways_[ref].value, node.tried, node.found});
  }
  free_node(ref);
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

NodeMemory PageTree::named(std::uint32_t index) const {
  std::string first, last;
  const std::string_view from = url(end_of(index, 0), first);
  const std::string_view to = url(end_of(index, 1), last);
  NodeMemory memory;
  memory.first_url = from;
  memory.prefix = common_prefix(from, to);
  memory.pages = nodes_[index].pages;
  return memory;
}

void PageTree::forget_name(std::uint32_t index) {
  if (nodes_[index].stored == 0) return;
  nodes_[index].stored = 0;
  note_change(index);
  gone_.push_back(named(index));
  gone_.back().gone = true;
}

std::vector<NodeMemory> PageTree::take_changed(std::size_t limit, const Describe& describe) {
  std::vector<NodeMemory> taken;
  while (!gone_.empty() && taken.size() < limit) {
    taken.push_back(std::move(gone_.back()));
    gone_.pop_back();
  }
  while (!changed_.empty() && taken.size() < limit) {
    const std::uint32_t index = changed_.back();
    changed_.pop_back();
    Node& node = nodes_[index];
    ways_[index].link.changed = 0;
    if (node.in_use == 0 || (node.stored == 0 && !has_learnt(index))) continue;
    node.stored = 1;
    taken.push_back(named(index));
    describe(index, taken.back());
  }
  return taken;
}

std::vector<NodeMemory> PageTree::path(std::uint32_t slot, const Describe& describe) {
  std::vector<NodeMemory> nodes;
  ensure_built();
  for (Link up = leaves_[slot].link; up.has_parent(); up = ways_[up.parent].link) {
    nodes.push_back(named(up.parent));
    describe(up.parent, nodes.back());
  }
  std::reverse(nodes.begin(), nodes.end());
  return nodes;
}

// A row is about the node whose first page has its URL, whose pages have as much in common and are
// about as many. Rows that fit exactly go first.
void PageTree::restore(std::span<const NodeMemory> nodes) {
  ensure_built();
  updated_ = none;
  std::unordered_map<std::string_view, std::vector<const NodeMemory*>> by_first;
  for (const NodeMemory& node : nodes) {
    if (!node.first_url.empty()) by_first[node.first_url].push_back(&node);
  }
  if (by_first.empty() || root_ == none || is_leaf(root_)) return;
  std::string number;
  const auto put = [&](std::uint32_t index, const NodeMemory& row, bool exact) {
    Node& node = nodes_[index];
    ways_[index].value = static_cast<float>(row.value);
    put_looks(index, row.tried, row.found);
    node.stored = 1;
    if (exact) return;
    gone_.push_back(row);
    gone_.back().gone = true;
    note_change(index);
  };
  for (std::uint32_t slot = 0; slot < leaves_.size(); ++slot) {
    if (leaves_[slot].link.parent == Link::absent) continue;
    const auto rows = by_first.find(url(slot, number));
    if (rows == by_first.end()) continue;
    // The nodes that begin with this page.
    std::vector<std::pair<std::uint32_t, NodeMemory>> here;
    for (Link up = leaves_[slot].link; up.has_parent() && up.side == 0;) {
      const std::uint32_t at = up.parent;
      here.emplace_back(at, named(at));
      up = ways_[at].link;
    }
    for (const bool exact : {true, false}) {
      for (const NodeMemory*& row : rows->second) {
        if (!row) continue;
        std::size_t best = here.size();
        for (std::size_t i = 0; i < here.size(); ++i) {
          const NodeMemory& node = here[i].second;
          if (nodes_[here[i].first].stored != 0 || node.prefix != row->prefix) continue;
          const auto apart = [&](std::size_t k) {
            return std::abs(std::log(static_cast<double>(here[k].second.pages) / row->pages));
          };
          if (exact ? node.pages != row->pages : apart(i) > 0.5) continue;
          if (best == here.size() || apart(i) < apart(best)) best = i;
        }
        if (best == here.size()) continue;
        put(here[best].first, *row, exact);
        row = nullptr;
      }
    }
  }
  // What is not found any more is told to go.
  for (auto& [first, rows] : by_first) {
    for (const NodeMemory* row : rows) {
      if (!row) continue;
      gone_.push_back(*row);
      gone_.back().gone = true;
    }
  }
}

std::size_t PageTree::memory_bytes() const {
  return nodes_.capacity() * sizeof(Node) + ways_.capacity() * sizeof(Way) +
         leaves_.capacity() * sizeof(Leaf) +
         (free_.capacity() + changed_.capacity() + unbuilt_.capacity()) * sizeof(std::uint32_t);
}

}  // namespace pollux::learn

// How the tree is divided: all of it at first, a part of it when that became too deep.
#include "learn/page_tree.hpp"
#include "learn/place.hpp"

#include <algorithm>
#include <utility>

namespace pollux::learn {
namespace {

// What a first building leaves for pages that come later.
constexpr std::uint32_t depth_to_spare = 16;
// A part that is split anew is taken apart into about so many pieces: a few milliseconds.
constexpr std::uint32_t most_atoms = 1024;

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

}  // namespace pollux::learn

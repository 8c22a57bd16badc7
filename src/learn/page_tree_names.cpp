// What the tree has learnt, under names that a list which was edited still knows.
#include "learn/page_tree.hpp"
#include "learn/place.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace pollux::learn {
namespace {

constexpr double few_looks = 0.5;
constexpr double most_odds = 1e6;  // a fitted correction is a number to go on with

}  // namespace

bool PageTree::has_learnt(std::uint32_t index) const {
  return ways_[index].value != 1 || nodes_[index].tried.value() > few_looks;
}

std::string_view PageTree::url(std::uint32_t slot, std::string& number) const {
  if (places_) return places_->url(PageSlot{slot});
  number = std::to_string(slot);
  return number;
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

std::vector<std::uint32_t> PageTree::fit(
    std::span<const double> shares, const std::function<bool(std::string_view prefix)>& spans) {
  ensure_built();
  updated_ = none;
  std::vector<std::uint32_t> fitted;
  if (root_ != none) fit_below(root_, shares, spans, fitted);
  return fitted;
}

// The sum of the shares below; as deep as the tree.
double PageTree::fit_below(std::uint32_t ref, std::span<const double> shares,
                           const std::function<bool(std::string_view prefix)>& spans,
                           std::vector<std::uint32_t>& fitted) {
  if (is_leaf(ref)) return shares[ref ^ leaf_bit];
  const double left = fit_below(nodes_[ref].child[0], shares, spans, fitted);
  const double right = fit_below(nodes_[ref].child[1], shares, spans, fitted);
  Way& way = ways_[ref];
  if (spans(named(ref).prefix)) {
    const double odds =
        left / right * static_cast<double>(way.weight[1]) / static_cast<double>(way.weight[0]);
    way.value = static_cast<float>(std::clamp(odds, 1 / most_odds, most_odds));
    note_change(ref);
    fitted.push_back(ref);
  }
  return left + right;
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

}  // namespace pollux::learn

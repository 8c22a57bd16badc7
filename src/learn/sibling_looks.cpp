#include "learn/sibling_looks.hpp"

#include <algorithm>

namespace pollux::learn {
namespace {

// A look must be worth so much more than an ordinary poll: what is gained by it is uncertain.
constexpr double margin = 1.5;
constexpr double forget_ordinary = 0.002;
constexpr double guessed_polls = 10;  // that the first guess of an ordinary poll counts for
constexpr double trials = 0.02;       // per change that is passed on
constexpr double of_its_size = 5;     // looks that a node is given before it had any
constexpr double of_those_above = 2;  // likewise, where only those found count
constexpr double of_its_node = 2;     // that a page is given
constexpr double rounding = 1 + 1e-9;
constexpr double node_keeps = 0.98, size_keeps = 0.995, page_keeps = 0.8;

}  // namespace

void SiblingLooks::cover(std::uint32_t slot) {
  if (slot < pages_.size()) return;
  if (slot >= pages_.capacity())
    pages_.reserve(std::max<std::size_t>(slot + 1, pages_.capacity() * 9 / 8 + 8));
  pages_.resize(slot + std::size_t{1});
}

double SiblingLooks::worth_while() const {
  return margin * ordinary_;
}

void SiblingLooks::note_ordinary(bool changed, double importance) {
  burst_until_ = never;
  if (ordinary_polls_ == 0) {
    ordinary_ *= importance;
    importance_ = importance;
  }
  // At first the plain average: looks must not be taken for worth while before that is known.
  const double forget = std::max(forget_ordinary, 1 / (ordinary_polls_ + guessed_polls));
  ordinary_polls_ = std::min(ordinary_polls_ + 1, 1 / forget_ordinary);
  ordinary_ += forget * ((changed ? importance : 0) - ordinary_);
  importance_ += forget * (importance - importance_);
}

double SiblingLooks::certainty(double last, double since, double until) {
  if (last <= since) return 1;
  return std::max(0.0, (until - last) / (until - since));
}

double SiblingLooks::affinity(const PageTree::Node& node, double above) const {
  return paid(node, std::max(sizes_[PageTree::size_class(node)].usual, above), of_its_size);
}

// Looks that were too late to tell count for less and may find something all the same.
double SiblingLooks::paid(const PageTree::Node& node, double expected, double looks) {
  return std::min(1.0, (node.found.value() + looks * expected) / (node.tried.value() + looks));
}

double SiblingLooks::affinity(std::uint32_t index, PageTree& tree) const {
  TreePath path;
  tree.path_of_node(index, path);
  double above = 0;
  for (std::uint32_t level = 0; level < path.levels; ++level)
    above = paid(tree.node(path.node(level)), above, of_those_above);
  return affinity(tree.node(index), above);
}

// Where pages far from each other change together, those near to each other do: what looks across
// the nodes above have found holds for a node until it is known better. What is only usual for
// their size does not.
void SiblingLooks::recall(std::uint32_t slot, PageTree& tree, Known& known) const {
  tree.path_of(slot, known.path);
  // A node of which nothing is known is as good as others of its size: where none of them is good
  // enough it need not be read.
  double usual = 0;
  for (const Sums& size : sizes_) usual = std::max(usual, size.usual);
  const bool may_do = usual * importance_ * rounding >= worth_while();
  double above = 0;
  for (std::uint32_t level = 0; level < known.path.levels; ++level) {
    const bool looked = known.path.looked(level);
    known.affinity[level] = above;
    if (!may_do && !looked) continue;
    const PageTree::Node& node = tree.node(known.path.node(level));
    known.affinity[level] = affinity(node, above);
    if (looked) above = paid(node, above, of_those_above);
  }
}

double SiblingLooks::worth(std::uint32_t slot, double affinity, double since, double until) const {
  const Page& page = pages_[slot];
  return certainty(page.last, since, until) * (page.found.value() + of_its_node * affinity) /
         (page.tried.value() + of_its_node);
}

void SiblingLooks::note_look(const Look& look, bool changed, double by_itself, double /*now*/,
                             PageTree& tree) {
  burst_until_ = look.until;
  const double told = certainty(look.last, look.since, look.until);
  const double hit = changed ? 1 - by_itself : 0;
  Page& page = pages_[index(look.page)];
  page.tried.set(page_keeps * page.tried.value() + std::max(told, hit));
  page.found.set(page_keeps * page.found.value() + hit);
  if (look.trial && changed) coincidences_.paid();
  const std::uint32_t across = tree.meeting(index(look.page), index(look.because));
  if (across == PageTree::none) return;  // the other page is gone
  const PageTree::Node& node = tree.node(across);
  tree.set_looks(across, node_keeps * node.tried.value() + told,
                 node_keeps * node.found.value() + hit);
  Sums& size = sizes_[PageTree::size_class(node)];
  size.tried = size_keeps * size.tried + told;
  size.found = size_keeps * size.found + hit;
  size.reckon();
}

// A fair choice among those worth while: the highest affinities would favour nodes that were lucky.
std::size_t SiblingLooks::choose_across(const Known& known, Rng& rng,
                                        std::array<Across, most_across>& across) const {
  std::size_t count = 0, seen = 0;
  const double least = worth_while();
  const std::uint32_t levels = known.path.levels;
  const std::size_t trial =
      rng.chance(trials) ? rng.below(std::max<std::uint32_t>(levels, 1)) : ~std::size_t{0};
  for (std::uint32_t level = levels; level-- > 0;) {
    const bool is_trial = level == trial;
    const double paid = known.affinity[level];
    if (paid * importance_ < least && !is_trial) continue;
    std::size_t at = count;
    if (count < most_across)
      ++count;
    else
      at = rng.below(seen + 1);
    ++seen;
    if (at < most_across)
      across[at] = {known.path.node(level), known.path.other_side(level), paid, is_trial};
  }
  return count;
}

void SiblingLooks::try_coincidence(const PageTree& tree, const Known& known,
                                   std::array<Across, most_across>& across, std::size_t& count) {
  const auto level = coincidences_.unlikely(tree);
  if (!level || count == most_across) return;
  const double paid = known.affinity[*level];
  if (paid * importance_ >= worth_while()) return;  // looks go there anyway
  coincidences_.tried();
  across[count++] = {known.path.node(*level), known.path.other_side(*level), paid, true};
}

void SiblingLooks::restore_sizes(std::span<const NodeMemory> nodes) {
  for (const NodeMemory& node : nodes) {
    if (node.first_url.empty() || node.pages < 2) continue;
    Sums& size = sizes_[static_cast<std::size_t>(std::bit_width(node.pages))];
    size.tried += node.tried;
    size.found += node.found;
  }
  // No more than they would remember.
  for (Sums& size : sizes_) {
    const double keep = size.tried > 0 ? std::min(1.0, 1 / (1 - size_keeps) / size.tried) : 1;
    size.tried *= keep;
    size.found *= keep;
    size.reckon();
  }
}

}  // namespace pollux::learn

#include "learn/quiet_pages.hpp"

#include <algorithm>
#include <cmath>

namespace pollux::learn {
namespace {

constexpr float keep_of_all = 0.9999F, keep_of_part = 0.998F;
// Predicted changes by which the whole list speaks for one of its classes, the list for its parts,
// and a part for those below it.
constexpr double prior_of_all = 8, prior_of_class = 32, prior_of_part = 256;
constexpr std::uint32_t least_pages = 64;  // of a part; smaller ones know too little
// Within so much of what was predicted nothing is lowered, and it is never lowered to less.
constexpr double tolerated = 0.1, least_factor = 0.05;

}  // namespace

std::size_t QuietPages::class_of(double hits) {
  if (is_quiet(hits)) return 0;
  return hits < 1.5 ? 1 : hits < 5 ? 2 : 3;
}

double QuietPages::found_of_predicted(std::size_t of) const {
  double found = prior_of_all, predicted = prior_of_all;
  for (const Tally& tally : all_) {
    found += static_cast<double>(tally.found);
    predicted += static_cast<double>(tally.predicted);
  }
  return (static_cast<double>(all_[of].found) + prior_of_class * found / predicted) /
         (static_cast<double>(all_[of].predicted) + prior_of_class);
}

void QuietPages::note(std::uint32_t slot, double hits, bool changed, double predicted,
                      PageTree& tree) {
  const std::size_t its = class_of(hits);
  for (std::size_t i = 0; i < classes; ++i) {
    if (i == its) {
      all_[i].note(changed, predicted, keep_of_all);
    } else {
      all_[i].note(false, 0, keep_of_all);
    }
  }
  if (its != 0) return;
  const double against_lively =
      note_in_parts(slot, changed, predicted, tree) / found_of_predicted(classes - 1);
  const double factor = std::clamp(std::sqrt(against_lively / tolerated), least_factor, 1.0);
  if (slot >= lowered_.size()) {
    if (factor == 1) return;
    lowered_.resize(slot + std::size_t{1} + slot / 8);
  }
  lowered_[slot] = static_cast<std::uint8_t>(std::lround((1 - factor) * lowest));
}

// What was found in the smallest part around the page, of what was predicted; the parts above it
// speak as far as it says little.
double QuietPages::note_in_parts(std::uint32_t slot, bool changed, double predicted,
                                 PageTree& tree) {
  double ratio = found_of_predicted(0);
  TreePath path;
  tree.path_of(slot, path);
  for (std::uint32_t level = 0; level < path.levels; ++level) {
    const std::uint32_t node = path.node(level);
    if (tree.node(node).pages < least_pages) break;
    if (node >= parts_.size()) parts_.resize(std::max<std::size_t>(node + 1, tree.pages()));
    Tally& part = parts_[node];
    part.note(changed, predicted, keep_of_part);
    ratio = (static_cast<double>(part.found) + prior_of_part * ratio) /
            (static_cast<double>(part.predicted) + prior_of_part);
  }
  return ratio;
}

}  // namespace pollux::learn

#include "learn/coincidences.hpp"

#include <algorithm>
#include <utility>

namespace pollux::learn {
namespace {

// That so many come together by chance must be less likely than this.
constexpr double no_chance = 0.002;
// What may be tried in vain: so much at first and saved up at most, the less the shorter the list.
constexpr double credit_per_change = 0.02, credit_per_page = 0.005, most_credit = 8;

}  // namespace

Coincidences::Change& Coincidences::begin(std::uint32_t slot, const TreePath& path,
                                          std::size_t pages) {
  const double most = std::clamp(credit_per_page * static_cast<double>(pages), 1.0, most_credit);
  if (!std::exchange(begun_, true))
    credit_ = std::min(most, credit_per_page * static_cast<double>(pages));
  credit_ = std::min(credit_ + credit_per_change, most);
  Change& change = changes_[next_];
  next_ = (next_ + 1) % remembered;
  change.slot = slot;
  change.path.levels = path.levels;
  std::copy_n(path.way.begin(), path.levels, change.path.way.begin());
  compare();
  return change;
}

void Coincidences::compare() {
  const Change& one = last();
  for (std::size_t i = 0; i < remembered; ++i) {
    const Change& other = changes_[i];
    common_[i] = 0;
    if (other.slot == one.slot || other.slot == PageTree::none) continue;
    common_[i] = one.path.in_common(other.path);
  }
}

// By the bound of a binomial distribution: of `all` others k are below a node that holds a part of
// all weight with a chance of C(all, k)·part^k at most.
std::optional<std::uint32_t> Coincidences::unlikely(const PageTree& tree) const {
  const Change& one = last();
  if (credit_ < 1 || one.path.levels == 0) return std::nullopt;
  std::array<std::uint32_t, remembered> common = common_;
  for (std::size_t i = 1; i < remembered; ++i) {
    for (std::size_t at = i; at > 0 && common[at - 1] < common[at]; --at)
      std::swap(common[at - 1], common[at]);
  }
  const auto all = static_cast<std::size_t>(
      std::count_if(common.begin(), common.end(), [](std::uint32_t levels) { return levels > 0; }));
  const auto weight = [&](std::uint32_t level) {
    return static_cast<double>(tree.node_weight(one.path.node(level)));
  };
  double least = no_chance, ways = 1;
  std::optional<std::uint32_t> found;
  for (std::size_t k = 1; k <= all; ++k) {
    ways *= static_cast<double>(all - k + 1) / static_cast<double>(k);
    const std::uint32_t at = common[k - 1] - 1;
    double chance = ways;
    for (std::size_t i = 0; i < k; ++i) chance *= weight(at) / weight(0);
    if (chance >= least) continue;
    least = chance;
    found = at;
  }
  return found;
}

}  // namespace pollux::learn

#include "learn/htraa.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace pollux::learn {

namespace {

constexpr float slow_keep = 0.99F;
constexpr float fast_keep = 0.7F;
constexpr double prior_hits = 0.5;
constexpr double prior_sweeps = 1;
constexpr float step_up = 1.01005017F;  // e^0.01
constexpr float step_down = 1 / step_up;
constexpr float largest_odds = 1e4F;
// No page's weight falls below this part of one change per sweep: every page stays reachable.
constexpr double least_rate = 1e-4;
constexpr double least_share = 1e-15;

float left_part(float odds, float left, float right) {
  const float weighted = left * odds;
  return weighted / (weighted + right);
}

}  // namespace

Htraa::Htraa(std::uint64_t seed) : tree_(1.0F), rng_(seed) {}

double Htraa::rate(const Page& page) const {
  const RatePrior prior{.hits = prior_hits, .time = prior_sweeps * sweep_, .strength = 1};
  return std::sqrt(estimated_rate(page.slow, prior) * estimated_rate(page.fast, prior));
}

// In changes per sweep, so that floats keep their precision whatever the budget.
float Htraa::weight(const Page& page) const {
  double weight = rate(page) * sweep_;
  if (mixed_) {
    weight /= inverse_marginal_value(multiplier_ / static_cast<double>(page.importance));
  }
  return static_cast<float>(std::max(weight, least_rate));
}

double Htraa::reward_chance(const Page& page) const {
  if (!mixed_) return 1;
  const double run = static_cast<double>(page.streak);
  return static_cast<double>(page.importance) / largest_importance_ * (1 - 1 / run);
}

void Htraa::note_importance(double importance) {
  const auto value = static_cast<float>(importance);
  largest_importance_ = std::max(largest_importance_, importance);
  if (common_importance_ == 0) {
    common_importance_ = value;
    largest_importance_ = importance;
  }
  if (mixed_ || value == common_importance_) return;
  mixed_ = true;
  reweigh_all();
}

void Htraa::add(PageSlot page, double importance, const std::optional<PageMemory>& memory) {
  const std::uint32_t slot = index(page);
  if (slot >= pages_.size()) {
    if (slot >= pages_.capacity()) {
      pages_.reserve(std::max<std::size_t>(slot + 1, pages_.capacity() * 9 / 8 + 8));
    }
    pages_.resize(slot + std::size_t{1});
  }
  assert(pages_[slot].importance == 0);
  Page& fresh = pages_[slot];
  fresh = Page{};
  if (memory) {
    const auto narrow = [](double value) { return static_cast<float>(value); };
    fresh.slow = {narrow(memory->slow_hits), narrow(memory->slow_hit_time),
                  narrow(memory->slow_miss_time)};
    fresh.fast = {narrow(memory->fast_hits), narrow(memory->fast_hit_time),
                  narrow(memory->fast_miss_time)};
    fresh.streak = narrow(memory->streak);
  }
  fresh.importance = static_cast<float>(importance);
  ++count_;
  tree_.cover(slot);
  note_importance(importance);
  tree_.set_weight(slot, weight(fresh));
}

void Htraa::remove(PageSlot page) {
  pages_[index(page)] = Page{};
  --count_;
  tree_.set_weight(index(page), 0);
}

void Htraa::set_importance(PageSlot page, double importance) {
  Page& changed = pages_[index(page)];
  changed.importance = static_cast<float>(importance);
  note_importance(importance);
  tree_.set_weight(index(page), weight(changed));
}

void Htraa::feed(PageSlot page, const Observation& seen) {
  const std::uint32_t slot = index(page);
  tree_.prefetch(slot);
  Page& fed = pages_[slot];
  fed.slow.observe(seen.changed, seen.elapsed, slow_keep);
  fed.fast.observe(seen.changed, seen.elapsed, fast_keep);
  fed.streak = seen.changed ? std::min(fed.streak + 1, 1e6F) : 0;
  const bool rewarded = seen.changed && rng_.chance(reward_chance(fed));
  if (rewarded) {
    tree_.update(slot, weight(fed), left_part, [this](float odds, float part, bool is_left) {
      if (static_cast<float>(rng_.uniform()) < part) return odds;
      const float moved = odds * (is_left ? step_up : step_down);
      return std::clamp(moved, 1 / largest_odds, largest_odds);
    });
  } else {
    tree_.set_weight(slot, weight(fed));
  }
  if (mixed_) reweigh_next();
}

double Htraa::share(PageSlot page) const {
  return std::max(tree_.share(index(page), left_part), least_share);
}

std::optional<double> Htraa::change_rate(PageSlot page) const {
  const Page& asked = pages_[index(page)];
  if (asked.slow.hit_time == 0 && asked.slow.miss_time == 0) return std::nullopt;
  return rate(asked);
}

void Htraa::set_sweep(double seconds) {
  if (seconds == sweep_) return;
  sweep_ = seconds;
  reweigh_all();
}

void Htraa::reweigh_all() {
  if (mixed_) {
    gathering_.clear();
    for (const Page& page : pages_) {
      if (page.importance > 0) gathering_.add(static_cast<double>(page.importance), rate(page));
    }
    if (!gathering_.empty()) {
      multiplier_ = gathering_.solve(static_cast<double>(count_) / sweep_);
      largest_importance_ = gathering_.largest();
    }
    gathering_.clear();
    cursor_ = 0;
  }
  for (std::uint32_t slot = 0; slot < pages_.size(); ++slot) {
    const Page& page = pages_[slot];
    tree_.cover(slot);
    tree_.set_weight_only(slot, page.importance > 0 ? weight(page) : 0);
  }
  tree_.rebuild();
}

// The multiplier moves slowly; one extra page per poll keeps all weights in step with it.
void Htraa::reweigh_next() {
  if (cursor_ >= pages_.size()) {
    if (!gathering_.empty()) {
      multiplier_ = gathering_.solve(static_cast<double>(count_) / sweep_);
      largest_importance_ = gathering_.largest();
    }
    gathering_.clear();
    cursor_ = 0;
  }
  const auto slot = static_cast<std::uint32_t>(cursor_++);
  const Page& page = pages_[slot];
  if (page.importance == 0) return;
  gathering_.add(static_cast<double>(page.importance), rate(page));
  tree_.set_weight(slot, weight(page));
}

PageMemory Htraa::memory(PageSlot page) const {
  const Page& kept = pages_[index(page)];
  const auto widen = [](float value) { return static_cast<double>(value); };
  return {.slow_hits = widen(kept.slow.hits),
          .slow_hit_time = widen(kept.slow.hit_time),
          .slow_miss_time = widen(kept.slow.miss_time),
          .fast_hits = widen(kept.fast.hits),
          .fast_hit_time = widen(kept.fast.hit_time),
          .fast_miss_time = widen(kept.fast.miss_time),
          .streak = widen(kept.streak)};
}

std::vector<NodeMemory> Htraa::take_changed_nodes(std::size_t limit) {
  return tree_.take_changed(limit);
}

void Htraa::restore_nodes(std::span<const NodeMemory> nodes) {
  tree_.restore(nodes);
}

std::size_t Htraa::memory_bytes() const {
  return sizeof(*this) + pages_.capacity() * sizeof(Page) + tree_.memory_bytes();
}

}  // namespace pollux::learn

#include "learn/papers/htraa_published.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace pollux::learn {

namespace {
constexpr float unheard = 0;  // the state of a node that has had no feedback
constexpr double least_share = 1e-15;
}  // namespace

HtraaPublished::HtraaPublished(Feedback feedback, std::uint64_t seed, int states)
    : feedback_(feedback), states_(static_cast<float>(states)), tree_(unheard), rng_(seed) {}

std::string_view HtraaPublished::name() const {
  switch (feedback_) {
    case Feedback::reward_inaction:
      return "htraa-ri";
    case Feedback::inaction_penalty:
      return "htraa-ip";
    case Feedback::reward_penalty:
      break;
  }
  return "htraa-rp";
}

float HtraaPublished::left_part(float state, float left, float right) const {
  if (state == unheard) return left / (left + right);
  return state / (states_ + 1);
}

void HtraaPublished::add(PageSlot page, double importance, const std::optional<PageMemory>&) {
  const std::uint32_t slot = index(page);
  if (slot >= importance_.size()) importance_.resize(slot + std::size_t{1});
  assert(importance_[slot] == 0);
  tree_.cover(slot);
  tree_.set_weight(slot, 1);
  set_importance(page, importance);
}

void HtraaPublished::remove(PageSlot page) {
  importance_[index(page)] = 0;
  tree_.forget(index(page));
  tree_.set_weight(index(page), 0);
}

void HtraaPublished::set_importance(PageSlot page, double importance) {
  importance_[index(page)] = static_cast<float>(importance);
  largest_importance_ = std::max(largest_importance_, importance_[index(page)]);
}

void HtraaPublished::feed(PageSlot page, const Observation& seen) {
  const std::uint32_t slot = index(page);
  const bool rewarded =
      seen.changed && rng_.chance(static_cast<double>(importance_[slot] / largest_importance_));
  if (rewarded && feedback_ == Feedback::inaction_penalty) return;
  if (!rewarded && feedback_ == Feedback::reward_inaction) return;
  const auto split = [this](float state, float left, float right) {
    return left_part(state, left, right);
  };
  tree_.update(slot, 1, split, [&](float state, float part, bool is_left) {
    if (static_cast<float>(rng_.uniform()) < part) return state;
    const float from =
        state != unheard ? state : std::round((is_left ? part : 1 - part) * (states_ + 1));
    const float step = is_left == rewarded ? 1.0F : -1.0F;
    return std::clamp(from + step, 1.0F, states_);
  });
}

double HtraaPublished::share(PageSlot page) const {
  const auto split = [this](float state, float left, float right) {
    return left_part(state, left, right);
  };
  return std::max(tree_.share(index(page), split), least_share);
}

std::vector<NodeMemory> HtraaPublished::take_changed_nodes(std::size_t limit) {
  return tree_.take_changed(limit);
}

void HtraaPublished::restore_nodes(std::span<const NodeMemory> nodes) {
  tree_.restore(nodes);
}

std::size_t HtraaPublished::memory_bytes() const {
  return sizeof(*this) + tree_.memory_bytes() + importance_.capacity() * sizeof(float);
}

}  // namespace pollux::learn

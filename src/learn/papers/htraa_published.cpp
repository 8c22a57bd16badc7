#include "learn/papers/htraa_published.hpp"

#include <algorithm>
#include <cassert>

namespace pollux::learn {

namespace {
constexpr double least_share = 1e-15;
constexpr double longest_interval = 1e8;  // seconds
}  // namespace

HtraaPublished::HtraaPublished(const Rules& rules, std::uint64_t seed)
    : rules_(rules), tree_(rules.states, rules.doubling), rng_(seed) {}

std::string_view HtraaPublished::name() const {
  switch (rules_.feedback) {
    case Feedback::reward_inaction:
      return "htraa-ri";
    case Feedback::inaction_penalty:
      return "htraa-ip";
    case Feedback::reward_penalty:
      break;
  }
  return "htraa-rp";
}

void HtraaPublished::add(PageSlot page, double importance, const std::optional<PageMemory>&) {
  const std::uint32_t slot = index(page);
  if (slot >= importance_.size()) importance_.resize(slot + std::size_t{1});
  assert(importance_[slot] == 0);
  tree_.add(slot);
  set_importance(page, importance);
}

void HtraaPublished::remove(PageSlot page) {
  importance_[index(page)] = 0;
  tree_.remove(index(page));
  turns_.forget(index(page));
}

void HtraaPublished::set_importance(PageSlot page, double importance) {
  importance_[index(page)] = static_cast<float>(importance);
  largest_importance_ = std::max(largest_importance_, importance_[index(page)]);
}

void HtraaPublished::feed(PageSlot page, const Observation& seen) {
  const std::uint32_t slot = index(page);
  if (rules_.choose_in_tree && !turns_.end(slot)) {
    tree_.serve(slot);
    // Explored, or due by a limit. That automata move seldom for what is polled often offsets polls
    // by share; these come on top, most of them to quiet pages, and would wear their shares down.
    if (!seen.changed) return;
  }
  const Feedback ignored = seen.changed ? Feedback::inaction_penalty : Feedback::reward_inaction;
  if (rules_.feedback == ignored) return;
  if (seen.changed && !rng_.chance(static_cast<double>(importance_[slot] / largest_importance_)))
    return;
  tree_.feed(slot, seen.changed,
             [this](float part) { return static_cast<float>(rng_.uniform()) < part; });
}

double HtraaPublished::share(PageSlot page) const {
  return std::max(tree_.share(index(page)), least_share);
}

double HtraaPublished::interval(PageSlot page) const {
  if (turns_.has(index(page))) return Turns::at_once;
  return std::min(sweep_ / (share(page) * tree_.pages()), longest_interval);
}

std::vector<PageSlot> HtraaPublished::take_moved() {
  if (!rules_.choose_in_tree) return {};
  return turns_.next([this] { return tree_.choose(); });
}

std::vector<NodeMemory> HtraaPublished::take_changed_nodes(std::size_t limit) {
  return tree_.take_changed(limit);
}

void HtraaPublished::restore_nodes(std::span<const NodeMemory> nodes) {
  tree_.restore(nodes);
}

std::size_t HtraaPublished::memory_bytes() const {
  return sizeof(*this) + tree_.memory_bytes() + turns_.memory_bytes() +
         importance_.capacity() * sizeof(float);
}

}  // namespace pollux::learn

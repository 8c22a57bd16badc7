#include "pollux/learn/regroup.hpp"

#include "learn/htraa.hpp"

#include <numeric>
#include <utility>

namespace pollux::learn {

struct LearntList::State final : Places {
  std::vector<std::string> urls;
  std::vector<float> importances;
  Htraa policy{Options{.seed = 1}};

  std::string_view url(PageSlot page) const override { return urls[index(page)]; }
};

LearntList::LearntList(double sweep_seconds) : state_(std::make_unique<State>()) {
  state_->policy.set_places(state_.get());
  state_->policy.set_sweep(sweep_seconds);
}
LearntList::~LearntList() = default;
LearntList::LearntList(LearntList&&) noexcept = default;

void LearntList::add(std::string url, double importance, const PageMemory& memory) {
  const auto slot = static_cast<std::uint32_t>(state_->urls.size());
  state_->urls.push_back(std::move(url));
  state_->importances.push_back(static_cast<float>(importance));
  state_->policy.add(PageSlot{slot}, importance, memory);
}

std::size_t LearntList::size() const {
  return state_->urls.size();
}
const std::string& LearntList::url(std::size_t at) const {
  return state_->urls[at];
}
double LearntList::importance(std::size_t at) const {
  return static_cast<double>(state_->importances[at]);
}
PageMemory LearntList::memory(std::size_t at) const {
  return state_->policy.memory(PageSlot{static_cast<std::uint32_t>(at)});
}
double LearntList::share(std::size_t at) const {
  return state_->policy.share(PageSlot{static_cast<std::uint32_t>(at)});
}
double LearntList::weight() const {
  return state_->policy.weight_of_all();
}

void LearntList::restore(std::span<const NodeMemory> nodes) {
  // Weights depend on all importances, so they are reckoned once all are there.
  state_->policy.reweigh_all();
  state_->policy.restore_nodes(nodes);
}

std::vector<NodeMemory> LearntList::fit(std::span<const double> shares, const Spans& spans) {
  std::vector<NodeMemory> nodes = state_->policy.fit(shares, spans);
  const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (NodeMemory& node : nodes) node.share *= all;
  return nodes;
}

}  // namespace pollux::learn

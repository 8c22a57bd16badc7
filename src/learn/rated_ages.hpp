// What a policy that polls at the right moment must know of every page: how often it changes (the
// estimates of htraa) and how that depends on its age. Threading: one owner.
#pragma once

#include "learn/age_model.hpp"
#include "learn/htraa.hpp"

#include <algorithm>
#include <optional>

namespace pollux::learn {

class RatedAges {
 public:
  // Without the age model every page is taken as memoryless, and its memory is not needed.
  explicit RatedAges(const Options& options)
      : by_age_(options.age_model), rates_(for_rates(options)) {}

  void set_places(const Places* places) { rates_.set_places(places); }
  void add(PageSlot page, double importance, const std::optional<PageMemory>& memory) {
    rates_.add(page, importance, memory);
    if (by_age_) ages_.add(page, memory ? std::string_view(memory->age) : std::string_view());
  }
  void remove(PageSlot page) {
    rates_.remove(page);
    if (by_age_) ages_.remove(page);
  }
  void set_importance(PageSlot page, double importance) { rates_.set_importance(page, importance); }
  std::vector<Look> take_looks() { return rates_.take_looks(); }
  bool still_wanted(const Look& look) const { return rates_.still_wanted(look); }
  std::vector<NodeMemory> nodes_of(PageSlot page) const { return rates_.nodes_of(page); }
  void feed(PageSlot page, const Observation& seen) {
    if (by_age_) ages_.feed(page, seen, rate(page));
    rates_.feed(page, seen);
  }
  void set_sweep(double seconds) {
    sweep_ = seconds;
    rates_.set_sweep(seconds);
  }

  // Changes per second; of a page never polled half a change a sweep.
  double rate(PageSlot page) const {
    return std::max(known_rate(page).value_or(first_rate / sweep_), 1e-12);
  }
  std::optional<double> known_rate(PageSlot page) const { return rates_.change_rate(page); }
  AgeForecast forecast(PageSlot page) const {
    return by_age_ ? ages_.forecast(page, rate(page)) : AgeForecast(rate(page));
  }
  bool by_age() const { return by_age_; }
  std::vector<double> outdated_after(PageSlot page) const {
    std::vector<double> waits;
    if (!by_age_ || !known_rate(page)) return waits;
    const AgeForecast expected = forecast(page);
    for (const double level : outdated_levels) waits.push_back(expected.wait_for(level, longest));
    return waits;
  }
  double curiosity() const { return rates_.curiosity(); }

  // `interval` is the owner's; it gets it back as PageMemory::streak.
  PageMemory memory(PageSlot page, float interval) const {
    PageMemory memory = rates_.memory(page);
    memory.streak = static_cast<double>(interval);
    if (by_age_) memory.age = ages_.memory(page);
    return memory;
  }
  // What is not of one page: nodes that changed, and the owner's price and the pooled curve, on
  // level 0, which trees have not.
  std::vector<NodeMemory> nodes(std::uint32_t rule, double price, std::size_t limit = 100'000) {
    std::vector<NodeMemory> nodes = rates_.take_changed_nodes(limit);
    nodes.push_back({.level = 0, .position = rule, .value = price});
    if (!by_age_) return nodes;
    std::uint32_t at = pool_position;
    for (const double value : ages_.pool()) nodes.push_back({.position = at++, .value = value});
    return nodes;
  }
  void restore(std::span<const NodeMemory> nodes, std::uint32_t rule, double& price) {
    rates_.restore_nodes(nodes);
    for (const NodeMemory& node : nodes) {
      if (node.level != 0 || !node.first_url.empty()) continue;
      if (node.position >= pool_position) ages_.set_pool(node.position - pool_position, node.value);
      if (node.position == rule && node.value > 0) price = node.value;
    }
  }
  std::size_t memory_bytes() const { return rates_.memory_bytes() + ages_.memory_bytes(); }

  static constexpr double longest = 100 * 365.0 * 86400;  // a century: as good as never
  static constexpr double first_rate = 0.5;               // per sweep

 private:
  // Looks at siblings are the default policy's; the documents' rules know none.
  static Options for_rates(Options options) {
    options.parts.looks = options.parts.looks && options.policy == "htraa";
    return options;
  }
  static constexpr std::uint32_t pool_position = 100;
  bool by_age_;
  Htraa rates_;
  AgeModel ages_;
  double sweep_ = 1;
};

}  // namespace pollux::learn

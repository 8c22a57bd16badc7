// Seed 002's two-day plan as a policy. A "day" is a quarter of a sweep; at its end the looks of the
// next two days are planned at least expected number of outdated pages (two_day_plan.hpp), the
// first day of the plan is carried out, and so on. A page outside the plan is due after it: the
// scheduler never idles, and exploring reaches every page.
// Work: a plan costs O(n log n) once every n/4 polls, so O(log n) a poll on the average; but it is
// made at once (see `pollux lab cost --policy two-step`), which a list of a million pages feels.
#pragma once

#include "learn/page_values.hpp"
#include "learn/rated_ages.hpp"
#include "pollux/learn/policy.hpp"

#include <vector>

namespace pollux::learn {

class TwoStep final : public Policy {
 public:
  explicit TwoStep(const Options& options) : known_(options) {}

  std::string_view name() const override { return "two-step"; }
  Timeline timeline() const override { return Timeline::absolute; }
  void add(PageSlot page, double importance, const std::optional<PageMemory>& memory) override;
  void remove(PageSlot page) override;
  void set_importance(PageSlot page, double importance) override {
    pages_[index(page)].importance = static_cast<float>(importance);
  }
  void feed(PageSlot page, const Observation& seen) override;
  double share(PageSlot page) const override { return frequencies_.share(index(page)); }
  double interval(PageSlot page) const override {
    return static_cast<double>(pages_[index(page)].interval);
  }
  std::optional<double> change_rate(PageSlot page) const override {
    return known_.known_rate(page);
  }
  std::vector<double> outdated_after(PageSlot page) const override {
    return known_.outdated_after(page);
  }
  bool wants_last_modified() const override { return known_.by_age(); }
  std::vector<PageSlot> take_moved() override;
  double curiosity() const override { return known_.curiosity(); }
  void set_sweep(double seconds) override;
  PageMemory memory(PageSlot page) const override {
    return known_.memory(page, pages_[index(page)].interval);
  }
  std::vector<NodeMemory> take_changed_nodes(std::size_t) override { return known_.nodes(0, 1); }
  void restore_nodes(std::span<const NodeMemory> nodes) override {
    double unused = 0;
    known_.restore(nodes, 0, unused);
  }
  std::size_t memory_bytes() const override;

 private:
  struct Page {
    float importance = 0;  // 0: an empty slot
    float interval = 0;    // seconds from the last poll to the next, as planned
    double polled = 0;     // when; 0: not by this process
  };
  double day() const;
  std::size_t looks_per_day() const;
  void plan(double now);
  void set_interval(PageSlot page, double seconds);

  RatedAges known_;
  std::vector<Page> pages_;
  PageValues frequencies_;
  std::vector<PageSlot> moved_;
  std::size_t count_ = 0;
  std::size_t looks_ = 0;  // since the last plan
  double sweep_ = 1;       // seconds
};

}  // namespace pollux::learn

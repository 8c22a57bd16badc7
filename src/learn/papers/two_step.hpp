// Document 002's two-day plan as a policy. A "day" is a quarter of a sweep; at its end the polls of
// the next two days are planned at least expected number of outdated pages (two_day_plan.hpp), the
// first day of the plan is carried out, and so on. A page outside the plan is due after it, one
// that has waited longest_wait goes first: the scheduler never idles and every page is polled.
// Work: a plan costs O(n log n) once every n/4 polls. A long list is planned in pieces, a few pages
// at every poll, so that no call takes long (`pollux lab cost --policy two-step`); meanwhile the
// plan before is carried on, and pages polled meanwhile are left out of the new one.
#pragma once

#include "learn/moment_policy.hpp"
#include "learn/papers/two_day_plan.hpp"

#include <array>
#include <memory>
#include <queue>
#include <utility>
#include <vector>

namespace pollux::learn {

class TwoStep final : public MomentPolicy {
 public:
  explicit TwoStep(const Options& options)
      : MomentPolicy(options), discount_(options.papers.discount) {}

  std::string_view name() const override { return "two-step"; }
  void add(PageSlot page, double importance, const std::optional<PageMemory>& memory) override;
  void remove(PageSlot page) override;
  void set_importance(PageSlot page, double importance) override {
    pages_[index(page)].importance = static_cast<float>(importance);
  }
  void feed(PageSlot page, const Observation& seen) override;
  std::vector<PageSlot> take_moved() override { return std::exchange(moved_, {}); }
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
  // Urgency first; the page with the largest goes first.
  using Turn = std::pair<double, std::uint32_t>;
  // A plan on its way: costs are gathered page by page, then solved, then dealt out to the days,
  // then carried over to the pages. Each of these is a cursor that moves a few pages at a time.
  struct Draft {
    double now = 0, day = 0;  // seconds
    std::size_t polls = 0;
    std::uint32_t gathered = 0;  // slots
    std::vector<std::uint32_t> slots;
    std::vector<TwoDayCost> costs;
    std::unique_ptr<TwoDayPlanner> planner;
    std::size_t dealt = 0;
    std::array<std::priority_queue<Turn>, 3> days;  // today, tomorrow, later
    std::array<std::size_t, 3> sizes{};
    std::size_t today = 0;  // the day whose pages are carried over
  };

  double day() const;
  std::size_t polls_per_day() const;
  void advance();
  void gather(std::uint32_t slot);
  void deal(std::size_t at);
  bool carry_over();

  double discount_;             // κ of eq. (25)
  std::vector<double> polled_;  // when; 0: not by this process
  std::unique_ptr<Draft> draft_;
  std::vector<PageSlot> moved_;
  std::size_t polls_ = 0;  // since the last plan was begun
};

}  // namespace pollux::learn

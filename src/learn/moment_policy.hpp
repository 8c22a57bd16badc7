// What policies have in common that say when to poll a page next, not how often on the average:
// an importance, rates and ages, and the interval to the next poll. Shares, which only people ask
// for here, are the ratios of the frequencies.
#pragma once

#include "learn/page_values.hpp"
#include "learn/rated_ages.hpp"
#include "pollux/learn/policy.hpp"

#include <algorithm>
#include <vector>

namespace pollux::learn {

class MomentPolicy : public Policy {
 public:
  Timeline timeline() const final { return Timeline::absolute; }
  double share(PageSlot page) const final { return frequencies_.share(index(page)); }
  double interval(PageSlot page) const final {
    return static_cast<double>(pages_[index(page)].interval);
  }
  std::optional<double> change_rate(PageSlot page) const final { return known_.known_rate(page); }
  std::vector<double> outdated_after(PageSlot page) const final {
    return known_.outdated_after(page);
  }
  bool wants_last_modified() const final { return known_.by_age(); }
  void set_places(const Places* places) final { known_.set_places(places); }
  std::vector<Look> take_looks() final { return known_.take_looks(); }
  bool still_wanted(const Look& look) const final { return known_.still_wanted(look); }
  std::vector<NodeMemory> nodes_of(PageSlot page) const final { return known_.nodes_of(page); }
  double curiosity() const final { return known_.curiosity(); }
  std::size_t memory_bytes() const override {
    return sizeof(*this) + pages_.capacity() * sizeof(Page) + known_.memory_bytes() +
           frequencies_.memory_bytes();
  }

 protected:
  explicit MomentPolicy(const Options& options) : known_(options) {}

  struct Page {
    float importance = 0;  // 0: an empty slot
    float interval = 0;    // seconds from the last poll to the next
  };

  void put(PageSlot page, double importance, const std::optional<PageMemory>& memory) {
    if (index(page) >= pages_.size()) pages_.resize(index(page) + std::size_t{1});
    pages_[index(page)].importance = static_cast<float>(importance);
    known_.add(page, importance, memory);
    ++count_;
  }
  void take_out(PageSlot page) {
    pages_[index(page)] = {};
    frequencies_.set(index(page), 0);
    known_.remove(page);
    --count_;
  }
  void set_interval(PageSlot page, double seconds) {
    float& interval = pages_[index(page)].interval;
    interval = static_cast<float>(std::max(seconds, soonest));
    frequencies_.set(index(page), 1 / static_cast<double>(interval));
  }
  // Every page is due at the latest so long after its last poll, whatever it is worth: nothing is
  // ever forgotten (liveness).
  double longest_wait() const { return 50 * sweep_; }

  RatedAges known_;
  std::vector<Page> pages_;
  std::size_t count_ = 0;
  double sweep_ = 1;  // seconds

 private:
  static constexpr double soonest = 1e-3;  // seconds: an interval is never nothing
  PageValues frequencies_;
};

}  // namespace pollux::learn

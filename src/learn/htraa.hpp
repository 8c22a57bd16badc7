// The default policy: rate estimates, a hierarchy that corrects them, and looks at siblings.
//
// Estimates. Every page has two, one that forgets slowly (and faster the more a poll surprised it)
// and one that knows the last few polls only. A page is followed by whichever predicted its
// polls better: `trust` is the running log likelihood ratio of the two. A list whose pages are
// alike is known by its mean, from which a page's own polls move its estimates slowly (likeness).
// Pages that never changed look livelier than they are, on some lists and parts of them much more
// than on others: there they weigh less (quiet_pages).
// Hierarchy (page_tree). A node splits its capacity in the ratio of its sides' weights (rate and
// importance), times odds that its automaton learns. Reward-Inaction: a change that was found moves
// the odds a small step towards its page, with the chance 1 − (what the page's side holds), and
// pulls them back a little towards even; a miss moves nothing. Steps are the smaller the more pages
// are below a node, since a page feels them at its next poll only. So automata learn what the
// estimates miss and stay near even odds where those are right.
// Looks (sibling_looks). A change that was not foreseen is passed on to siblings, as far as that
// has paid. Who finds a burst has the credit: followers' rates count a change found by a look only
// by how unexpected it was.
// Unrest. When the last few polls predict misses far better than the long memory does, on many
// pages at once, the list has changed its habits: estimates lose most of their weight, what
// happened before is not held against a page, and every page is polled again. Changes are no
// evidence: a burst is not unrest.
#pragma once

#include "learn/likeness.hpp"
#include "learn/page_tree.hpp"
#include "learn/quiet_pages.hpp"
#include "learn/rate_estimator.hpp"
#include "learn/sibling_looks.hpp"
#include "pollux/base/huge_pages.hpp"
#include "pollux/base/rng.hpp"
#include "pollux/learn/importance.hpp"
#include "pollux/learn/policy.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace pollux::learn {

class Htraa final : public Policy {
 public:
  explicit Htraa(const Options& options);

  std::string_view name() const override { return "htraa"; }
  void set_places(const Places* places) override { tree_.set_places(places); }
  void add(PageSlot page, double importance, const std::optional<PageMemory>& memory) override;
  void remove(PageSlot page) override;
  void set_importance(PageSlot page, double importance) override;
  void feed(PageSlot page, const Observation& seen) override;
  void prefetch(PageSlot page) const override;
  double share(PageSlot page) const override;
  std::optional<double> change_rate(PageSlot page) const override;
  double curiosity() const override;
  void set_sweep(double seconds) override;
  PageMemory memory(PageSlot page) const override;
  std::vector<NodeMemory> take_changed_nodes(std::size_t limit) override;
  void restore_nodes(std::span<const NodeMemory> nodes) override;
  std::vector<NodeMemory> nodes_of(PageSlot page) const override;
  std::vector<Look> take_looks() override { return looks_.take(); }
  bool still_wanted(const Look& look) const override;
  std::size_t memory_bytes() const override;

  // For lists that are divided or put together (regroup.hpp): all weights anew, their sum, and
  // corrections of the nodes whose prefix `spans` sites, so that pages have these shares.
  void reweigh_all();
  double weight_of_all() const;
  std::vector<NodeMemory> fit(std::span<const double> shares,
                              const std::function<bool(std::string_view prefix)>& spans);

 private:
  struct Page {
    RateSums slow, fast;
    float importance = 0;    // 0: an empty slot
    std::int16_t trust = 0;  // in the fast estimate, against the slow one; see trust_unit
    std::uint16_t epoch = 0;
  };
  static_assert(sizeof(Page) == 32, "every page of a list of millions pays for this");
  struct Rates {
    double slow, fast, mixed;
  };

  RatePrior prior() const { return likeness_.prior(sweep_); }
  Rates rates(const Page& page) const;
  float weight(const Page& page) const { return weight(page, rates(page).mixed); }
  float weight(const Page& page, double rate) const;
  std::uint32_t slot_of(const Page& page) const {
    return static_cast<std::uint32_t>(&page - pages_.data());
  }
  void catch_up(Page& page);  // with epochs that began since the page was last fed
  void watch_for_unrest(const Page& page, double advantage, double now);
  void estimate(Page& page, const Rates& before, const Observation& seen, double chance_slow);
  void reward_automata(std::uint32_t slot, float weight);
  void follow(std::uint32_t slot, const Observation& seen, double by_itself);
  void describe(std::uint32_t index, NodeMemory& node) const;
  void note_importance(double importance);
  void reweigh_next();

  HugeVector<Page> pages_;
  mutable PageTree tree_;  // put in order when it is first asked
  SiblingLooks looks_;
  Likeness likeness_;
  QuietPages quiet_;
  Parts parts_;
  Rng rng_;
  std::size_t count_ = 0;
  double sweep_ = 1;  // seconds

  double advantage_of_fast_ = 0;  // of the fast estimates over the slow ones lately, in nats
  double unrest_noticed_ = -std::numeric_limits<double>::infinity();  // on the line of `now`
  double polls_of_unrest_ = 0;  // exploring polls still wanted
  std::uint16_t epoch_ = 0;

  // Importance differs between pages: the multiplier matters and is tracked page by page.
  bool mixed_ = false;
  float common_importance_ = 0;
  double multiplier_ = 0;
  ImportanceHistogram gathering_;
  std::size_t cursor_ = 0;
  std::size_t to_reweigh_ = 0;  // pages whose weight is older than the epoch
};

}  // namespace pollux::learn

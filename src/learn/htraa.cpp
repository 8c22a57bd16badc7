#include "learn/htraa.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace pollux::learn {

namespace {

// The slow estimate forgets this much per poll, divided by the chance the outcome was given: twice
// this on the average whatever the rate.
constexpr double forget_per_surprise = 0.005;
// At most this much at a time: a page that nearly always (or never) shows a change is known by its
// rare exceptions, and one of them must not wipe out the others.
constexpr double largest_forgetting = 0.08;
constexpr float fast_keep = 0.5F;

constexpr double trust_keep = 0.98;
constexpr double trust_weight = 0.2;
constexpr double trust_unit = 1.0 / 2048;
constexpr double largest_trust = 15;

// An automaton steps towards a reward and is drawn back to even odds, so that without a lasting
// difference it stays within a few per cent of what the estimates say. A page feels its nodes'
// steps at its next poll: a node above many pages takes smaller ones, so that within a sweep it
// does not run far ahead of what its steps have done.
constexpr float largest_correction = 0.001F;
constexpr float steps_per_sweep = 0.25F;
constexpr int height_of_full_steps = 7;
static_assert(static_cast<float>(1 << height_of_full_steps) * largest_correction <=
              steps_per_sweep);

// Unrest: so many nats by which the fast estimates predicted better than the slow ones, all pages
// together. One page whose habits change is soon forgotten by its own slow estimate, and a quiet
// week of the whole list is no surprise of that size; only a list whose pages swapped habits is.
constexpr double advantage_of_unrest = 30;
constexpr double advantage_per_poll = 1.5;  // at most
constexpr double expected_advantage = 0.1;  // tolerated per poll
constexpr double evidence_to_count = 8;  // hits a page must have shown for its prediction to count
constexpr float kept_through_unrest = 0.03F;
constexpr double sweeps_through_unrest = 0.25;
constexpr double curiosity_in_unrest = 0.8;
constexpr std::size_t reweighed_per_poll = 4;
constexpr double sweeps_to_notice = 0.1;  // how long habits had changed when it was noticed

// A change that was at least as likely as not was expected: it is not passed on.
constexpr double foreseen_from = 0.5;

// No page's weight falls below this part of one change per sweep: every page stays reachable.
constexpr double least_rate = 1e-4;
constexpr double least_share = 1e-15;

float left_part(float odds, float left, float right) {
  const float weighted = left * odds;
  return weighted / (weighted + right);
}

double chance_of_change(double rate, double elapsed) {
  return std::clamp(-std::expm1(-rate * elapsed), 1e-9, 1 - 1e-9);
}

// Keeps a small part, and no more than `time` seconds of it: a long quiet life must not outweigh
// what comes now.
void fade(RateSums& sums, float keep, double time) {
  const float all = sums.hit_time + sums.miss_time;
  const float by = all > 0 ? std::min(keep, static_cast<float>(time) / all) : keep;
  sums.hits *= by;
  sums.hit_time *= by;
  sums.miss_time *= by;
}

}  // namespace

Htraa::Htraa(const Options& options) : parts_(options.parts), rng_(options.seed) {}

Htraa::Rates Htraa::rates(const Page& page) const {
  const double slow = estimated_rate(page.slow, prior());
  if (!parts_.two_speeds) return {slow, slow, slow};
  const double fast = estimated_rate(page.fast, prior());
  const double trust =
      parts_.trust ? 1 / (1 + std::exp(-trust_weight * trust_unit * page.trust)) : 0.5;
  return {slow, fast, slow + trust * (fast - slow)};
}

// In changes per sweep, so that floats keep their precision whatever the budget.
float Htraa::weight(const Page& page, double rate) const {
  double weight = rate * sweep_;
  if (QuietPages::is_quiet(static_cast<double>(page.slow.hits)))
    weight *= quiet_.factor(slot_of(page));
  if (mixed_) {
    weight /= inverse_marginal_value(multiplier_ / static_cast<double>(page.importance));
  }
  return static_cast<float>(std::max(weight, least_rate));
}

void Htraa::note_importance(double importance) {
  const auto value = static_cast<float>(importance);
  if (common_importance_ == 0) common_importance_ = value;
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
    fresh.trust = static_cast<std::int16_t>(
        std::lround(std::clamp(memory->position, -largest_trust, largest_trust) / trust_unit));
  }
  fresh.importance = static_cast<float>(importance);
  fresh.epoch = epoch_;
  ++count_;
  looks_.cover(slot);
  note_importance(importance);
  tree_.add(slot, weight(fresh));
}

void Htraa::remove(PageSlot page) {
  pages_[index(page)] = Page{};
  --count_;
  looks_.forget(index(page));
  quiet_.forget(index(page));
  tree_.remove(index(page));
}

void Htraa::set_importance(PageSlot page, double importance) {
  Page& changed = pages_[index(page)];
  changed.importance = static_cast<float>(importance);
  note_importance(importance);
  tree_.set_weight(index(page), weight(changed));
}

void Htraa::feed(PageSlot page, const Observation& seen) {
  const std::uint32_t slot = index(page);
  Page& fed = pages_[slot];
  const bool was_behind = fed.epoch != epoch_;
  const Rates before = rates(fed);
  const double by_slow = chance_of_change(before.slow, seen.elapsed);
  const double by_fast = chance_of_change(before.fast, seen.elapsed);
  const double by_mixed = chance_of_change(before.mixed, seen.elapsed);
  const double chance_slow = seen.changed ? by_slow : 1 - by_slow;
  const double chance_fast = seen.changed ? by_fast : 1 - by_fast;
  const double advantage = std::clamp(std::log(chance_fast / chance_slow), -3.0, 3.0);
  if (!was_behind && !seen.look)
    watch_for_unrest(fed, seen.changed ? std::min(advantage, 0.0) : advantage, seen.now);
  catch_up(fed);
  // When a look was made is not the page's doing: it is no test of its estimates.
  if (!seen.look) {
    if (parts_.quiet)
      quiet_.note(slot, static_cast<double>(fed.slow.hits), seen.changed, by_mixed, tree_);
    const double trust = trust_keep * trust_unit * fed.trust + advantage;
    fed.trust = static_cast<std::int16_t>(
        std::lround(std::clamp(trust, -largest_trust, largest_trust) / trust_unit));
    const bool others =
        parts_.likeness && likeness_.note(fed.slow, seen.changed, seen.elapsed, sweep_, count_);
    if (others) to_reweigh_ = pages_.size();
  }
  estimate(fed, before, seen, chance_slow);

  const float now_weighs = weight(fed);
  if (seen.changed && parts_.automata) {
    reward_automata(slot, now_weighs);
  } else {
    tree_.update(slot, now_weighs, left_part,
                 [](float odds, float, bool, std::uint32_t) { return odds; });
  }
  if (parts_.looks) follow(slot, seen, by_mixed);
  if (mixed_) reweigh_next();
  for (std::size_t i = 0; i < reweighed_per_poll && to_reweigh_ > 0; ++i) reweigh_next();
}

void Htraa::estimate(Page& page, const Rates& before, const Observation& seen, double chance_slow) {
  const double forget = std::min(largest_forgetting, forget_per_surprise / chance_slow);
  const auto slow_keep = static_cast<float>(1 - forget);
  // What a page did before the unrest says nothing about its habits since.
  const double elapsed =
      std::min(seen.elapsed, seen.now - unrest_noticed_ + sweeps_to_notice * sweep_);
  if (seen.look && seen.changed) {
    // Who found the burst has the credit: this page need not be polled more often for it.
    const auto credit = static_cast<float>(std::clamp(1 - seen.look->worth, 0.0, 1.0));
    page.slow.observe(false, elapsed, slow_keep);
    page.fast.observe(false, elapsed, fast_keep);
    page.slow.hits += credit;
    page.fast.hits += credit;
    return;
  }
  const auto told = [&](const RateSums& sums, double rate) {
    return seen.changed ? telling_wait(sums, rate, elapsed) : elapsed;
  };
  page.slow.observe(seen.changed, told(page.slow, before.slow), slow_keep);
  page.fast.observe(seen.changed, told(page.fast, before.fast), fast_keep);
}

void Htraa::follow(std::uint32_t slot, const Observation& seen, double by_itself) {
  double since = seen.now - seen.elapsed;
  if (seen.look) {
    looks_.note_look(*seen.look, seen.changed, by_itself, seen.now, tree_);
    since = std::max(since, seen.look->since);
  } else {
    looks_.note_ordinary(seen.changed, static_cast<double>(pages_[slot].importance));
  }
  looks_.note_poll(slot, seen.now);
  if (!seen.changed || by_itself >= foreseen_from || seen.alone) return;
  // Where all have the same it need not be read.
  looks_.pass_on(slot, since, seen.now, tree_, rng_, [this](std::uint32_t page) {
    return static_cast<double>(mixed_ ? pages_[page].importance : common_importance_);
  });
}

bool Htraa::still_wanted(const Look& look) const {
  const std::uint32_t slot = index(look.page);
  return slot < pages_.size() && pages_[slot].importance > 0 && looks_.still_wanted(look);
}

void Htraa::reward_automata(std::uint32_t slot, float weight) {
  int height = 0;  // a node has 2^height pages at most: it is not read where that says enough
  const auto move = [this, &height](float odds, float part, bool is_left, std::uint32_t node) {
    ++height;
    if (static_cast<float>(rng_.uniform()) < part) return odds;
    float step = largest_correction;
    if (height > height_of_full_steps)
      step = std::min(step, steps_per_sweep / static_cast<float>(tree_.node(node).pages));
    return (odds + step * (1 - odds)) * (is_left ? 1 + step : 1 / (1 + step));
  };
  tree_.update(slot, weight, left_part, move);
}

void Htraa::watch_for_unrest(const Page& page, double advantage, double now) {
  if (!parts_.unrest) return;
  if (polls_of_unrest_ > 0) {
    polls_of_unrest_ -= curiosity_in_unrest;
    return;
  }
  if (static_cast<double>(page.slow.hits) < evidence_to_count) return;
  const double counted = std::clamp(advantage, -advantage_per_poll, advantage_per_poll);
  advantage_of_fast_ = std::max(0.0, advantage_of_fast_ + counted - expected_advantage);
  if (advantage_of_fast_ < advantage_of_unrest) return;
  advantage_of_fast_ = 0;
  unrest_noticed_ = now;
  ++epoch_;
  polls_of_unrest_ = static_cast<double>(count_);
  to_reweigh_ = pages_.size();
}

void Htraa::catch_up(Page& page) {
  if (page.epoch == epoch_) return;
  page.epoch = epoch_;
  page.trust = 0;
  fade(page.slow, kept_through_unrest, sweeps_through_unrest * sweep_);
  fade(page.fast, kept_through_unrest, sweeps_through_unrest * sweep_);
}

double Htraa::curiosity() const {
  return polls_of_unrest_ > 0 ? curiosity_in_unrest : 0;
}

void Htraa::prefetch(PageSlot page) const {
  __builtin_prefetch(&pages_[index(page)], 1);
  looks_.prefetch(index(page));
  tree_.prefetch(index(page));
}

double Htraa::share(PageSlot page) const {
  return std::max(tree_.share(index(page), left_part), least_share);
}

std::optional<double> Htraa::change_rate(PageSlot page) const {
  const Page& asked = pages_[index(page)];
  if (asked.slow.hit_time == 0 && asked.slow.miss_time == 0) return std::nullopt;
  // As it counts in the page's weight: of pages that never changed most never will.
  const double factor =
      QuietPages::is_quiet(static_cast<double>(asked.slow.hits)) ? quiet_.factor(index(page)) : 1;
  return rates(asked).mixed * factor;
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
      if (page.importance == 0) continue;
      gathering_.add(static_cast<double>(page.importance), rates(page).mixed);
    }
    if (!gathering_.empty()) multiplier_ = gathering_.solve(static_cast<double>(count_) / sweep_);
    gathering_.clear();
    cursor_ = 0;
  }
  for (std::uint32_t slot = 0; slot < pages_.size(); ++slot) {
    const Page& page = pages_[slot];
    if (page.importance > 0) tree_.set_weight_only(slot, weight(page));
  }
  tree_.sum_up();
}

// The multiplier moves slowly; one extra page per poll keeps all weights in step with it.
void Htraa::reweigh_next() {
  if (to_reweigh_ > 0) --to_reweigh_;
  if (cursor_ >= pages_.size()) {
    if (mixed_ && !gathering_.empty()) {
      multiplier_ = gathering_.solve(static_cast<double>(count_) / sweep_);
    }
    gathering_.clear();
    cursor_ = 0;
  }
  const auto slot = static_cast<std::uint32_t>(cursor_++);
  Page& page = pages_[slot];
  if (page.importance == 0) return;
  catch_up(page);
  const double rate = rates(page).mixed;
  if (mixed_) gathering_.add(static_cast<double>(page.importance), rate);
  tree_.set_weight(slot, weight(page, rate));
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
          .position = trust_unit * kept.trust};
}

void Htraa::describe(std::uint32_t index, NodeMemory& node) const {
  const PageTree::Node& of = tree_.node(index);
  node.value = static_cast<double>(tree_.value(index));
  node.share = tree_.node_share(index, left_part);
  node.affinity = looks_.affinity(index, tree_);
  node.tried = of.tried.value();
  node.found = of.found.value();
}

std::vector<NodeMemory> Htraa::take_changed_nodes(std::size_t limit) {
  return tree_.take_changed(
      limit, [this](std::uint32_t index, NodeMemory& node) { describe(index, node); });
}

std::vector<NodeMemory> Htraa::nodes_of(PageSlot page) const {
  return tree_.path(pollux::index(page),
                    [this](std::uint32_t index, NodeMemory& node) { describe(index, node); });
}

void Htraa::restore_nodes(std::span<const NodeMemory> nodes) {
  tree_.restore(nodes);
  looks_.restore_sizes(nodes);
}

double Htraa::weight_of_all() const {
  double sum = 0;
  for (std::uint32_t slot = 0; slot < pages_.size(); ++slot)
    if (pages_[slot].importance > 0) sum += static_cast<double>(tree_.weight(slot));
  return sum;
}

std::vector<NodeMemory> Htraa::fit(std::span<const double> shares,
                                   const std::function<bool(std::string_view prefix)>& spans) {
  std::vector<NodeMemory> fitted;
  for (const std::uint32_t index : tree_.fit(shares, spans)) {
    fitted.push_back(tree_.named(index));
    describe(index, fitted.back());
  }
  return fitted;
}

std::size_t Htraa::memory_bytes() const {
  return sizeof(*this) + pages_.capacity() * sizeof(Page) + tree_.memory_bytes() +
         looks_.memory_bytes() + quiet_.memory_bytes();
}

}  // namespace pollux::learn

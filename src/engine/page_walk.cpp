#include "engine/page_walk.hpp"

#include <algorithm>
#include <cmath>

namespace pollux::engine {
namespace {

constexpr double sizes_per_octave = 4;
constexpr int smallest_exponent = -60;  // shares below 2^-60 are all the same

}  // namespace

void PageWalk::step(Instant now) {
  const std::size_t slots = lists_.pages.slots();
  const std::size_t end = std::min(slots, sums_.next + pages_at_once);
  const double all_polls = lists_.scheduler->virtual_rate();
  for (; sums_.next < end; ++sums_.next)
    look_at(PageSlot{static_cast<std::uint32_t>(sums_.next)}, all_polls);
  if (sums_.next >= slots) finish_pages(now);
  value_next_poll();

  const std::size_t hosts = lists_.hosts.size();
  const std::size_t last = std::min(hosts, next_host_ + hosts_at_once);
  for (; next_host_ < last; ++next_host_) {
    const HostRecord& host = lists_.hosts[HostSlot{static_cast<std::uint32_t>(next_host_)}];
    if (host.blocked_until && *host.blocked_until > now) ++blocked_so_far_;
  }
  if (next_host_ < hosts) return;
  blocked_ = std::exchange(blocked_so_far_, 0);
  next_host_ = 0;
}

void PageWalk::look_at(PageSlot slot, double all_polls) {
  const PageRecord& page = std::as_const(lists_.pages)[slot];
  if (page.id == PageId{}) return;
  const double share = lists_.policy->share(slot);
  if (!(share > 0)) return;
  const double place = (std::log2(share) - smallest_exponent) * sizes_per_octave;
  const auto size = static_cast<std::size_t>(std::clamp(place, 0.0, double{sizes - 1}));
  ++sums_.count[size];
  sums_.share[size] += share;
  sums_.shares += share;
  const std::optional<double> rate = lists_.policy->change_rate(slot);
  sums_.next_poll.add(share, rate, lists_.settings[page.settings].importance);
  if (!rate || !(*rate > 0)) return;
  ++sums_.with_rate;
  sums_.rates += *rate;
  const double polls = share * all_polls;  // per second
  if (!(polls > 0)) return;
  sums_.found += polls * -std::expm1(-*rate / polls);
}

// A poll finds a change with 1 - exp(-rate / polls per second). What all find together is most when
// that is the same for all of them, so when they are polled in proportion to their rates.
void PageWalk::finish_pages(Instant now) {
  const double polls = sums_.shares * lists_.scheduler->virtual_rate();
  LearnerFigures figures;
  if (polls > 0) {
    figures.expected_changes_per_poll = sums_.found / polls;
    figures.optimum_changes_per_poll = -std::expm1(-sums_.rates / polls);
  }
  figures.gini = gini();
  figures.unrest = lists_.policy->curiosity();
  figures.with_rate = sums_.with_rate;
  learner_ = figures;
  const double walk = walked_ == Instant::min() ? 0 : to_seconds(now - walked_);
  const learn::Polled polled = polled_ ? polled_() : learn::Polled();
  const learn::Polled before = std::exchange(polled_before_, polled);
  value_.walked(sums_.next_poll, walk / sweep(),
                {polled.polls - before.polls, polled.changes - before.changes}, budget());
  walked_ = now;
  sums_ = {};
}

double PageWalk::sweep() const {
  return lists_.told_sweep > 0 ? lists_.told_sweep : 1;
}

void PageWalk::value_next_poll() {
  if (learner_) learner_->marginal_changes_per_poll = value_.worth(budget());
}

double PageWalk::budget() const {
  const schedule::Budget& budget = *lists_.budget;
  return budget.unlimited() ? lists_.scheduler->virtual_rate() : budget.rate();
}

// One less twice the area under the Lorenz curve.
double PageWalk::gini() const {
  std::uint64_t all = 0;
  for (const std::uint64_t n : sums_.count) all += n;
  if (all == 0 || sums_.shares <= 0) return 0;
  double below = 0, area = 0;
  for (std::size_t i = 0; i < sizes; ++i) {
    const double part = sums_.share[i] / sums_.shares;
    area += (below + part / 2) * static_cast<double>(sums_.count[i]) / static_cast<double>(all);
    below += part;
  }
  return std::max(0.0, 1 - 2 * area);
}

}  // namespace pollux::engine

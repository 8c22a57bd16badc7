// What the scheduler knows, and the steps it is made of. See scheduler.hpp for the rules.
//
// A page is in exactly one status: queued (in its host's heap), resting (in its group), backing off
// (in the heap of back-offs) or in flight. Heaps hold outdated entries that are recognised at the
// top:
//   host heap   (tag, page)   valid while the page is queued with that tag
//   ready       (key, host)   valid while it is the host's announced key and the host is free
//   overdue     (time, group) valid while it is the group's announced time and its host is free
//   wakes, rests, back_offs (time, …) are checked against the present state when they come due
#pragma once

#include "pollux/schedule/scheduler.hpp"
#include "schedule/min_heap.hpp"
#include "schedule/page_queue.hpp"
#include "schedule/quick_pages.hpp"
#include "schedule/waiting_looks.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

namespace pollux::schedule {

// Pages of one host with the same limits.
struct Group {
  std::uint32_t host = 0;
  Limits limits;
  PageQueue pages;
  std::uint32_t next_of_host = none;           // the host's groups, chained
  Instant announced_overdue = Instant::max();  // the entry of this group in overdue
  bool rest_announced = false;                 // an entry of this group is in rests
};

struct Host {
  Politeness politeness;
  int in_flight = 0;
  int unsent = 0;     // of those in flight: taken, and not asked so far
  bool held = false;  // no page is chosen, whatever the rest says
  Duration pause{};   // from the end of a request, if longer than the delay
  Instant last_sent = Instant::min(), last_ended = Instant::min();
  Instant delayed_until = Instant::min();
  Instant unblocked_at = Instant::min();  // a Retry-After is over
  // While own pages are due. They have a turn between any two guests, however long the host waits.
  Instant guests_after = Instant::min();
  bool guest_was_last = false;
  Instant ready_at() const {
    return std::max({last_sent + politeness.delay, last_ended + std::max(politeness.delay, pause),
                     delayed_until, unblocked_at});
  }
  Instant ready_at(Taker taker) const {
    if (taker != Taker::guest || queued == 0) return ready_at();
    const Duration turn =
        guest_was_last ? std::max({politeness.delay, pause, least_turn_of_own}) : Duration::zero();
    return std::max(ready_at() + turn, guests_after);
  }
  static constexpr Duration least_turn_of_own = std::chrono::milliseconds(100);  // without a delay

  // Two that are prepared together would be sent together.
  bool has_connection() const {
    return in_flight < politeness.connections &&
           (unsent == 0 || politeness.delay <= Duration::zero());
  }
  double offset = 0;     // global key = tag + offset
  double clock = 0;      // the largest tag served: the host's virtual time
  double announced = 0;  // the key of the host's entry in ready
  bool listed = false;   // whether there is such an entry
  std::uint32_t queued = 0;
  std::uint32_t first_group = none;
  double demand = 0;  // polls per second that its pages' max_intervals ask for
  MinHeap<double> heap;
};

struct Scheduler::State {
  State(const Options& options, learn::Policy& policy_used)
      : policy(policy_used),
        budget(options.budget),
        explore(options.explore),
        follow(options.follow),
        rng(options.seed) {}

  learn::Policy& policy;
  double budget;
  double explore;
  double follow;
  Rng rng;
  double clock = 0;           // global virtual time: a poll a poll, never far from the keys served
  double explore_credit = 0;  // grows by `explore` a poll; a whole one pays for an exploring poll
  double look_credit = 0;     // likewise, of looks
  double demand = 0;          // polls per second that all max_intervals ask for and may get
  std::size_t page_count = 0;
  std::uint32_t polls = 0;  // so far; wraps round
  double clock_rate = 0;    // virtual time per second, smoothed, for next_due
  double measured_clock = 0;
  Instant measured_at = Instant::min();

  PageStates pages;
  std::vector<Host> hosts;
  std::vector<Group> groups;
  QuickPages quick;
  WaitingLooks looks;
  std::vector<learn::Look> proposed;  // not heard of yet: a page was removed first
  std::map<std::pair<Duration, Duration>, std::unordered_map<std::uint32_t, std::uint32_t>>
      group_of;
  std::unordered_map<std::uint32_t, Instant> backing_off;

  MinHeap<double> ready;
  MinHeap<Instant> overdue;
  MinHeap<Instant> wakes;
  MinHeap<Instant> rests;
  MinHeap<Instant> back_offs;

  bool absolute() const { return policy.timeline() == learn::Timeline::absolute; }
  static bool has_room(const Host& host, Instant now) {
    return host.has_connection() && host.ready_at() <= now;
  }
  bool free(const Host& host, Instant now) const { return !host.held && has_room(host, now); }
  // The present on a host's own time line: never behind what it served, level with the global line
  // unless politeness holds the host back.
  double time_of(const Host& host) const { return std::max(host.clock, clock - host.offset); }
  std::uint32_t group_for(std::uint32_t host, const Limits& limits);
  double stretch() const;
  double stretch(const Host& host) const;
  Instant must_start_by(const Group& group, std::uint32_t page) const;

  // After any of these a page has its new status and everybody concerned is told.
  void queue(std::uint32_t page, Instant now);
  static void make_room(Host& host);  // for as many entries as queue() lets gather
  void put_back(std::uint32_t page, Instant now, std::optional<Instant> not_before);
  void queue_or_rest(std::uint32_t page, Instant now);  // as min_interval says
  // After take(), as if that had not been: max_interval and exploring go by the order of the group.
  void put_back_where_it_was(std::uint32_t page, Instant now);
  void detach(std::uint32_t page);  // from whatever holds it
  void count_demand(std::uint32_t page, double sign);
  // What a host's pages may cost: wishes that its politeness cannot serve stretch nobody else's.
  double asked_of_budget(const Host& host) const;
  double next_tag(std::uint32_t page, int requests = 1);
  // When a page whose poll cost so many may be polled again, whatever the reason.
  Instant paid_for_at(std::uint32_t page, int requests) const;

  void announce_host(std::uint32_t host, Instant now);    // to ready and overdue, if it is free
  void wake_when_ready(std::uint32_t host, Instant now);  // now, or when politeness lets it
  void announce_ready(std::uint32_t host);
  void announce_overdue(std::uint32_t group);
  void drop_outdated(Host& host);
  void forget_lag(Host& host);  // so that a host which was held back has no burst saved up

  void follow_moves(Instant now);  // of pages whose interval the policy changed
  void wake_up(Instant now);       // everything whose time has come
  std::optional<std::uint32_t> most_overdue(Instant now, Instant before);
  std::optional<std::uint32_t> smallest_tag(Instant now);
  void hear_of_looks(Instant now);
  void hear_of(const learn::Look& look, Instant now);
  void forget_looks(std::uint32_t page);  // at it and because of it
  std::optional<learn::Look> best_look(Instant now);
  // One that waits for twice its period and more, by default: looks must not starve it.
  std::optional<std::uint32_t> starving_quick_page(Instant now);
  void prefetch_next(const Host& host) const;
  // The quick page that is later, for its period, than this key is for the others.
  std::optional<std::uint32_t> late_quick_page(double key, Instant now) const;
  void take(std::uint32_t page, Instant now);
  void measure_clock(Instant now);
};

}  // namespace pollux::schedule

#include "pollux/schedule/scheduler.hpp"

#include "schedule/scheduler_state.hpp"

#include <cassert>
#include <cmath>
#include <utility>

namespace pollux::schedule {
namespace {

// Over so many sweeps looks take at most their part: a burst comes at once, and so do its looks.
constexpr double sweeps_of_looks = 4;
constexpr double least_looks_saved = 16;

}  // namespace

Scheduler::Scheduler(const Options& options, learn::Policy& policy)
    : state_(std::make_unique<State>(options, policy)) {}
Scheduler::~Scheduler() = default;

void Scheduler::add_host(HostSlot host, const Politeness& politeness) {
  State& s = *state_;
  if (s.hosts.size() <= index(host)) s.hosts.resize(index(host) + 1);
  Host& added = s.hosts[index(host)];
  added = Host{};
  added.politeness = politeness;
  // A host that joins late starts at the present, not at the beginning of time.
  added.offset = s.absolute() ? 0 : s.clock;
}

void Scheduler::set_politeness(HostSlot host, const Politeness& politeness, Instant now) {
  Host& changed = state_->hosts[index(host)];
  state_->demand -= state_->asked_of_budget(changed);
  changed.politeness = politeness;
  state_->demand = std::max(0.0, state_->demand + state_->asked_of_budget(changed));
  state_->wake_when_ready(index(host), now);
}

void Scheduler::set_explore(double part) {
  state_->explore = part;
}

void Scheduler::set_follow(double part) {
  state_->follow = part;
}

void Scheduler::add(PageSlot page, HostSlot host, const Limits& limits, Instant now,
                    std::optional<Instant> last_start, std::optional<Instant> not_before) {
  State& s = *state_;
  const std::uint32_t p = index(page);
  if (s.pages.size() <= p) s.pages.resize(p + 1);
  PageState& state = s.pages[p];
  assert(state.status == PageStatus::absent && "a page is added once");
  state = PageState{};
  state.host = index(host);
  state.set_group(s.group_for(state.host, limits));
  state.last_start = last_start.value_or(now - limits.min_interval);
  ++s.page_count;
  s.count_demand(p, +1);

  if (s.absolute()) {
    state.tag = to_seconds(state.last_start.time_since_epoch()) + s.policy.interval(page);
  } else {
    const double period = 1 / s.policy.share(page);
    double wait =
        s.rng.uniform() * period;  // never polled, or long overdue: any moment of its period
    if (last_start && std::isfinite(s.budget)) {
      const double left = period - to_seconds(now - *last_start) * s.budget;
      if (left > 0) wait = left;
    }
    state.tag = s.time_of(s.hosts[state.host]) + wait;
  }
  s.put_back(p, now, not_before);
  s.make_room(s.hosts[state.host]);
}

Instant Scheduler::last_start(PageSlot page) const {
  return state_->pages[index(page)].last_start;
}

std::optional<Instant> Scheduler::back_off_end(PageSlot page) const {
  const auto found = state_->backing_off.find(index(page));
  return found == state_->backing_off.end() ? std::nullopt : std::optional(found->second);
}

void Scheduler::set_limits(PageSlot page, const Limits& limits) {
  State& s = *state_;
  const std::uint32_t p = index(page);
  PageState& state = s.pages[p];
  if (s.groups[state.group].limits == limits) return;
  const bool demands = state.status != PageStatus::backing_off;
  if (demands) s.count_demand(p, -1);
  const bool listed = state.status == PageStatus::queued || state.status == PageStatus::resting;
  if (listed) s.groups[state.group].pages.erase(s.pages, p);
  state.set_group(s.group_for(state.host, limits));
  if (listed) {
    s.groups[state.group].pages.push_back(s.pages, p);
    s.announce_overdue(state.group);
    if (state.status == PageStatus::resting) {
      s.groups[state.group].rest_announced = true;
      s.rests.push(state.last_start + limits.min_interval, state.group);
    }
  }
  if (demands) s.count_demand(p, +1);
}

void Scheduler::remove(PageSlot page) {
  State& s = *state_;
  const std::uint32_t p = index(page);
  s.detach(p);
  s.quick.forget(p);
  s.forget_looks(p);
  s.count_demand(p, -1);
  s.pages[p].status = PageStatus::absent;
  --s.page_count;
}

void Scheduler::set_budget(double per_second) {
  State& s = *state_;
  s.budget = per_second;
  s.measured_at = Instant::min();
  for (std::uint32_t g = 0; g < s.groups.size(); ++g)
    s.announce_overdue(g);  // the stretch may differ
}

std::optional<Choice> Scheduler::next(Instant now) {
  State& s = *state_;
  s.wake_up(now);
  s.measure_clock(now);
  if (s.absolute()) s.follow_moves(now);
  const double explore = std::max(s.explore, s.policy.curiosity());
  s.explore_credit = std::min(s.explore_credit + explore, 2.0);
  s.hear_of_looks(now);

  Reason reason = Reason::max_interval;
  std::optional<learn::Look> look;
  bool paid = false;
  std::optional<std::uint32_t> chosen = s.most_overdue(now, now);
  if (!chosen && s.explore_credit >= 1) {
    reason = Reason::explore;
    chosen = s.most_overdue(now, Instant::max());
  }
  if (chosen) {
    // A page polled because it waited longest is what exploring is for, too.
    s.explore_credit = std::max(0.0, s.explore_credit - 1);
  } else {
    if (s.look_credit >= 1 && s.looks.any_ready()) {
      chosen = s.starving_quick_page(now);
      if (!chosen) look = s.best_look(now);
      paid = look.has_value();
      if (paid) s.look_credit -= 1;
    }
    if (!look && !chosen) chosen = s.smallest_tag(now);
    if (!look && !chosen) look = s.best_look(now);  // nobody else could be polled
    if (look) chosen = index(look->page);
    reason = look ? Reason::look : Reason::share;
  }
  if (!chosen) {
    s.explore_credit = std::max(0.0, s.explore_credit - explore);
    return std::nullopt;
  }
  const double saved =
      s.follow * std::max(sweeps_of_looks * static_cast<double>(s.page_count), least_looks_saved);
  s.look_credit = std::min(s.look_credit + s.follow, std::max(saved, 1.0));
  ++s.polls;
  const PageState& page = s.pages[*chosen];
  const Choice choice{PageSlot{*chosen}, reason, page.last_start, look, paid};
  s.take(*chosen, now);
  return choice;
}

std::optional<Choice> Scheduler::take(PageSlot slot, Instant now) {
  State& s = *state_;
  const PageState& page = s.pages[index(slot)];
  if (page.status == PageStatus::absent || page.status == PageStatus::in_flight ||
      !s.free(s.hosts[page.host], now)) {
    return std::nullopt;
  }
  const Choice choice{slot, Reason::asked_for, page.last_start, {}};
  s.take(index(slot), now);
  return choice;
}

std::optional<Instant> Scheduler::look_soon(Instant now, Instant before) const {
  const State& s = *state_;
  if (before <= now || s.look_credit < 1 || s.looks.any_ready()) return std::nullopt;
  const auto followed = s.looks.followed();
  if (!followed) return std::nullopt;
  const Host& host = s.hosts[*followed];
  const Instant at = host.ready_at();
  if (host.held || !host.has_connection() || at <= now || at > before) return std::nullopt;
  return at;
}

Instant Scheduler::wake_at() const {
  const State& s = *state_;
  if (!s.ready.empty() || s.looks.any_ready()) return Instant::min();
  Instant at = Instant::max();
  for (const MinHeap<Instant>* heap : {&s.wakes, &s.rests, &s.back_offs}) {
    if (!heap->empty()) at = std::min(at, heap->top().key);
  }
  return at;
}

void Scheduler::finish(PageSlot page, Instant now, std::optional<Instant> not_before,
                       int requests) {
  State& s = *state_;
  const std::uint32_t p = index(page);
  PageState& state = s.pages[p];
  assert(state.status == PageStatus::in_flight);
  state.tag = s.next_tag(p, requests);
  if (const Instant paid = s.paid_for_at(p, requests); paid > now)
    not_before = std::max(not_before.value_or(paid), paid);
  s.put_back(p, now, not_before);
}

void Scheduler::decline(const Choice& choice, Instant now, std::optional<Instant> not_before) {
  State& s = *state_;
  const std::uint32_t p = index(choice.page);
  PageState& state = s.pages[p];
  Host& host = s.hosts[state.host];
  assert(state.status == PageStatus::in_flight && host.in_flight > 0);
  --host.in_flight;
  --host.unsent;
  state.last_start = choice.last_start;
  // One that waits takes its next turn; one that does not keeps the present one.
  if (not_before) {
    state.tag = s.next_tag(p);
    s.put_back(p, now, not_before);
  } else {
    s.put_back_where_it_was(p, now);
    if (choice.look) s.hear_of(*choice.look, now);  // it waits with its host
  }
  if (choice.look_paid) s.look_credit += 1;
  s.wake_when_ready(state.host, now);
}

bool Scheduler::try_take_host(HostSlot host, Instant now, Taker taker) {
  Host& taken = state_->hosts[index(host)];
  if (!State::has_room(taken, now) || taken.ready_at(taker) > now) return false;
  taken.guest_was_last = taker == Taker::guest;
  ++taken.in_flight;
  ++taken.unsent;
  return true;
}

bool Scheduler::note_sent(HostSlot host, Instant now) {
  Host& asked = state_->hosts[index(host)];
  asked.unsent = std::max(asked.unsent - 1, 0);
  asked.last_sent = now;
  if (asked.politeness.delay <= Duration::zero() || !asked.has_connection()) return false;
  state_->wakes.push(asked.ready_at(), index(host));
  return true;
}

void Scheduler::release_host(HostSlot host, Instant now, Sent sent) {
  State& s = *state_;
  Host& released = s.hosts[index(host)];
  assert(released.in_flight > 0);
  const bool was_full = !released.has_connection();
  --released.in_flight;
  if (sent == Sent::no) --released.unsent;
  released.unsent = std::clamp(released.unsent, 0, released.in_flight);
  released.last_ended = now;
  if (was_full || released.ready_at() > now) s.wake_when_ready(index(host), now);
}

void Scheduler::note_ended(HostSlot host, Instant at) {
  Host& asked = state_->hosts[index(host)];
  asked.last_ended = std::max(asked.last_ended, at);
  state_->wakes.push(asked.ready_at(), index(host));
}

void Scheduler::set_pause(HostSlot host, Duration pause) {
  Host& paused = state_->hosts[index(host)];
  if (std::exchange(paused.pause, pause) != pause)
    state_->wakes.push(paused.ready_at(), index(host));
}

void Scheduler::block_host(HostSlot host, Instant until) {
  Host& blocked = state_->hosts[index(host)];
  blocked.unblocked_at = std::max(blocked.unblocked_at, until);
  state_->wakes.push(blocked.ready_at(), index(host));
}

void Scheduler::delay_host(HostSlot host, Instant until) {
  Host& delayed = state_->hosts[index(host)];
  delayed.delayed_until = std::max(delayed.delayed_until, until);
  state_->wakes.push(delayed.ready_at(), index(host));
}

void Scheduler::delay_guests(HostSlot host, Instant until) {
  Host& delayed = state_->hosts[index(host)];
  delayed.guests_after = std::max(delayed.guests_after, until);
}

void Scheduler::hold_host(HostSlot host) {
  state_->hosts[index(host)].held = true;
}

void Scheduler::unhold_host(HostSlot host, Instant now) {
  state_->hosts[index(host)].held = false;
  state_->wake_when_ready(index(host), now);
}

bool Scheduler::spaced(HostSlot host) const {
  const Politeness& politeness = state_->hosts[index(host)].politeness;
  return politeness.connections > 1 && politeness.delay > Duration::zero();
}

Instant Scheduler::host_ready_at(HostSlot host, Taker taker) const {
  const Host& asked = state_->hosts[index(host)];
  return asked.has_connection() ? asked.ready_at(taker) : Instant::max();
}

Instant Scheduler::next_due(PageSlot page, Instant now) const {
  const State& s = *state_;
  const std::uint32_t p = index(page);
  const PageState& state = s.pages[p];
  const Host& host = s.hosts[state.host];
  const Group& group = s.groups[state.group];
  double wait = 0;
  if (s.absolute()) {
    wait = state.tag - to_seconds(now.time_since_epoch());
  } else {
    const double rate = s.clock_rate > 0 ? s.clock_rate : s.budget;
    wait = (state.tag + host.offset - s.clock) / rate;
  }
  Instant due =
      now + std::min(from_seconds(std::max(wait, 0.0)), Duration(std::chrono::hours(24 * 3650)));
  due = std::min(due, s.must_start_by(group, p));
  due = std::max({due, now, state.last_start + group.limits.min_interval, host.ready_at()});
  if (const auto found = s.backing_off.find(p); found != s.backing_off.end())
    due = std::max(due, found->second);
  return due;
}

double Scheduler::virtual_rate() const {
  return state_->absolute() ? 0 : state_->clock_rate;
}
double Scheduler::max_interval_stretch() const {
  return state_->stretch();
}
std::size_t Scheduler::page_count() const {
  return state_->page_count;
}

std::size_t Scheduler::memory_bytes() const {
  const State& s = *state_;
  std::size_t bytes = s.pages.capacity() * sizeof(PageState) + s.hosts.capacity() * sizeof(Host) +
                      s.groups.capacity() * sizeof(Group) + s.ready.memory_bytes();
  for (const MinHeap<Instant>* heap : {&s.overdue, &s.wakes, &s.rests, &s.back_offs})
    bytes += heap->memory_bytes();
  for (const Host& host : s.hosts) bytes += host.heap.memory_bytes();
  return bytes;
}

}  // namespace pollux::schedule

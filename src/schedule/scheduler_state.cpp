#include "schedule/scheduler_state.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace pollux::schedule {
namespace {

// How far (in polls of the whole list) a host may be behind and still catch up. More is forgotten.
constexpr double host_catch_up = 32;
// The part of a rate that max_intervals get once they ask for half as much again as there is, so
// that learning has the other half. What they get shrinks evenly from all of it down to that.
constexpr double stretched_part = 0.5;
// How far the clock may be ahead of the tags when shares add up to more than there is.
constexpr double clock_lead = 16;
// What a poll ahead of its turn leaves for each request of the last one: a page that costs twelve
// causes twelve in ten minutes, whatever its max_interval and however little its share.
constexpr Duration pause_per_request = std::chrono::minutes(1);
// Outdated entries in a heap are cleared when they outnumber the valid ones by this much; of pages,
// from half as many as valid ones on, so many a page that is queued: a third of them are outdated
// then, and fewer come than go.
constexpr std::size_t slack_entries = 64;
constexpr int swept_per_page = 8;

double stretch_for(double demand, double capacity) {
  if (!std::isfinite(capacity) || demand <= capacity) return 1;
  return demand / (std::max(stretched_part, 2 - demand / capacity) * capacity);
}

}  // namespace

std::uint32_t Scheduler::State::group_for(std::uint32_t host, const Limits& limits) {
  auto& by_host = group_of[{limits.min_interval, limits.max_interval}];
  const auto [found, is_new] = by_host.try_emplace(host, static_cast<std::uint32_t>(groups.size()));
  if (is_new) {
    Group group;
    group.host = host;
    group.limits = limits;
    group.next_of_host = hosts[host].first_group;
    hosts[host].first_group = found->second;
    groups.push_back(group);
  }
  return found->second;
}

double Scheduler::State::stretch() const {
  return stretch_for(demand, budget);
}

double Scheduler::State::stretch(const Host& host) const {
  const double delay = to_seconds(host.politeness.delay);
  if (delay <= 0) return stretch();
  return std::max(stretch(), stretch_for(host.demand, host.politeness.connections / delay));
}

Instant Scheduler::State::must_start_by(const Group& group, std::uint32_t page) const {
  const double wait = to_seconds(group.limits.max_interval) * stretch(hosts[group.host]);
  constexpr double never =
      1e11;  // three thousand years: far from overflow, still ordered by last_start
  return pages[page].last_start + from_seconds(std::min(wait, never));
}

void Scheduler::State::count_demand(std::uint32_t page, double sign) {
  const Group& group = groups[pages[page].group];
  const double rate = 1 / std::max(to_seconds(group.limits.max_interval), 1e-3);
  Host& host = hosts[group.host];
  demand -= asked_of_budget(host);
  host.demand = std::max(0.0, host.demand + sign * rate);
  demand = std::max(0.0, demand + asked_of_budget(host));
}

double Scheduler::State::asked_of_budget(const Host& host) const {
  const double delay = to_seconds(host.politeness.delay);
  return delay > 0 ? std::min(host.demand, host.politeness.connections / delay) : host.demand;
}

double Scheduler::State::next_tag(std::uint32_t page, int requests) {
  const PageState& state = pages[page];
  if (absolute()) {
    return to_seconds(state.last_start.time_since_epoch()) +
           policy.interval(PageSlot{page}) * requests;
  }
  const double period = requests / policy.share(PageSlot{page});
  quick.note(page, period, polls);
  const Host& host = hosts[state.host];
  // Counted from where it should have been served; but a page held back for more than a period (by
  // min_interval or a back-off, not by its host: that holds its siblings back too) does not save up
  // polls, and one that was served early (explored) does not keep its old claim.
  return std::clamp(state.tag, host.clock - period, time_of(host)) + period;
}

Instant Scheduler::State::paid_for_at(std::uint32_t page, int requests) const {
  if (requests <= 1 || !std::isfinite(budget)) return Instant::min();
  const double interval =
      absolute() ? policy.interval(PageSlot{page}) : 1 / (policy.share(PageSlot{page}) * budget);
  return pages[page].last_start +
         requests * std::min(from_seconds(std::min(interval, 1e6)), pause_per_request);
}

void Scheduler::State::make_room(Host& host) {
  host.heap.reserve(host.queued + host.queued / 4 * 3 + slack_entries);
}

void Scheduler::State::queue(std::uint32_t page, Instant now) {
  PageState& state = pages[page];
  Host& host = hosts[state.host];
  state.status = PageStatus::queued;
  host.heap.push(state.tag, page);
  ++host.queued;
  if (host.heap.size() > host.queued + host.queued / 2 + slack_entries) {
    host.heap.sweep(swept_per_page, [&](const auto& entry) {
      const PageState& p = pages[entry.value];
      return p.status == PageStatus::queued && p.host == state.host && p.tag == entry.key;
    });
  }
  if (free(host, now)) announce_ready(state.host);
}

void Scheduler::State::put_back(std::uint32_t page, Instant now,
                                std::optional<Instant> not_before) {
  if (!not_before || *not_before <= now) return queue_or_rest(page, now);
  pages[page].status = PageStatus::backing_off;
  count_demand(page, -1);  // its max_interval asks for nothing meanwhile
  backing_off[page] = *not_before;
  back_offs.push(*not_before, page);
}

void Scheduler::State::queue_or_rest(std::uint32_t page, Instant now) {
  PageState& state = pages[page];
  Group& group = groups[state.group];
  const Instant rested = state.last_start + group.limits.min_interval;
  if (rested > now) {
    state.status = PageStatus::resting;
    group.pages.push_back(pages, page);
    if (!group.rest_announced) {
      group.rest_announced = true;
      rests.push(rested, state.group);
    }
  } else {
    queue(page, now);
    group.pages.push_back(pages, page);
  }
  if (group.pages.front() == page) announce_overdue(state.group);
}

void Scheduler::State::put_back_where_it_was(std::uint32_t page, Instant now) {
  const PageState& state = pages[page];
  Group& group = groups[state.group];
  const bool at_rest = state.last_start + group.limits.min_interval > now;
  if (at_rest || !group.pages.put_back(pages, page)) return queue_or_rest(page, now);
  queue(page, now);
  announce_overdue(state.group);
}

void Scheduler::State::detach(std::uint32_t page) {
  PageState& state = pages[page];
  switch (state.status) {
    case PageStatus::queued:
      --hosts[state.host].queued;
      [[fallthrough]];
    case PageStatus::resting:
      groups[state.group].pages.erase(pages, page);
      announce_overdue(state.group);
      break;
    case PageStatus::backing_off:
      backing_off.erase(page);
      count_demand(page, +1);
      break;
    case PageStatus::in_flight:
    case PageStatus::absent:
      break;
  }
}

void Scheduler::State::drop_outdated(Host& host) {
  while (!host.heap.empty()) {
    const auto& top = host.heap.top();
    const PageState& page = pages[top.value];
    if (page.status == PageStatus::queued && &hosts[page.host] == &host && page.tag == top.key)
      return;
    host.heap.pop();
  }
}

void Scheduler::State::forget_lag(Host& host) {
  if (absolute()) return;
  drop_outdated(host);
  if (host.heap.empty()) return;
  const double lag = clock - (host.heap.top().key + host.offset);
  if (lag > host_catch_up) host.offset += lag - host_catch_up;
}

void Scheduler::State::announce_ready(std::uint32_t h) {
  Host& host = hosts[h];
  drop_outdated(host);
  if (host.heap.empty()) return;
  const double key = host.heap.top().key + host.offset;
  if (host.listed && host.announced == key) return;
  host.listed = true;
  host.announced = key;
  ready.push(key, h);
  if (ready.size() > 2 * hosts.size() + slack_entries) {
    ready.keep_if(
        [&](const auto& e) { return hosts[e.value].listed && hosts[e.value].announced == e.key; });
  }
}

void Scheduler::State::announce_overdue(std::uint32_t g) {
  Group& group = groups[g];
  if (group.pages.empty()) {
    group.announced_overdue = Instant::max();
    return;
  }
  const Instant due = must_start_by(group, group.pages.front());
  if (due == group.announced_overdue) return;
  group.announced_overdue = due;
  overdue.push(due, g);
  if (overdue.size() > 2 * groups.size() + slack_entries) {
    overdue.keep_if([&](const auto& e) { return groups[e.value].announced_overdue == e.key; });
  }
}

void Scheduler::State::announce_host(std::uint32_t h, Instant now) {
  if (!free(hosts[h], now)) return;
  announce_ready(h);
  looks.host_is_free(h);
  for (std::uint32_t g = hosts[h].first_group; g != none; g = groups[g].next_of_host)
    announce_overdue(g);
}

void Scheduler::State::wake_when_ready(std::uint32_t h, Instant now) {
  if (hosts[h].ready_at() > now) {
    wakes.push(hosts[h].ready_at(), h);
  } else {
    announce_host(h, now);
  }
}

void Scheduler::State::follow_moves(Instant now) {
  for (const PageSlot slot : policy.take_moved()) {
    const std::uint32_t page = index(slot);
    if (page >= pages.size()) continue;
    PageState& state = pages[page];
    if (state.status == PageStatus::absent || state.status == PageStatus::in_flight) continue;
    state.tag = next_tag(page);
    if (state.status != PageStatus::queued) continue;  // it is queued with its tag when it wakes
    --hosts[state.host].queued;
    queue(page, now);
  }
}

void Scheduler::State::wake_up(Instant now) {
  while (!wakes.empty() && wakes.top().key <= now) {
    const std::uint32_t host = wakes.top().value;
    wakes.pop();
    announce_host(host, now);
  }
  while (!back_offs.empty() && back_offs.top().key <= now) {
    const auto [at, page] = back_offs.top();
    back_offs.pop();
    const auto found = backing_off.find(page);
    if (found == backing_off.end() || found->second != at) continue;
    backing_off.erase(found);
    count_demand(page, +1);
    queue_or_rest(page, now);
  }
  while (!rests.empty() && rests.top().key <= now) {
    const std::uint32_t g = rests.top().value;
    rests.pop();
    groups[g].rest_announced = false;
    for (std::uint32_t page = groups[g].pages.first_resting(); page != none;
         page = groups[g].pages.first_resting()) {
      const Instant rested = pages[page].last_start + groups[g].limits.min_interval;
      if (rested > now) {
        groups[g].rest_announced = true;
        rests.push(rested, g);
        break;
      }
      groups[g].pages.advance_resting(pages);
      queue(page, now);
      const std::uint32_t host = pages[page].host;
      if (looks.rest_is_over(page, host) && free(hosts[host], now)) looks.host_is_free(host);
    }
    announce_overdue(g);
  }
}

std::optional<std::uint32_t> Scheduler::State::most_overdue(Instant now, Instant before) {
  while (!overdue.empty()) {
    const auto [due, g] = overdue.top();
    Group& group = groups[g];
    if (due > before) return std::nullopt;
    if (group.announced_overdue != due) {
      overdue.pop();
      continue;
    }
    // Held back by its host or by min_interval: it is announced again when that ends.
    const bool can_go = free(hosts[group.host], now) && !group.pages.empty() &&
                        pages[group.pages.front()].status == PageStatus::queued;
    if (can_go && must_start_by(group, group.pages.front()) == due) {
      forget_lag(hosts[group.host]);
      return group.pages.front();
    }
    overdue.pop();
    group.announced_overdue = Instant::max();
    if (can_go) announce_overdue(g);  // limits or stretch have changed since
  }
  return std::nullopt;
}

std::optional<std::uint32_t> Scheduler::State::smallest_tag(Instant now) {
  while (!ready.empty()) {
    const auto [key, h] = ready.top();
    Host& host = hosts[h];
    const bool current = host.listed && host.announced == key;
    ready.pop();
    if (!current) continue;
    host.listed = false;
    if (!free(host, now)) continue;  // announced again when it is
    drop_outdated(host);
    if (host.heap.empty()) continue;
    const double present = host.heap.top().key + host.offset;
    if (present != key) {
      announce_ready(h);
      continue;
    }
    const std::uint32_t page = host.heap.top().value;
    forget_lag(host);
    if (!absolute()) clock = std::max({clock, key, std::min(clock + 1, key + clock_lead)});
    if (const auto quicker = late_quick_page(key, now)) {
      announce_ready(h);
      Host& its = hosts[pages[*quicker].host];
      its.clock = std::max(its.clock, pages[*quicker].tag);
      return quicker;
    }
    host.clock = std::max(host.clock, pages[page].tag);
    host.heap.pop();
    prefetch_next(host);
    return page;
  }
  return std::nullopt;
}

void Scheduler::State::forget_looks(std::uint32_t page) {
  looks.forget(page);
  for (const learn::Look& look : policy.take_looks()) proposed.push_back(look);
  std::erase_if(proposed, [page](const learn::Look& look) {
    return index(look.page) == page || index(look.because) == page;
  });
}

void Scheduler::State::hear_of_looks(Instant now) {
  if (!proposed.empty()) {
    for (const learn::Look& look : std::exchange(proposed, {})) hear_of(look, now);
  }
  const std::vector<learn::Look> wanted = policy.take_looks();
  for (const learn::Look& look : wanted) {
    if (index(look.page) < pages.size()) __builtin_prefetch(&pages[index(look.page)]);
  }
  for (const learn::Look& look : wanted) hear_of(look, now);
}

void Scheduler::State::hear_of(const learn::Look& look, Instant now) {
  const std::uint32_t page = index(look.page);
  if (follow <= 0 || page >= pages.size() || pages[page].status == PageStatus::absent) return;
  const std::uint32_t host = pages[page].host;
  looks.add(host, look);
  if (free(hosts[host], now)) looks.host_is_free(host);
}

// A page at rest keeps its look until the rest is over; one that is backing off, or is being polled
// by now, loses it.
std::optional<learn::Look> Scheduler::State::best_look(Instant now) {
  while (const auto host = looks.best_host()) {
    if (!free(hosts[*host], now)) {
      looks.host_is_busy(*host);  // announced again when it is free
      continue;
    }
    const std::optional<learn::Look> look = looks.take(*host);
    if (!look || !policy.still_wanted(*look)) continue;
    const PageState& state = pages[index(look->page)];
    if (state.status == PageStatus::resting) looks.put_off(*look);
    if (state.status != PageStatus::queued || state.host != *host) continue;
    forget_lag(hosts[*host]);
    if (const learn::Look* after = looks.best(*host)) {
      __builtin_prefetch(&pages[index(after->page)], 1);
      policy.prefetch(after->page);
    }
    return look;
  }
  return std::nullopt;
}

// Nearly all of a decision among a million pages is waiting for memory, so what the next one will
// read is asked for now: the state of those that may be next, and around the one on top its
// neighbours in its group and what the policy knows.
void Scheduler::State::prefetch_next(const Host& host) const {
  const auto candidates = host.heap.candidates();
  if (candidates.empty()) return;
  for (const auto& entry : candidates) __builtin_prefetch(&pages[entry.value], 1);
  const std::uint32_t top = candidates.front().value;
  policy.prefetch(PageSlot{top});
  for (const std::uint32_t beside : {pages[top].previous, pages[top].next}) {
    if (beside != none) __builtin_prefetch(&pages[beside], 1);
  }
}

std::optional<std::uint32_t> Scheduler::State::late_quick_page(double key, Instant now) const {
  std::optional<std::uint32_t> latest;
  double lateness = (clock - key) / QuickPages::period_of_others;
  for (const auto& [page, period, polled] : quick.entries()) {
    const PageState& state = pages[page];
    const Host& host = hosts[state.host];
    const double late = (clock - (state.tag + host.offset)) / static_cast<double>(period);
    if (late < lateness || state.status != PageStatus::queued || !free(host, now)) continue;
    // All pages of a host held back are late; it serves them in the order of their tags.
    if (clock - (host.heap.top().key + host.offset) > clock_lead) continue;
    lateness = late;
    latest = page;
  }
  return latest;
}

std::optional<std::uint32_t> Scheduler::State::starving_quick_page(Instant now) {
  for (const auto& [page, period, polled] : quick.entries()) {
    if (static_cast<double>(polls - polled) * follow < static_cast<double>(period)) continue;
    Host& host = hosts[pages[page].host];
    if (pages[page].status != PageStatus::queued || !free(host, now)) continue;
    host.clock = std::max(host.clock, pages[page].tag);
    return page;
  }
  return std::nullopt;
}

void Scheduler::State::take(std::uint32_t page, Instant now) {
  PageState& state = pages[page];
  Host& host = hosts[state.host];
  detach(page);
  state.status = PageStatus::in_flight;
  state.last_start = now;
  ++host.in_flight;
  ++host.unsent;
  host.guest_was_last = false;
  if (free(host, now)) announce_ready(state.host);
}

void Scheduler::State::measure_clock(Instant now) {
  constexpr Duration every = std::chrono::seconds(1);
  if (measured_at == Instant::min()) {
    clock_rate = std::isfinite(budget) ? budget : 0;
  } else if (now - measured_at < every) {
    return;
  } else {
    const double measured = (clock - measured_clock) / to_seconds(now - measured_at);
    clock_rate = clock_rate > 0 ? 0.9 * clock_rate + 0.1 * measured : measured;
  }
  measured_at = now;
  measured_clock = clock;
}

}  // namespace pollux::schedule

// The part of the poll loop that keeps the places: who is under way, where, and who may join.
#include "engine/poll_loop.hpp"

#include <algorithm>
#include <utility>

namespace pollux::engine {

void PollLoop::set_fetches(const concurrency::ControllerOptions& fetches) {
  options_.fetches = fetches;
  controller_.set_limits(fetches, parts_.clock.now());
  make_places();
}

// One for every fetch that may be out and every body that may wait.
void PollLoop::make_places() {
  const concurrency::ControllerOptions& fetches = options_.fetches;
  const std::size_t most =
      std::max({fetches.fixed, fetches.most, fetches.most_if_slow}) + most_waiting;
  for (std::size_t i = flights_.size(); i < most; ++i) {
    flights_.emplace_back();
    free_flights_.push_back(static_cast<std::uint32_t>(i));
  }
}

std::uint32_t PollLoop::take_flight(Instant now) {
  const std::uint32_t index = free_flights_.back();
  free_flights_.pop_back();
  ++flights_in_use_;
  controller_.started(now);
  Flight& flight = flights_[index];
  const std::uint32_t generation = flight.generation + 1;
  flight = {};
  flight.generation = generation;
  flight.in_use = true;
  return index;
}

void PollLoop::end_flight(std::uint32_t index, Instant now) {
  Flight& flight = flights_[index];
  if (std::exchange(flight.resolving, false)) --resolving_;
  if (flight.detecting) {
    controller_.detected(now);
  } else if (flight.started == Instant{}) {
    controller_.withdrawn(now);
  } else {
    controller_.returned(now, now - flight.started);
  }
  ++turns_;
  flight.in_use = false;
  flight.answer = {};
  free_flights_.push_back(index);
  --flights_in_use_;
  request_turn();
}

void PollLoop::forget(PageSlot page) {
  if (!parts_.pages[page].in_flight) return;
  for (Flight& flight : flights_) {
    if (flight.in_use && !flight.errand && flight.page == page) flight.orphan = true;
  }
}

fetch::Token PollLoop::token_of(std::uint32_t index) const {
  return fetch::Token{(static_cast<std::uint64_t>(flights_[index].generation) << 32) | index};
}

PollLoop::Flight* PollLoop::find(fetch::Token token) {
  const auto raw = static_cast<std::uint64_t>(token);
  const std::size_t index = raw & 0xffffffffu;
  if (index >= flights_.size() || !flights_[index].in_use ||
      flights_[index].generation != raw >> 32)
    return nullptr;
  return &flights_[index];
}

// Hosts that only redirects lead to are kept in a small pool, so that a server which invents names
// cannot fill memory or database. nullopt: all of them are busy.
std::optional<HostSlot> PollLoop::host_slot(const std::string& name, Instant now) {
  if (const auto known = parts_.hosts.find(name)) return *known;
  const auto unused = [&](HostSlot slot) {
    return std::none_of(flights_.begin(), flights_.end(), [&](const Flight& f) {
      return f.in_use && (f.host == slot || (f.errand && f.robots_of == slot));
    });
  };
  const auto idle = [&](HostSlot slot) {
    return parts_.scheduler.host_ready_at(slot) <= now && unused(slot);
  };
  std::optional<HostSlot> added = parts_.hosts.add_passing(name, idle);
  // A server that asks to be left alone for a day must not keep its place for a day.
  if (!added) added = parts_.hosts.add_passing(name, unused);
  if (added) parts_.scheduler.add_host(*added, parts_.config.politeness(name));
  return added;
}

}  // namespace pollux::engine

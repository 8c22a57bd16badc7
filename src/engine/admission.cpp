#include "engine/admission.hpp"

#include <algorithm>
#include <utility>

namespace pollux::engine {

Instant Admission::next_prepare(Instant now) {
  if (budget_.over(now)) return Instant::max();
  if (budget_.unlimited()) return Instant::min();
  while (!promises_.empty() && promises_.front().ends <= now) {
    Flight* flight = flights_.find(promises_.front().flight);
    if (flight && flight->stage == Stage::preparing) withdraw(*flight);
    promises_.pop_front();
  }
  // Ahead of its time, because it will not be ready at once.
  const Instant at = budget_.next_allowed(now, promised_ + flights_.ready_count()) - lasts_;
  if (promises_.empty()) return at;
  return std::min(at, std::max(promises_.front().ends, budget_.next_allowed() - lasts_));
}

Instant Admission::may_wait_until() const {
  const Instant starts = budget_.can_wait_until(promised_ + flights_.ready_count());
  return starts == Instant::min() ? starts : starts - preparation_;
}

void Admission::promise(Flight& flight, Instant now) {
  if (budget_.unlimited()) return;
  flight.promised = true;
  ++promised_;
  promises_.push_back({now + lasts_, flights_.token(flight)});
}

void Admission::ready(Flight& flight, Instant now) {
  withdraw(flight);
  // One of sixteen: a few that are slow, or quick by a kept connection, are not all.
  preparation_ += (std::min(now - flight.waiting_since, most_lasts) - preparation_) / 16;
  lasts_ = std::clamp(2 * preparation_, least_lasts, most_lasts);
}

void Admission::withdraw(Flight& flight) {
  if (std::exchange(flight.promised, false)) --promised_;
}

void Admission::send(Flight& flight, Instant now) {
  withdraw(flight);
  budget_.take(now, flight.price);
}

}  // namespace pollux::engine

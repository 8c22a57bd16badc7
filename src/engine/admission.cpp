#include "engine/admission.hpp"

#include <algorithm>
#include <utility>

namespace pollux::engine {

Instant Admission::next_prepare(Instant now) {
  while (!promises_.empty() && promises_.front().ends <= now) {
    Flight* flight = flights_.find(promises_.front().flight);
    if (flight && flight->stage == Stage::preparing) withdraw(*flight);
    promises_.pop_front();
  }
  const Instant at = budget_.next_allowed(now, promised_ + flights_.ready_count());
  if (promises_.empty()) return at;
  return std::min(at, std::max(promises_.front().ends, budget_.next_allowed()));
}

void Admission::promise(Flight& flight, Instant now) {
  if (budget_.unlimited()) return;
  flight.promised = true;
  ++promised_;
  promises_.push_back({now + promise_lasts, flights_.token(flight)});
}

void Admission::withdraw(Flight& flight) {
  if (std::exchange(flight.promised, false)) --promised_;
}

void Admission::send(Flight& flight, Instant now) {
  withdraw(flight);
  budget_.take(now);
}

}  // namespace pollux::engine

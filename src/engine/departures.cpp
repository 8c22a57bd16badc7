#include "engine/departures.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace pollux::engine {

void Departures::wait(Flight& flight, Instant host_ready, Instant now) {
  flight.waiting_since = now;
  Instant ready = std::max(admission_.next_send(now), now);
  if (host_ready != Instant::max())
    ready = std::max(ready, std::min(host_ready, now + longest_wait_));
  flight.give_up_at = ready == Instant::max() ? ready : flight.deadline + (ready - now);
  flights_.move(flight, Stage::waiting);
}

Instant Departures::next(Instant eligible, Instant now) {
  const Instant prepares = std::max(eligible, admission_.next_prepare(now));
  return flights_.ready_count() > 0 ? std::min(prepares, admission_.next_send(now)) : prepares;
}

void Departures::prepare(Flight& flight, fetch::Request request, Hold hold, Instant now) {
  strangers_.depart(flight);
  flight.waiting_since = now;
  request.token = flights_.token(flight);
  request.send_when_ready = hold == Hold::no;
  if (hold == Hold::no) {
    pay(flight, now);
  } else {
    admission_.promise(flight, now);
    flights_.move(flight, Stage::preparing);
  }
  fetcher_->start(std::move(request));
}

bool Departures::ready(Flight& flight, Instant now) {
  admission_.ready(flight, now);
  flight.waiting_since = now;
  flights_.move(flight, Stage::ready);
  return flights_.first_ready() == flights_.token(flight);
}

void Departures::send_ready(Instant now) {
  while (admission_.may_send(now)) {
    const std::optional<fetch::Token> token = flights_.first_ready();
    if (!token) return;
    Flight& flight = *flights_.find(*token);
    // The time-out is for the server: neither our politeness nor our budget use it up.
    flight.deadline += now - flight.waiting_since;
    pay(flight, now);
    fetcher_->send(*token);
  }
}

void Departures::pay(Flight& flight, Instant now) {
  flight.asked = now;
  admission_.send(flight, now);
  sent_(flight, now);
  flights_.move(flight, Stage::sent);
}

void Departures::give_up(Flight& flight) {
  if (flight.stage == Stage::ready) flights_.move(flight, Stage::preparing);
  fetcher_->cancel(flights_.token(flight));
}

void Departures::give_up_all() {
  flights_.for_each([this](Flight& flight) {
    if (flight.stage == Stage::preparing || flight.stage == Stage::ready) give_up(flight);
  });
}

void Departures::forget(PageSlot page) {
  flights_.for_each([&](Flight& flight) {
    if (!flight.is_page() || flight.page != page) return;
    flight.page_gone = true;
    if (flight.stage == Stage::ready) give_up(flight);
  });
}

void Departures::ended(Flight& flight, const fetch::Response& response) {
  admission_.withdraw(flight);
  strangers_.arrive(flight, response);
}

}  // namespace pollux::engine

#include "engine/robots_requests.hpp"

#include "engine/answer_text.hpp"
#include "pollux/base/text.hpp"
#include "pollux/robots_txt/robots_txt.hpp"

#include <utility>

namespace pollux::engine {

void RobotsRequests::begin_flight(Flight& flight, HostSlot host, std::string_view url) {
  flight.kind = FlightKind::robots_txt;
  flight.host = flight.robots_of = host;
  flight.url = robots_txt::robots_txt_url(url);
  begin(host);
}

void RobotsRequests::finish(Flight& flight, std::string error, const Moment& moment, Rng& rng) {
  fetch::Response& answer = flight.answer;
  const HostSlot host = flight.robots_of;
  RobotsBook::Outcome outcome;
  outcome.status = answer.status;
  outcome.retry_after = answer.retry_after;
  outcome.not_asked = answer.failure == fetch::Failure::address_refused;
  outcome.text = std::move(flight.text) + answer.body;
  outcome.error = failure_of(answer);
  if (outcome.error.empty() && answer.status == 0) outcome.error = std::move(error);
  if (answer.retry_after) {
    const Instant until = moment.now + *answer.retry_after;
    hosts_.note_block(flight.host, until);
    scheduler_.block_host(flight.host, until);
  }
  learn(host, outcome, moment.now, rng);
  if (hosts_[host].passing) return;
  store::Batch batch;
  batch.robots.push_back(row(host, moment));
  sink_.submit(std::move(batch));
}

std::string RobotsRequests::refusal(const Flight& flight, Instant now, Rng& rng) {
  switch (check(flight.host, flight.url, now)) {
    case Answer::allowed:
      break;
    case Answer::denied:
      return "redirect refused: " + printable_url(flight.url) + ": " +
             denial(flight.host, now, rng).reason;
    case Answer::ask:
      return "redirect refused: no room to ask for the robots.txt of " + printable_url(flight.url);
  }
  return {};
}

}  // namespace pollux::engine

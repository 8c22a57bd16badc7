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
  // A redirect to the wrong scheme must not decide what the host's own pages get to read.
  const HostRecord& record = manners_.hosts[host];
  if (!record.passing) flight.url.replace(0, flight.url.find(':'), record.https ? "https" : "http");
  begin(host);
}

void RobotsRequests::finish(Flight& flight, std::string error, std::string_view whose,
                            const Moment& moment, Rng& rng) {
  fetch::Response& answer = flight.answer;
  const HostSlot host = flight.robots_of;
  RobotsBook::Outcome outcome;
  outcome.status = answer.status;
  outcome.retry_after = answer.retry_after;
  outcome.not_asked = answer.failure == fetch::Failure::address_refused;
  outcome.text = std::move(flight.text) + answer.body;
  outcome.error = failure_of(answer);
  if (outcome.error.empty() && answer.status == 0) outcome.error = std::move(error);
  const bool passing = manners_.hosts[host].passing;
  outcome.for_a_redirect = flight.payer.has_value() && !passing;
  if (answer.retry_after)
    manners_.asked_to_wait(flight, *answer.retry_after, whose.empty() ? flight.url : whose,
                           moment.now);
  learn(host, outcome, moment.now, rng);
  // Nothing is kept of a host that has no page in the list; but it may have had one, and what it
  // said then must not come into force again.
  if (passing && !manners_.hosts[host].robots.error.view().empty()) return;
  store::Batch batch;
  batch.hosts = manners_.hosts.take_urgent(moment);
  batch.robots.push_back(row(host, moment));
  batch.robots.back().only_instead = passing;
  sink_.submit(std::move(batch));
}

std::optional<End> RobotsRequests::refusal(const Flight& flight, Instant now, Rng& rng) {
  End end;
  switch (check(flight.host, flight.url, now)) {
    case Answer::allowed:
      return {};
    case Answer::denied:
      end.error = "redirect refused: " + printable_url(flight.url) + ": " +
                  denial(flight.host, now, rng).reason;
      // The host's own pages need not wait as long: see Manners. This one has to.
      if (const Instant until = manners_.hosts[flight.host].robots.asked_to_wait_until; until > now)
        end.wait = until - now;
      break;
    case Answer::ask:
      end.error =
          "redirect refused: no room to ask for the robots.txt of " + printable_url(flight.url);
      break;
  }
  return end;
}

}  // namespace pollux::engine

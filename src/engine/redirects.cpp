#include "engine/redirects.hpp"

#include "pollux/base/text.hpp"

#include <optional>

namespace pollux::engine {

Result<Url> Redirects::check(const Flight& flight, const std::string& target) const {
  Result<Url> url = parse_url(target);
  if (!url.ok()) return Error{"redirect refused: " + url.error().message};
  if (flight.trail.hops >= options_.most_hops)
    return Error{"more than " + std::to_string(options_.most_hops) + " redirects"};
  if (flight.url.starts_with("https:") && !url->https && !config_.allow_downgrade)
    return Error{"redirect refused: from https to http, " + printable_url(target)};
  return url;
}

Result<Flight*> Redirects::payer_of(Flight& flight) const {
  Flight* payer = flight.payer ? flights_.find(*flight.payer) : &flight;
  if (!payer) return Error{"redirect refused: nobody waits for it any more"};
  if (payer->requests >= options_.most_requests) {
    return Error{"redirect refused: a poll may cause " + std::to_string(options_.most_requests) +
                 " requests at most"};
  }
  return payer;
}

bool Redirects::pay_for_robots(Flight& flight) const {
  if (flight.requests >= options_.most_requests) return false;
  ++flight.requests;
  return true;
}

Status Redirects::follow(Flight& flight, const std::string& target, Instant now) {
  const Result<Url> url = check(flight, target);
  if (!url.ok()) return url.error();
  const Result<Flight*> payer = payer_of(flight);
  if (!payer.ok()) {
    flight.answer = {};  // where it leads has not been seen: that is not an answer either
    return payer.error();
  }
  const int status = flight.answer.status;
  Trail& trail = flight.trail;
  trail.permanent = trail.permanent && (status == 301 || status == 308);
  if (trail.permanent) trail.moved_to = url->text;
  flight.cookies = std::move(flight.answer.cookies);
  flight.answer = {};
  ++trail.hops;
  // Validators belong to the page that gave them, not to whatever it redirects to today.
  flight.conditional = false;
  if (!same_origin(flight.url, url->text)) trail.left_origin = true;
  flight.url = url->text;
  const Result<HostSlot> host = host_for(url->host_port, now);
  if (!host.ok()) return host.error();
  flight.host = *host;
  ++(*payer)->requests;
  return success();
}

Result<HostSlot> Redirects::host_for(const std::string& name, Instant now) {
  std::optional<HostSlot> host = hosts_.find(name);
  if (!host) {
    const auto unused = [&](HostSlot slot) {
      return !flights_.any([&](const Flight& other) {
        return other.host == slot || (!other.is_page() && other.robots_of == slot);
      });
    };
    const auto idle = [&](HostSlot slot) {
      return scheduler_.host_ready_at(slot) <= now && unused(slot);
    };
    host = hosts_.add_passing(name, idle);
    // A server that asks to be left alone for a day must not keep its entry for a day.
    if (!host) host = hosts_.add_passing(name, unused);
    if (!host) return Error{"redirect refused: too many hosts at once"};
    scheduler_.add_host(*host, config_.politeness(name));
    if (const auto begun = hosts_.begun()) scheduler_.note_ended(*host, *begun);
  }
  // A hop that waits holds a flight that others could use: a host to which many pages lead, or
  // which leads to itself, may hold only a few.
  std::size_t waiting = 0;
  flights_.for_each_waiting([&](const Flight& other) { waiting += other.host == *host ? 1 : 0; });
  if (waiting >= options_.most_waiting_for_a_host)
    return Error{"redirect refused: too many others wait for " + name};
  const Instant ready = scheduler_.host_ready_at(*host);
  if (ready > now + options_.longest_wait && ready != Instant::max())
    return Error{"redirect refused: " + name + " asked us to wait"};
  return *host;
}

}  // namespace pollux::engine

#include "engine/starts.hpp"

#include "engine/notices.hpp"
#include "engine/poll_record.hpp"
#include "engine/requests.hpp"
#include "engine/second_try.hpp"

#include <algorithm>

namespace pollux::engine {
namespace {

constexpr Duration retry_at_full_agent = std::chrono::milliseconds(50);

Keep keep_for(const PageSettings& settings) {
  if (!settings.rules) return Keep::no;
  return needs_program(*settings.rules) ? Keep::for_program : Keep::for_look;
}

}  // namespace

std::optional<schedule::Choice> Starts::choose(bool look_is_soon, Instant now) {
  if (auto asked = asked_for_.next(parts_.pages, parts_.scheduler, now)) return asked;
  return look_is_soon ? std::nullopt : parts_.scheduler.next(now);
}

Starts::May Starts::check(const schedule::Choice& choice, Duration host_waits, Instant now) {
  PageRecord& page = parts_.pages[choice.page];
  const PageSettings& wanted = settings(page);
  const bool by_command = choice.reason == schedule::Reason::asked_for;
  if (is_rendered(wanted)) {
    if (!finds_renderer(choice, now)) return May::not_now;
  } else {
    host_waits = std::max(host_waits, agent_wait(page.host));
  }
  if (host_waits > Duration::zero()) return delay_host(choice, host_waits, now);
  if (keep_for(wanted) == Keep::for_program && !by_command && !programs_.has_room(page.host))
    return decline(choice, ProgramFlights::retry, now);

  switch (robots_.check(page.host, page.url.view(), now, &page.robots)) {
    case RobotsBook::Answer::denied:
      deny(choice, now);
      return May::not_now;
    case RobotsBook::Answer::ask:
      asked_for_.put_off(choice, parts_.scheduler, now);
      return May::robots_first;
    case RobotsBook::Answer::allowed:
      break;
  }
  return May::go;
}

// For agents that are gone, or have as many polls as they may have.
Duration Starts::agent_wait(HostSlot host) {
  if (!parts_.access_points) return {};
  if (!parts_.access_points->any_open()) return retry_without_agents;
  return parts_.access_points->has_room(host) ? Duration::zero() : retry_at_full_agent;
}

// It comes back in a moment, with every page of it where it was.
Starts::May Starts::delay_host(const schedule::Choice& choice, Duration wait, Instant now) {
  asked_for_.put_off(choice, parts_.scheduler, now);
  parts_.scheduler.delay_host(parts_.pages[choice.page].host, now + wait);
  return May::not_now;
}

Starts::May Starts::decline(const schedule::Choice& choice, Duration wait, Instant now) {
  parts_.scheduler.decline(choice, now, now + wait);
  return May::not_now;
}

// Where all browsers have as many pages as they may have, or there is none, the page is put back.
bool Starts::finds_renderer(const schedule::Choice& choice, Instant now) {
  PageRecord& page = parts_.pages[choice.page];
  const HasSecrets secrets = secrets_of(settings(page));
  renderer_ = renderers_.choose(page.host, secrets);
  renderers_.note(secrets, renderer_.room, now);
  const bool nobody = renderer_.room == agent::RenderRoom::none;
  const bool busy = renderer_.room == agent::RenderRoom::busy;
  if (!nobody && (!busy || choice.reason == schedule::Reason::asked_for)) return true;

  const Duration wait = nobody ? Renderers::retry : ProgramFlights::retry;
  decline(choice, wait, now);
  if (nobody && !page.unrendered && renderers_.is_trouble(secrets, now)) {
    page.unrendered = true;
    const Moment at = parts_.moment();
    log_.unrendered(page, at);
    parts_.sink.submit(unrendered_record(page, at.to_wall(now + wait)));
  }
  return false;
}

void Starts::deny(const schedule::Choice& choice, Instant now) {
  PageRecord& page = parts_.pages[choice.page];
  const Moment at = parts_.moment();
  const RobotsBook::Denial denial = robots_.denial(page.host, now, parts_.rng);
  parts_.scheduler.decline(choice, now, denial.until);
  log_.denied(page, denial, at);
  if (parts_.events && parts_.events->heard())
    parts_.events->denied(page, choice.reason, denial, at);
  const bool fails_now = denial.unreachable && page.error_streak == 0;
  store::PollRecord record = denied_record(page, denial, at);
  if (fails_now && !parts_.config.notify.empty())
    record.notices =
        denial_notices(parts_.config.notify, page, settings(page).importance, denial.reason, at);
  parts_.sink.submit(std::move(record));
}

void Starts::begin(Flight& flight, const schedule::Choice& choice, const Moment& at) {
  PageRecord& page = parts_.pages[choice.page];
  page.in_flight = true;
  page.denied = page.unrendered = false;
  begin_poll(flight, choice.page, page, parts_.hosts[page.host], settings(page), at);
  flight.keep = keep_for(settings(page));
  flight.reason = choice.reason;
  flight.sibling = choice.look;
  if (choice.look) flight.sibling_id = parts_.pages[choice.look->because].id;
  if (flight.keep == Keep::for_program) programs_.begin(*(flight.program_host = page.host));
  flight.rendered = is_rendered(settings(page));
  if (!flight.rendered) return choose_access_point(flight, {});
  flight.price = parts_.config.render.price;
  renderers_.place(flight, renderer_);
}

void Starts::end(Flight& flight) {
  if (flight.program_host) programs_.end(*flight.program_host);
  renderers_.end(flight);
}

void Starts::choose_access_point(Flight& flight, std::optional<fetch::AccessPointId> like) {
  if (flight.rendered)
    return renderers_.place(flight, renderers_.choose(flight.host, flight.secrets, like));
  if (parts_.access_points)
    flight.access_point = parts_.access_points->choose(flight.host, like, flight.secrets);
}

bool Starts::try_again(Flight& flight) {
  const int streak = flight.is_page() ? parts_.pages[flight.page].error_streak : 0;
  return engine::try_again(flight, parts_.access_points, renderers_, streak);
}

}  // namespace pollux::engine

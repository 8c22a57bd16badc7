// The part of the poll loop that is about being a polite guest. robots.txt is fetched by an errand:
// a flight without a page, paid for and polite like any request, while the pages of its host wait.
#include "engine/adaptive_pause.hpp"
#include "engine/answer_text.hpp"
#include "engine/poll_loop.hpp"
#include "pollux/base/text.hpp"
#include "pollux/robots_txt/robots_txt.hpp"

#include <algorithm>
#include <utility>

#include <spdlog/spdlog.h>

namespace pollux::engine {

// The page was due, but may not be polled: it costs nobody anything, teaches nothing, and comes
// back when robots.txt is read again.
void PollLoop::deny(const schedule::Choice& choice, Instant now) {
  const Moment moment{now, parts_.clock.wall()};
  PageRecord& page = parts_.pages[choice.page];
  const RobotsBook::Denial denial = robots_.denial(page.host, now, parts_.rng);
  parts_.scheduler.decline(choice, now, denial.until);
  page.denied = !denial.unreachable;
  if (denial.unreachable) {
    ++page.errors;
    page.error_streak = static_cast<std::uint16_t>(std::min(page.error_streak + 1, 65535));
  }
  store::PollRecord record;
  record.page = page.id;
  record.note = store::PageNote{.errors = page.errors,
                                .error_streak = page.error_streak,
                                .last_error = denial.reason,
                                .retry_at = moment.to_wall(denial.until),
                                .next_due_at = moment.to_wall(denial.until)};
  parts_.writer.submit(std::move(record));
}

// Nothing happens when it is under way already, or when every place is taken.
void PollLoop::ask_robots(HostSlot host, std::string_view url, Instant now,
                          std::optional<std::uint32_t> hop_before) {
  if (robots_.asking(host) || free_flights_.empty()) return;
  const std::uint32_t index = take_flight(now);
  Flight& flight = flights_[index];
  flight.errand = true;
  flight.host = flight.robots_of = host;
  flight.deadline = now + parts_.config.settings.front().timeout;
  flight.url = robots_txt::robots_txt_url(url);
  if (parts_.ways) flight.way = parts_.ways->choose(host, hop_before);
  robots_.begin(host);
  wait_for_turn(index, now);
  if (flight.resolving && resolving_ > most_resolving()) {
    std::erase(waiting_, index);
    robots_.give_up(host, now);
    parts_.scheduler.delay_host(host, now + too_many_names);
    end_flight(index, now);
  }
}

void PollLoop::end_errand(std::uint32_t index, std::string error) {
  Flight& flight = flights_[index];
  fetch::Response& answer = flight.answer;
  const HostSlot host = flight.robots_of;
  const Moment moment{parts_.clock.now(), parts_.clock.wall()};
  if (stopping_ && (!error.empty() || answer.failure == fetch::Failure::cancelled)) {
    robots_.give_up(host, moment.now);
    return end_flight(index, moment.now);
  }
  RobotsBook::Outcome outcome;
  outcome.status = answer.status;
  outcome.retry_after = answer.retry_after;
  outcome.not_asked = answer.failure == fetch::Failure::address_refused;
  outcome.text = std::move(flight.text) + answer.body;
  outcome.error = failure_of(answer);
  if (outcome.error.empty() && answer.status == 0) outcome.error = std::move(error);
  if (answer.retry_after) {
    HostRecord& asked = parts_.hosts[flight.host];
    asked.blocked_until = moment.now + *answer.retry_after;
    parts_.hosts.mark(flight.host);
    parts_.scheduler.block_host(flight.host, *asked.blocked_until);
  }
  robots_.learn(host, outcome, moment.now, parts_.rng);
  if (!parts_.hosts[host].passing) {
    store::Batch batch;
    batch.robots.push_back(robots_.row(host, moment));
    parts_.writer.submit(std::move(batch));
  }
  end_flight(index, moment.now);
}

// Whether a redirect may be followed to where it leads.
PollLoop::Permission PollLoop::permission(Flight& flight, Instant now, std::string& refusal) {
  if (robots_.asking(flight.host)) return Permission::awaited;
  flight.unchecked = false;
  switch (robots_.check(flight.host, flight.url, now)) {
    case RobotsBook::Answer::allowed:
      return Permission::granted;
    case RobotsBook::Answer::denied:
      refusal = "redirect refused: " + printable_url(flight.url) + ": " +
                robots_.denial(flight.host, now, parts_.rng).reason;
      break;
    case RobotsBook::Answer::ask:
      refusal =
          "redirect refused: no place to ask for the robots.txt of " + printable_url(flight.url);
      break;
  }
  return Permission::refused;
}

// A server that takes its time gets its time.
void PollLoop::pace(HostSlot slot, const fetch::Response& response, Instant now) {
  switch (response.failure) {
    case fetch::Failure::dns:
    case fetch::Failure::address_refused:
    case fetch::Failure::cancelled:
    case fetch::Failure::internal:
      return;  // it was not asked
    default:
      break;
  }
  HostRecord& host = parts_.hosts[slot];
  const config::HostSettings& wanted = parts_.config.politeness(host.name);
  host.response_time = smoothed_response(host.response_time, response.elapsed);
  const Duration pause = adaptive_pause(wanted, host.response_time);
  host.pause = std::max(pause, polite_towards(wanted, host.robots).delay);
  if (pause > wanted.delay) parts_.scheduler.delay_host(slot, now + pause);
}

// Reported once; the page is polled on where the list has it.
void PollLoop::note_move(PageRecord& page, const Flight& flight, bool conclusive) {
  if (page.moved_to.view() == flight.moved_to || (!conclusive && flight.moved_to.empty())) return;
  page.moved_to = flight.moved_to;
  if (flight.moved_to.empty()) return;
  spdlog::warn("moved for good: {} is now {}; the list should say so",
               printable_url(page.url.view()), printable_url(flight.moved_to));
}

// How long the answer may be relied on, if the user wants that. The longest interval is a promise
// to the user and goes before the server's wish.
std::optional<Instant> PollLoop::fresh_until(PageRecord& page, const Flight& flight) const {
  const config::PageSettings& wanted = settings(page);
  page.resting_fresh = wanted.respect_cache && flight.answer.fresh_for;
  if (!page.resting_fresh) return std::nullopt;
  return flight.asked + std::min(*flight.answer.fresh_for, wanted.limits.max_interval);
}

}  // namespace pollux::engine

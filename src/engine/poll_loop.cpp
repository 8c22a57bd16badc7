#include "engine/poll_loop.hpp"

#include "engine/poll_record.hpp"
#include "engine/requests.hpp"
#include "engine/second_look.hpp"
#include "engine/second_try.hpp"
#include "pollux/base/text.hpp"

#include <algorithm>
#include <cassert>

namespace pollux::engine {
namespace {

constexpr Duration longest_sleep = std::chrono::seconds(1);  // a sign of life at least this often
constexpr Duration retry_when_full = std::chrono::milliseconds(20);
constexpr Duration retry_program = std::chrono::milliseconds(250);
constexpr int most_declined = 256;  // in one turn: the other handlers want theirs, too

}  // namespace

PollLoop::PollLoop(const Parts& parts, const PollLoopOptions& options,
                   const Hasher::Maker& make_hasher)
    : parts_(parts),
      options_(options),
      admission_(parts.budget, flights_),
      strangers_(parts.hosts),
      robots_(parts.config, parts.hosts, parts.scheduler, parts.sink, options.robots),
      missing_(parts.config, parts.hosts, parts.scheduler),
      redirects_(parts.config, parts.hosts, parts.scheduler, flights_, options.redirects),
      controller_(options.fetches),
      credit_(parts.loop, [this](fetch::Token token,
                                 std::size_t bytes) { state_.fetcher->grant(token, bytes); }),
      timer_(parts.loop.make_timer()) {
  hasher_ = make_hasher(
      {.hashed = [this](fetch::Token token,
                        HashedBody body) { examine(detecting(token), std::move(body)); },
       .looked =
           [this](fetch::Token token, Look look) {
             Flight& flight = detecting(token);
             if (look.dropped) return let_go(flight);
             auto kept = std::make_unique<Look>(std::move(look));
             conclude(flight, {.body = flight.body_hash, .look = std::move(kept)});
           },
       .room = [this] { request_turn(); },
       .served = [this](std::size_t bodies,
                        double seconds) { controller_.served(bodies, seconds); }});
  set_fetches(options.fetches);
}

void PollLoop::begin(fetch::Fetcher& fetcher) {
  state_.fetcher = &fetcher;
  request_turn();
}

// --- One turn: what waits, what is ready, then new polls, then sleep until something can change.

void PollLoop::turn() {
  state_.owner.check();
  const Instant now = parts_.clock.now();
  robots_.begin_turn();
  controller_.pass(now);
  if (controller_.may_start()) ++state_.turns;
  resume_waiting(now);
  send_ready(now);
  start_new(now);
  if (state_.on_idle && flights_.in_use() == 0) std::exchange(state_.on_idle, nullptr)();
  arm(now);
}

void PollLoop::start_new(Instant now) {
  for (int declined = 0; can_start(now);) {
    const std::optional<schedule::Choice> choice = choose(now);
    if (!choice) break;
    const bool goes_on = start(*choice, now) == Started::yes || ++declined < most_declined;
    if (goes_on && !robots_.tired()) continue;
    request_turn();
    break;
  }
}

bool PollLoop::can_start(Instant now) {
  const bool room = !hasher_->full() && !parts_.sink.full() && admission_.may_prepare(now);
  if (state_.stopping || !state_.fetcher || !room || !flights_.has_room()) return false;
  return controller_.may_start() || controller_.grow(behind());
}

// What somebody asked for goes before what the shares say.
std::optional<schedule::Choice> PollLoop::choose(Instant now) {
  if (auto asked = state_.asked_for.next(parts_.pages, parts_.scheduler, now)) return asked;
  return parts_.scheduler.next(now);
}

PollLoop::Started PollLoop::start(const schedule::Choice& choice, Instant now) {
  PageRecord& page = parts_.pages[choice.page];
  if (const Duration wait = strangers_.wait(page.host, fetches_at_most());
      wait > Duration::zero()) {
    // Its host comes back in a moment, with every page of it where it was.
    state_.asked_for.put_off(choice, parts_.scheduler, now);
    parts_.scheduler.delay_host(page.host, now + wait);
    return Started::no;
  }
  const Keep keep = keep_for(parts_.settings[page.settings]);
  if (keep == Keep::for_program && choice.reason != schedule::Reason::asked_for &&
      !state_.programs.has_room(page.host)) {
    parts_.scheduler.decline(choice, now, now + retry_program);
    return Started::no;
  }
  switch (robots_.check(page.host, page.url.view(), now, &page.robots)) {
    case RobotsBook::Answer::denied:
      deny(choice, now);
      return Started::no;
    case RobotsBook::Answer::ask:
      state_.asked_for.put_off(choice, parts_.scheduler, now);
      ask_robots(page.host, page.url.view(), now, nullptr);
      return Started::yes;
    case RobotsBook::Answer::allowed:
      break;
  }
  page.in_flight = true;
  page.denied = false;
  if (choice.reason == schedule::Reason::explore) ++counts_.explored;

  controller_.started(now);
  Flight& flight = flights_.take();
  begin_poll(flight, choice.page, page, parts_.hosts[page.host],
             parts_.settings[page.settings].timeout, now);
  flight.keep = keep;
  if (keep == Keep::for_program) state_.programs.begin(*(flight.program_host = page.host));
  if (parts_.access_points) flight.access_point = parts_.access_points->choose(flight.host, {});
  prepare(flight, now);
  return Started::yes;
}

void PollLoop::deny(const schedule::Choice& choice, Instant now) {
  PageRecord& page = parts_.pages[choice.page];
  const RobotsBook::Denial denial = robots_.denial(page.host, now, parts_.rng);
  parts_.scheduler.decline(choice, now, denial.until);
  state_.log.denied(page, denial, moment());
  parts_.sink.submit(denied_record(page, denial, moment()));
}

// --- A request: prepared, then paid for, then sent. A connection of its host has been taken.

void PollLoop::prepare(Flight& flight, Instant now) {
  strangers_.depart(flight);
  flight.waiting_since = now;
  flight.text.clear();  // of an attempt that broke off
  flight.text_room.reset();
  fetch::Request request = flight.is_page()
                               ? page_request(flight, parts_.pages[flight.page], settings(flight),
                                              parts_.cookies, parts_.access_points, now)
                               : text_request(flight, parts_.config, parts_.access_points, now);
  request.token = flights_.token(flight);
  if (flight.keep != Keep::no) request.keep_in = hasher_->room(flight.keep);
  request.wants_modified = flight.is_page() && parts_.policy.wants_last_modified();
  request.send_when_ready = options_.send_when_ready && parts_.budget.unlimited() &&
                            !parts_.scheduler.spaced(flight.host);
  if (request.send_when_ready) {
    pay(flight, now);
    flights_.move(flight, Stage::sent);
  } else {
    admission_.promise(flight, now);
    flights_.move(flight, Stage::preparing);
  }
  state_.fetcher->start(std::move(request));
}

void PollLoop::on_ready(fetch::Token token) {
  state_.owner.check();
  Flight* flight = flights_.find(token);
  if (!flight || flight->stage != Stage::preparing) return;
  const Instant now = parts_.clock.now();
  admission_.ready(*flight, now);
  if (flight->page_gone || state_.stopping) return give_up(*flight);
  flight->waiting_since = now;
  flights_.move(*flight, Stage::ready);
  if (flights_.first_ready() != token) return;  // others were first
  send_ready(now);
  if (flights_.ready_count() > 0) arm(now);
}

// Before it is sent. Its end is on its way; meanwhile it does not stand among those that are ready.
void PollLoop::give_up(Flight& flight) {
  if (flight.stage == Stage::ready) flights_.move(flight, Stage::preparing);
  state_.fetcher->cancel(flights_.token(flight));
}

void PollLoop::send_ready(Instant now) {
  while (admission_.may_send(now)) {
    const std::optional<fetch::Token> token = flights_.first_ready();
    if (!token) return;
    Flight& flight = *flights_.find(*token);
    // The time-out is for the server: neither our politeness nor our budget use it up.
    flight.deadline += now - flight.waiting_since;
    pay(flight, now);
    flights_.move(flight, Stage::sent);
    state_.fetcher->send(*token);
  }
}

void PollLoop::pay(Flight& flight, Instant now) {
  flight.asked = now;
  admission_.send(flight, now);
  if (manners().sent(flight, now)) request_turn();
  ++counts_.requests;
  state_.looks.sent();
  if (flight.is_poll_start()) ++counts_.polls;
}

void PollLoop::on_piece(fetch::Token token, std::string piece) {
  Flight* flight = flights_.find(token);
  if (!flight) return;
  const std::size_t bytes = piece.size();
  if (!flight->is_page()) {
    if (!flight->text_room)
      flight->text_room =
          std::make_shared<CountedBytes>(state_.texts, static_cast<ByteRoom::Name>(token));
    flight->text_room->count(bytes);
    flight->text += piece;
    credit_.took(token, state_.texts, bytes);
    return;
  }
  hasher_->add_piece(token, std::move(piece), flight->keep);
  if (!credit_.took(token, hasher_->room(flight->keep), bytes)) controller_.overflowed();
}

// --- The answer: a redirect, a second try, a body to hash, or the end.

void PollLoop::on_done(fetch::Response response) {
  state_.owner.check();
  Flight* flight = flights_.find(response.token);
  assert(flight && flight->holds_host());
  const Instant now = parts_.clock.now();
  release(*flight, response, now);
  flight->answer = std::move(response);
  reap(*flight, now);
}

void PollLoop::release(Flight& flight, const fetch::Response& response, Instant now) {
  credit_.ended(response.token);
  admission_.withdraw(flight);
  manners().ended(flight, response, now);
  strangers_.arrive(flight, response);
  if (flight.access_point)
    parts_.access_points->note(flight.host, *flight.access_point, response, flight.attempt);
}

void PollLoop::reap(Flight& flight, Instant now) {
  fetch::Response& answer = flight.answer;
  const bool answered = answer.failure == fetch::Failure::none;
  if (answered && fetch::is_success(answer.status) && flight.is_page() && !flight.page_gone)
    return hash(flight, now);
  if (answer.body_bytes > 0 && flight.is_page() && !answer.body_hash)
    hasher_->abandon(answer.token);
  // Where a path that cannot exist leads to is another page of its host, and nothing to go by.
  const bool follows = !flight.page_gone && flight.kind != FlightKind::missing_page;
  if (answered && !answer.redirect_to.empty() && follows)
    return follow(flight, std::string(std::move(answer.redirect_to)), now);
  const int streak = flight.is_page() ? parts_.pages[flight.page].error_streak : 0;
  if (!flight.page_gone && !state_.stopping && try_again(flight, parts_.access_points, streak))
    return wait(flight, now);
  // No time to go through its own access point: that is no fault of the page either.
  if (state_.stopping && is_failed_probe(flight, parts_.access_points))
    answer.failure = fetch::Failure::cancelled;
  conclude(flight, {});
}

void PollLoop::hash(Flight& flight, Instant now) {
  fetch::Response& answer = flight.answer;
  if (hasher_->full()) controller_.overflowed();
  // With our own waits between its hops: they took the flight all the while.
  controller_.arrived(now, now - flight.started, answer.body_bytes);
  flights_.move(flight, Stage::hashing);
  if (answer.body_hash) return examine(flight, {*answer.body_hash, std::move(answer.kept_body)});
  hasher_->finish(answer.token, std::move(answer.body), flight.keep);  // → examine
}

// Bytes that are known need no look, nor do those that are all that counts.
void PollLoop::examine(Flight& flight, HashedBody body) {
  const PageRecord& page = parts_.pages[flight.page];
  // A look that is compared with others says something also when it is what was known.
  const bool known =
      page.has_hash && page.has_body_hash && page.body_hash == body.hash && flight.texts.empty();
  if (flight.page_gone || known || !settings(flight).rules)
    return conclude(flight, {.body = body.hash});
  // It was asked for before a reload wanted more than its bytes.
  if (!body.body) return let_go(flight);
  flight.body_hash = body.hash;
  if (needs_program(*settings(flight).rules)) {
    if (state_.stopping) return let_go(flight);
    controller_.detected(parts_.clock.now());
    flights_.move(flight, Stage::in_program);
  }
  LookTask task = look_task(flight, page, settings(flight), std::move(body.body));
  task.now = parts_.clock.wall();
  task.missing = missing_.answer(page.host, parts_.clock.now());
  hasher_->look(flights_.token(flight), std::move(task));  // → conclude
}

// Checked like any URL; it waits for the budget and for the politeness of its host.
void PollLoop::follow(Flight& flight, const std::string& target, Instant now) {
  const Status followed = redirects_.follow(flight, target, now);
  if (!followed.ok()) return conclude(flight, {.error = followed.error().message});
  if (parts_.access_points)
    flight.access_point = parts_.access_points->choose(flight.host, flight.access_point);
  if (flight.is_page()) {
    flight.robots_check = RobotsCheck::open;
    if (robots_.must_ask(flight.host, now))
      ask_robots(flight.host, flight.url, now, flight.trail.left_origin ? &flight : nullptr);
  }
  wait(flight, now);
}

// Nothing happens when it is under way already, or when there is no room. `hop`: the poll whose
// redirect leads to the host; it pays.
void PollLoop::ask_robots(HostSlot host, std::string_view url, Instant now, Flight* hop) {
  if (robots_.asking(host) || !flights_.has_room()) return;
  if (hop && !redirects_.pay_for_robots(*hop)) return;
  controller_.started(now);
  Flight& flight = flights_.take();
  robots_.begin_flight(flight, host, url);
  flight.deadline = now + parts_.config.settings.front().timeout;
  if (hop) flight.payer = flights_.token(*hop);
  if (parts_.access_points)
    flight.access_point =
        parts_.access_points->choose(host, hop ? hop->access_point : std::nullopt);
  wait(flight, now);
}

void PollLoop::wait(Flight& flight, Instant now) {
  flight.waiting_since = now;
  Instant ready = std::max(admission_.next_send(), now);
  if (const Instant host = parts_.scheduler.host_ready_at(flight.host); host != Instant::max())
    ready = std::max(ready, std::min(host, now + redirects_.longest_wait()));
  flight.give_up_at = ready == Instant::max() ? ready : flight.deadline + (ready - now);
  flights_.move(flight, Stage::waiting);
  resume_waiting(now);
  arm(now);
}

void PollLoop::resume_waiting(Instant now) {
  // Those that go on may make others wait: so not the list itself.
  for (const fetch::Token token : flights_.waiting()) {
    Flight* flight = flights_.find(token);
    if (flight && flight->stage == Stage::waiting) resume(*flight, now);
  }
}

void PollLoop::resume(Flight& flight, Instant now) {
  if (flight.page_gone || state_.stopping || flight.give_up_at <= now)
    return conclude(flight, {.error = "timeout: waiting for " + printable_url(flight.url)});
  if (!admission_.may_prepare(now)) return;
  if (flight.robots_check == RobotsCheck::open) {
    if (robots_.asking(flight.host)) return;
    if (robots_.tired()) return request_turn();
    flight.robots_check = RobotsCheck::passed;
    if (auto refusal = robots_.refusal(flight, now, parts_.rng))
      return conclude(flight, std::move(*refusal));
  }
  if (!parts_.scheduler.try_take_host(flight.host, now, flight.taker())) return;
  flight.deadline += now - flight.waiting_since;
  prepare(flight, now);
}

// --- The end: what was seen goes to the learner, to the scheduler and to the store.

void PollLoop::conclude(Flight& flight, End end) {
  const Moment at = moment();
  if (flight.first_look && !state_.stopping) {
    // Whatever becomes of the poll, its host has asked for that.
    if (flight.answer.retry_after)
      manners().asked_to_wait(flight, *flight.answer.retry_after, flight.url, at.now);
    fall_back(flight, end);
  }
  if (end.look && !flight.page_gone && !state_.stopping) doubt(flight, *end.look, at);
  if (!state_.stopping &&
      wants_second_look(flight, parts_.pages, parts_.hosts, end, state_.looks, at))
    return look_again(flight, at.now);
  // Given up because we stop: that says nothing about the page or its host.
  const bool given_up =
      state_.stopping && (!end.error.empty() || flight.answer.failure == fetch::Failure::cancelled);
  if (!flight.is_page()) {
    finish_pageless(flight, std::move(end), at, given_up);
  } else if (given_up) {
    return let_go(flight);
  } else if (!flight.page_gone) {
    parts_.pages[flight.page].in_flight = false;
    record(flight, std::move(end), at);
  }
  end_flight(flight, at.now);
}

void PollLoop::finish_pageless(Flight& flight, End end, const Moment& at, bool given_up) {
  if (flight.kind == FlightKind::missing_page) {
    // What the page showed has not been believed yet: now it can be told.
    if (missing_.finish(flight, at.now) && !given_up) poll_now(flight.page);
  } else if (given_up) {
    robots_.give_up(flight.robots_of, at.now);
  } else {
    robots_.finish(flight, std::move(end.error), payer(flight), at, parts_.rng);
  }
}

// A page that has become another one altogether may have been rewritten, or it may be gone, or its
// host in trouble. Other pages of the host tell, and so does one that it does not have; both take a
// while, so it is believed when it is seen again. A page that has been rewritten before is one that
// is.
void PollLoop::doubt(Flight& flight, Look& look, const Moment& at) {
  if (!look.another) return;
  const PageRecord& page = parts_.pages[flight.page];
  if (state_.alike.turned(page.host, flight.page, page.hash, look.hash, at.now)) {
    look.suspicion = extract::Suspicion::alike;
    return;
  }
  if (page.rewritten) return;
  constexpr std::uint8_t seen_again = 2;
  flight.put_off = std::max(flight.put_off, seen_again);
  ask_missing(flight.page, at.now);
}

// Nothing happens when that is known or may not be asked, or when there is no room.
void PollLoop::ask_missing(PageSlot slot, Instant now) {
  const PageRecord& page = parts_.pages[slot];
  if (!missing_.may_ask(page.host, now) || !flights_.has_room()) return;
  std::string url = MissingPages::url(page.url.view(), parts_.rng);
  if (robots_.check(page.host, url, now) != RobotsBook::Answer::allowed) return;
  if (!state_.looks.take(1)) return;
  controller_.started(now);
  Flight& flight = flights_.take();
  missing_.begin_flight(flight, page.host, std::move(url), slot, now);
  flight.deadline = now + parts_.config.settings.front().timeout;
  if (parts_.access_points) flight.access_point = parts_.access_points->choose(page.host, {});
  wait(flight, now);
}

// As if its page had not been polled: nothing is known of it.
void PollLoop::let_go(Flight& flight) {
  const Instant now = parts_.clock.now();
  if (!flight.page_gone) {
    parts_.pages[flight.page].in_flight = false;
    parts_.scheduler.finish(flight.page, now);
  }
  end_flight(flight, now);
}

void PollLoop::look_again(Flight& flight, Instant now) {
  if (flight.stage == Stage::hashing) controller_.detected(now);
  if (flight.stage == Stage::hashing || flight.stage == Stage::in_program) controller_.started(now);
  ++flight.requests;
  flight.deadline = now + settings(flight).timeout;
  if (parts_.access_points) flight.access_point = parts_.access_points->choose(flight.host, {});
  wait(flight, now);
}

void PollLoop::record(const Flight& flight, End end, const Moment& at) {
  PageRecord& page = parts_.pages[flight.page];
  Outcome outcome =
      settle(page, flight, std::move(end), settings(flight), options_.back_off, at, parts_.rng);
  count(outcome.verdict, counts_);
  if (!outcome.conclusive()) parts_.hosts.note_error(flight.host);
  if (outcome.block_host)
    manners().asked_to_wait(flight, *outcome.block_host, page.url.view(), at.now);
  teach(parts_.policy, flight.page, page, outcome, settings(flight), parts_.config.learner.cost);
  keep_cookies(parts_.cookies, page, flight, settings(flight));
  state_.log.polled(page, flight, outcome, at);
  parts_.scheduler.finish(flight.page, at.now, outcome.not_before, flight.requests);
  store::PollRecord record = poll_record(flight.page, page, flight.answer, std::move(outcome), at,
                                         settings(flight), parts_.policy, parts_.scheduler);
  record.hosts = parts_.hosts.take_urgent(at);
  parts_.sink.submit(std::move(record));
}

void PollLoop::end_flight(Flight& flight, Instant now) {
  if (flight.program_host) state_.programs.end(*flight.program_host);
  if (flight.stage == Stage::hashing) {
    controller_.detected(now);
  } else if (!flight.is_page()) {
    controller_.withdrawn(now);
  } else if (flight.stage != Stage::in_program) {
    controller_.returned(now, now - flight.started);
  }
  ++state_.turns;
  flights_.move(flight, Stage::free);
  request_turn();
}

// --- What others ask of the loop.

void PollLoop::forget(PageSlot page) {
  if (!parts_.pages[page].in_flight) return;
  flights_.for_each([&](Flight& flight) {
    if (!flight.is_page() || flight.page != page) return;
    flight.page_gone = true;
    if (flight.stage == Stage::ready) give_up(flight);
  });
}

void PollLoop::stop(std::function<void()> on_idle) {
  state_.stopping = true;
  state_.on_idle = std::move(on_idle);
  flights_.for_each([&](Flight& flight) {
    if (flight.stage == Stage::preparing || flight.stage == Stage::ready) give_up(flight);
  });
  drop_looks();
  request_turn();
}

void PollLoop::drop_looks() {
  for (const fetch::Token token : hasher_->drop_looks()) let_go(detecting(token));
}

void PollLoop::give_up() {
  hasher_->end_programs();
  drop_looks();
  if (state_.fetcher) state_.fetcher->cancel_all();
}

void PollLoop::arm(Instant now) {
  Instant wake = now + longest_sleep;
  if (hasher_->full() || parts_.sink.full()) {
    wake = now + retry_when_full;
  } else if (!state_.stopping) {
    Instant eligible =
        controller_.could_start(behind()) ? parts_.scheduler.wake_at() : Instant::max();
    flights_.for_each_waiting([&](const Flight& flight) {
      wake = std::min(wake, flight.give_up_at);
      if (flight.robots_check == RobotsCheck::open && robots_.asking(flight.host)) return;
      eligible = std::min(eligible, parts_.scheduler.host_ready_at(flight.host, flight.taker()));
    });
    wake = std::min(wake, std::max(eligible, admission_.next_prepare(now)));
    if (flights_.ready_count() > 0) wake = std::min(wake, admission_.next_send());
  }
  timer_->arm(std::max(wake, now), [this] { turn(); });
}

}  // namespace pollux::engine

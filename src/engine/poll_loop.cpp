#include "engine/poll_loop.hpp"

#include "engine/fetch_counts.hpp"
#include "engine/notices.hpp"
#include "engine/poll_record.hpp"
#include "engine/requests.hpp"
#include "engine/second_look.hpp"
#include "engine/second_try.hpp"
#include "pollux/base/text.hpp"

namespace pollux::engine {
namespace {

constexpr Duration longest_sleep = std::chrono::seconds(1);  // a sign of life at least this often
constexpr Duration retry_when_full = std::chrono::milliseconds(20);
constexpr int most_declined = 256;  // in one turn: the other handlers want theirs, too

}  // namespace

PollLoop::PollLoop(const Parts& parts, const PollLoopOptions& options,
                   const Hasher::Maker& make_hasher)
    : parts_(parts),
      options_(options),
      departures_(parts.budget, parts.hosts, flights_, options.redirects.longest_wait,
                  [this](const Flight& flight, Instant now) { sent(flight, now); }),
      robots_(parts.config, parts.hosts, parts.scheduler, parts.sink, options.robots),
      doubts_(parts.config, parts.hosts, parts.scheduler),
      redirects_(parts.config, parts.hosts, parts.scheduler, flights_, options.redirects),
      starts_(parts_, robots_, state_.log),
      controller_(options.fetches),
      credit_(parts.loop,
              [this](auto of, auto bytes) { departures_.fetcher()->grant(of, bytes); }) {
  state_.timer = parts.loop.make_timer();
  hasher_ = make_hasher(
      {.hashed = [this](fetch::Token of,
                        HashedBody body) { examine(detecting(of), std::move(body)); },
       .looked = [this](fetch::Token token,
                        Look look) { looked(detecting(token), std::move(look)); },
       .room = [this] { request_turn(); },
       .served = [this](std::size_t bodies, double busy) { controller_.served(bodies, busy); }});
  set_fetches(options.fetches);
}

void PollLoop::begin(fetch::Fetcher& fetcher) {
  departures_.begin(fetcher);
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
  departures_.send_ready(now);
  start_new(now);
  if (state_.on_idle && flights_.in_use() == 0) std::exchange(state_.on_idle, nullptr)();
  arm(now);
}

void PollLoop::start_new(Instant now) {
  for (int declined = 0; can_start(now);) {
    const std::optional<schedule::Choice> choice = starts_.choose(look_soon(now).has_value(), now);
    if (!choice) break;
    const bool goes_on = start(*choice, now) == Started::yes || ++declined < most_declined;
    if (goes_on && !robots_.tired()) continue;
    request_turn();
    break;
  }
}

bool PollLoop::can_start(Instant now) {
  const bool room = !hasher_->full() && !parts_.sink.full() && departures_.may_prepare(now);
  if (state_.stopping || !departures_.fetcher() || !room || !flights_.has_room()) return false;
  if (parts_.access_points && !parts_.access_points->any_room()) return false;
  return controller_.may_start() || controller_.grow(behind());
}

// A look whose host is ready in a moment, and nobody's start is lost by waiting for it.
std::optional<Instant> PollLoop::look_soon(Instant now) {
  return parts_.scheduler.look_soon(now, departures_.may_wait_until());
}

PollLoop::Started PollLoop::start(const schedule::Choice& choice, Instant now) {
  const PageRecord& page = parts_.pages[choice.page];
  switch (starts_.check(choice, departures_.wait_for(page.host, fetches_at_most()), now)) {
    case Starts::May::not_now:
      return Started::no;
    case Starts::May::robots_first:
      ask_robots(page.host, page.url.view(), now, nullptr);
      return Started::yes;
    case Starts::May::go:
      break;
  }
  if (choice.reason == schedule::Reason::explore) ++state_.counts.explored;
  if (choice.look) ++state_.counts.looks;
  controller_.started(now);
  Flight& flight = flights_.take();
  starts_.begin(flight, choice, {now, parts_.clock.wall()});
  prepare(flight, now);
  return Started::yes;
}

// --- A request: prepared, then paid for, then sent. A connection of its host has been taken.

void PollLoop::prepare(Flight& flight, Instant now) {
  flight.text.clear();  // of an attempt that broke off
  flight.text_room.reset();
  fetch::Request request = flight.is_page()
                               ? page_request(flight, parts_.pages[flight.page], settings(flight),
                                              parts_.cookies, parts_.access_points, moment())
                               : text_request(flight, parts_.config, parts_.access_points, now);
  if (flight.keep != Keep::no) request.keep_in = hasher_->room(flight.keep);
  request.wants_modified = flight.is_page() && parts_.policy.wants_last_modified();
  const bool at_once = options_.send_when_ready && parts_.budget.unlimited() &&
                       !parts_.scheduler.spaced(flight.host);
  departures_.prepare(flight, std::move(request),
                      at_once ? Departures::Hold::no : Departures::Hold::until_paid_for, now);
}

void PollLoop::on_ready(fetch::Token token) {
  state_.owner.check();
  Flight* flight = flights_.find(token);
  if (!flight || flight->stage != Stage::preparing) return;
  const Instant now = parts_.clock.now();
  if (flight->page_gone || state_.stopping) return departures_.give_up(*flight);
  if (!departures_.ready(*flight, now)) return;
  departures_.send_ready(now);
  if (flights_.ready_count() > 0) arm(now);
}

void PollLoop::sent(const Flight& flight, Instant now) {
  if (manners().sent(flight, now)) request_turn();
  state_.counts.requests += flight.price;
  doubts_.sent();
  if (!flight.is_poll_start()) return;
  ++state_.counts.polls;
  state_.totals.lateness.add(to_seconds(now - flight.started));
}

void PollLoop::on_piece(fetch::Token token, std::string piece) {
  Flight* flight = flights_.find(token);
  if (!flight) return;
  if (!flight->is_page()) return credit_.took_text(*flight, token, piece);
  const std::size_t bytes = piece.size();
  hasher_->add_piece(token, std::move(piece), flight->keep);
  if (!credit_.took(token, hasher_->room(flight->keep), bytes)) controller_.overflowed();
}

// --- The answer: a redirect, a second try, a body to hash, or the end.

void PollLoop::on_done(fetch::Response response) {
  state_.owner.check();
  Flight* flight = flights_.find(response.token);
  assert(flight && flight->holds_host());
  const Instant now = parts_.clock.now();
  credit_.ended(response.token);
  departures_.ended(*flight, response);
  manners().ended(*flight, response, now);
  // What a browser takes says nothing about access points.
  if (flight->access_point && !flight->rendered)
    parts_.access_points->note(flight->host, *flight->access_point, response, flight->attempt);
  flight->answer = std::move(response);
  reap(*flight, now);
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
  if (!flight.page_gone && !state_.stopping && starts_.try_again(flight)) return wait(flight, now);
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
  const WallTime wall = parts_.clock.wall();
  // A look that is compared with others says something also when it is what was known.
  const bool known = page.has_hash && page.has_body_hash && page.body_hash == body.hash &&
                     flight.texts.empty() && !may_end_mask(page, settings(flight), wall);
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
  LookTask task = look_task(flight, page, settings(flight), std::move(body.body), wall);
  task.masks_of_host = doubts_.masks().of(page.host);
  task.missing = doubts_.missing().answer(page.host, parts_.clock.now());
  task.wants_diff = !parts_.config.notify.empty();
  if (task.extracted && contents_) task.left_there = contents_->aside(flights_.token(flight));
  hasher_->look(flights_.token(flight), std::move(task));  // → looked
}

void PollLoop::looked(Flight& flight, Look look) {
  if (look.wants_content) return bring_content(flight, std::move(look.wants_content));
  if (flight.answer.extracted && contents_) {
    using agent::Wanted;
    const Wanted wanted =
        look.content_known ? *look.content_known ? Wanted::no : Wanted::yes : Wanted::nothing;
    contents_->judged(flights_.token(flight), wanted);
  }
  if (look.dropped) return let_go(flight);
  auto kept = std::make_unique<Look>(std::move(look));
  conclude(flight, {.body = flight.body_hash, .look = std::move(kept)});
}

// Its agent has it, for a moment. Where it does not come the page was not polled.
void PollLoop::bring_content(Flight& flight, std::unique_ptr<LookTask> task) {
  if (flight.page_gone || state_.stopping || !contents_) return let_go(flight);
  if (flight.stage == Stage::hashing) {
    controller_.detected(parts_.clock.now());
    flights_.move(flight, Stage::bringing);
  }
  const fetch::Token token = flights_.token(flight);
  contents_->bring(token, [this, token, task = std::shared_ptr<LookTask>(std::move(task))](
                              std::shared_ptr<CountedBytes> content) {
    Flight& waiting = detecting(token);
    if (!content) {
      waiting.answer.failure = fetch::Failure::agent;
      return conclude(waiting, {});
    }
    task->brought = std::move(content);
    hasher_->look(token, std::move(*task));  // → looked
  });
}

// Checked like any URL; it waits for the budget and for the politeness of its host.
void PollLoop::follow(Flight& flight, const std::string& target, Instant now) {
  const Status followed = redirects_.follow(flight, target, now);
  if (!followed.ok()) return conclude(flight, {.error = followed.error().message});
  starts_.choose_access_point(flight, flight.access_point);
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
  Flight& flight = flights_.take();
  robots_.begin_flight(flight, host, url);
  if (hop) flight.payer = flights_.token(*hop);
  controller_.started(now);
  set_out(flight, parts_.config.settings.front().timeout, hop ? hop->access_point : std::nullopt,
          now);
}

// Nothing happens when that is known or may not be asked, or when there is no room.
void PollLoop::ask_missing(PageSlot slot, Instant now) {
  const PageRecord& page = parts_.pages[slot];
  if (!flights_.has_room()) return;
  std::optional<std::string> url = doubts_.missing_url(page, robots_, parts_.rng, now);
  if (!url) return;
  Flight& flight = flights_.take();
  doubts_.missing().begin_flight(flight, page.host, std::move(*url), slot, now);
  controller_.started(now);
  set_out(flight, parts_.config.settings.front().timeout, {}, now);
}

// Anew, from the beginning of its time-out.
void PollLoop::set_out(Flight& flight, Duration timeout, std::optional<fetch::AccessPointId> like,
                       Instant now) {
  flight.deadline = now + timeout;
  starts_.choose_access_point(flight, like);
  wait(flight, now);
}

void PollLoop::wait(Flight& flight, Instant now) {
  departures_.wait(flight, parts_.scheduler.host_ready_at(flight.host), now);
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
  if (!departures_.may_prepare(now)) return;
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
  if (flight.first_look && !state_.stopping) fall_back(flight, end, manners(), at.now);
  const PageSlot page = flight.page;
  const bool judges = !state_.stopping && !flight.page_gone;
  const bool asks =
      judges && end.look && doubts_.is_doubtful(flight, parts_.pages[page], *end.look, at.now);
  if (judges && end.look) doubts_.note_masks(flight, parts_.pages[page], *end.look);
  const bool again = judges && flight.answer.failure != fetch::Failure::agent &&
                     doubts_.wants_second_look(flight, parts_.pages, parts_.hosts, end, at);
  again ? look_again(flight, at.now) : finish(flight, std::move(end), at);
  if (asks) ask_missing(page, at.now);  // at last: it goes on with flights that wait, perhaps this
}

void PollLoop::finish(Flight& flight, End end, const Moment& at) {
  // Given up because we stop: that says nothing about the page or its host.
  // Likewise when nobody could ask it.
  const fetch::Failure failure = flight.answer.failure;
  const bool given_up =
      failure == fetch::Failure::agent ||
      (state_.stopping && (!end.error.empty() || failure == fetch::Failure::cancelled));
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
    if (doubts_.missing().finish(flight, at.now) && !given_up) poll_now(flight.page);
  } else if (given_up) {
    robots_.give_up(flight.robots_of, at.now);
  } else {
    robots_.finish(flight, std::move(end.error), payer(flight), at, parts_.rng);
  }
}

// As if its page had not been polled: nothing is known of it.
void PollLoop::let_go(Flight& flight) {
  const Instant now = parts_.clock.now();
  if (!flight.page_gone) {
    parts_.pages[flight.page].in_flight = false;
    parts_.scheduler.finish(flight.page, now);
    // Once, and then at its next turn: an agent that never gets to it must not use up the budget.
    if (flight.answer.failure == fetch::Failure::agent &&
        flight.reason != schedule::Reason::asked_for)
      starts_.poll_now(flight.page);
  }
  end_flight(flight, now);
}

void PollLoop::look_again(Flight& flight, Instant now) {
  tell_looking_again(controller_, flight, now);
  ++flight.requests;
  set_out(flight, settings(flight).timeout, {}, now);
}

void PollLoop::record(Flight& flight, End end, const Moment& at) {
  PageRecord& page = parts_.pages[flight.page];
  // The page whose change this look was for has left the list: nobody is to blame for it now.
  if (flight.sibling && parts_.pages[flight.sibling->because].id != flight.sibling_id)
    flight.sibling->because = flight.page;
  const std::optional<WallTime> seen =
      page.has_hash ? std::optional(at.to_wall(page.last_confirmed)) : std::nullopt;
  Outcome outcome =
      settle(page, flight, std::move(end), settings(flight), options_.back_off, at, parts_.rng);
  count(outcome.verdict, state_.counts);
  count(flight, outcome, state_.totals);
  if (flight.sibling && outcome.feedback && outcome.feedback->changed) ++state_.counts.looks_found;
  if (outcome.calm) parts_.hosts[page.host].calm.found(*outcome.calm);
  if (!outcome.conclusive()) parts_.hosts.note_error(flight.host);
  if (outcome.block_host)
    manners().asked_to_wait(flight, *outcome.block_host, page.url.view(), at.now);
  teach(parts_.policy, flight.page, page, outcome, settings(flight), parts_.config.learner.cost);
  keep_cookies(parts_.cookies, page, flight, settings(flight));
  state_.log.polled(page, flight, outcome, at);
  if (parts_.events && parts_.events->heard()) parts_.events->polled(page, flight, outcome, at);
  parts_.scheduler.finish(flight.page, at.now, outcome.not_before, flight.own_requests());
  const bool follows = flight.sibling && flight.sibling->because != flight.page;
  const std::string_view sibling =
      follows ? parts_.pages[flight.sibling->because].url.view() : std::string_view();
  std::vector<store::NoticeRow> notices;
  if (!parts_.config.notify.empty())
    notices = take_notices(parts_.config.notify,
                           {page, flight, settings(flight).importance, sibling, seen}, outcome, at);
  store::PollRecord record = poll_record(flight.page, page, flight.answer, std::move(outcome), at,
                                         settings(flight), parts_.policy, parts_.scheduler);
  record.notices = std::move(notices);
  record.hosts = parts_.hosts.take_urgent(at);
  if (follows) record.look = {at.wall, std::string(sibling)};
  parts_.sink.submit(std::move(record));
}

void PollLoop::end_flight(Flight& flight, Instant now) {
  starts_.end(flight);
  tell_ended(controller_, flight, now);
  ++state_.turns;
  flights_.move(flight, Stage::free);
  request_turn();
}

// --- What others ask of the loop.

void PollLoop::forget(PageSlot page) {
  if (parts_.pages[page].in_flight) departures_.forget(page);
}

void PollLoop::stop(std::function<void()> on_idle) {
  state_.stopping = true;
  state_.on_idle = std::move(on_idle);
  departures_.give_up_all();
  for (const fetch::Token token : hasher_->drop_looks()) let_go(detecting(token));
  request_turn();
}

void PollLoop::give_up() {
  hasher_->end_programs();
  for (const fetch::Token token : hasher_->drop_looks()) let_go(detecting(token));
  if (departures_.fetcher()) departures_.fetcher()->cancel_all();
}

void PollLoop::arm(Instant now) {
  Instant wake = now + longest_sleep;
  if (hasher_->full() || parts_.sink.full()) {
    wake = now + retry_when_full;
  } else if (!state_.stopping) {
    Instant eligible = Instant::max();
    // Where nobody has room the next end is waited for, or somebody who comes back.
    const bool full = parts_.access_points && !parts_.access_points->any_room();
    if (full) wake = now + Starts::retry_without_agents;
    if (!full && controller_.could_start(behind()))
      eligible = look_soon(now).value_or(parts_.scheduler.wake_at());
    flights_.for_each_waiting([&](const Flight& flight) {
      wake = std::min(wake, flight.give_up_at);
      if (flight.robots_check == RobotsCheck::open && robots_.asking(flight.host)) return;
      eligible = std::min(eligible, parts_.scheduler.host_ready_at(flight.host, flight.taker()));
    });
    wake = std::min(wake, departures_.next(eligible, now));
  }
  state_.timer->arm(std::max(wake, now), [this] { turn(); });
}

}  // namespace pollux::engine

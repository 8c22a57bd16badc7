#include "engine/poll_loop.hpp"

#include "engine/answer_text.hpp"
#include "pollux/base/text.hpp"
#include "pollux/base/url.hpp"
#include "pollux/robots_txt/robots_txt.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include <boost/asio/post.hpp>

namespace pollux::engine {
namespace {

constexpr Duration longest_sleep =
    std::chrono::seconds(1);  // a turn at least this often: a sign of life
constexpr std::ptrdiff_t most_waiting_for_a_host = 8;
constexpr Duration retry_when_full = std::chrono::milliseconds(20);
// A redirect's next hop waits for the politeness of its host so long, with its place taken.
constexpr Duration longest_hop_wait = std::chrono::minutes(2);
constexpr int most_denied = 256;  // in one turn: the other handlers want theirs, too

bool is_success(int status) {
  return status >= 200 && status < 300;
}

}  // namespace

PollLoop::PollLoop(const Parts& parts, const PollLoopOptions& options, int detect_threads)
    : parts_(parts),
      options_(options),
      robots_(parts.config, parts.hosts, parts.scheduler, options.robots),
      detect_(parts.io,
              {.threads = detect_threads,
               .max_bodies = most_waiting,
               .each_body = options.on_detection},
              {.hashed = [this](fetch::Token token,
                                const detect::Hash& hash) { on_hashed(token, hash); },
               .room =
                   [this] {
                     for (const fetch::Token token : std::exchange(paused_, {}))
                       fetcher_->resume(token);
                     request_turn();
                   },
               .served = [this](std::size_t bodies,
                                double seconds) { controller_.served(bodies, seconds); }}),
      controller_(options.fetches),
      timer_(parts.io) {
  make_places();
}

void PollLoop::begin(fetch::Fetcher& fetcher) {
  fetcher_ = &fetcher;
  request_turn();
}

// One turn: what waits, then new polls, then sleep until something can change.
void PollLoop::turn() {
  owner_.check();
  if (controller_.may_start()) ++turns_;
  const Instant now = parts_.clock.now();
  resume_waiting(now);
  for (int denied = 0; can_start(now);) {
    const auto choice = parts_.scheduler.next(now);
    if (!choice) break;
    if (start(*choice, now) == Started::no && ++denied == most_denied) {
      request_turn();
      break;
    }
  }
  if (on_idle_ && flights_in_use_ == 0) std::exchange(on_idle_, nullptr)();
  arm(now);
}

bool PollLoop::can_start(Instant now) const {
  return !stopping_ && fetcher_ && controller_.may_start() && !detect_.full() &&
         !parts_.writer.full() && parts_.budget.next_allowed() <= now;
}

PollLoop::Started PollLoop::start(const schedule::Choice& choice, Instant now) {
  PageRecord& page = parts_.pages[choice.page];
  switch (robots_.check(page.host, page.url.view(), now)) {
    case RobotsBook::Answer::denied:
      deny(choice, now);
      return Started::no;
    case RobotsBook::Answer::ask:
      parts_.scheduler.decline(choice, now);
      ask_robots(page.host, page.url.view(), now);
      return Started::yes;
    case RobotsBook::Answer::allowed:
      break;
  }
  page.in_flight = true;
  page.denied = false;

  const std::uint32_t index = take_flight(now);
  Flight& flight = flights_[index];
  flight.page = choice.page;
  flight.host = page.host;
  flight.host_taken = true;
  flight.conditional = page.has_hash && (!page.etag.empty() || !page.last_modified.empty());
  flight.started = now;
  flight.deadline = now + settings(page).timeout;
  flight.url.assign(page.url.view());
  if (parts_.ways) flight.way = parts_.ways->choose(flight.host, {});

  // A name that must be looked up first costs nothing until it is known; and names that hang do not
  // use up the places of those that are known.
  const bool known = name_is_known(index);
  if (!known && resolving_ >= most_resolving()) {
    put_off(index, choice, now);
    return Started::no;
  }
  if (choice.reason == schedule::Reason::explore) ++counts_.explored;
  if (!known) {
    flight.resolving = true;
    ++resolving_;
    waiting_.push_back(index);
    return Started::yes;
  }
  ++counts_.polls;
  request(index, now);
  return Started::yes;
}

// Too many names are being looked up: its host comes back in a moment, with every page of it in the
// place it had.
void PollLoop::put_off(std::uint32_t index, const schedule::Choice& choice, Instant now) {
  Flight& flight = flights_[index];
  flight.started = {};
  parts_.pages[flight.page].in_flight = false;
  parts_.scheduler.decline(choice, now);
  parts_.scheduler.delay_host(flight.host, now + too_many_names);
  end_flight(index, now);
}

// Every request goes through here: it costs its part of the budget, and its host has been taken.
void PollLoop::request(std::uint32_t index, Instant now) {
  Flight& flight = flights_[index];
  const PageRecord* page = flight.errand ? nullptr : &parts_.pages[flight.page];
  const config::PageSettings& wanted = page ? settings(*page) : parts_.config.settings.front();
  flight.asked = now;
  parts_.budget.take(now);
  parts_.hosts.note_request(flight.host, now);
  ++counts_.requests;

  flight.text.clear();  // of an attempt that broke off

  fetch::Request request;
  request.token = token_of(index);
  request.url = flight.url;
  if (page && flight.conditional) {
    request.etag = page->etag.str();
    request.last_modified = page->last_modified.str();
  }
  request.timeout = std::max(flight.deadline - now, Duration(std::chrono::milliseconds(1)));
  // A look at another way leaves time to go the own way after all.
  if (flight.way && parts_.ways->is_look(flight.host, *flight.way)) request.timeout /= 2;
  request.access_point = flight.way;
  request.fresh_connection = flight.retried && !flight.rerouted;
  request.max_body = flight.errand ? robots_txt::most_bytes : wanted.max_body;
  request.cut_body = flight.errand;
  request.user_agent = wanted.user_agent;
  // Whatever a page sends belongs to its own host: a redirect elsewhere goes without, also when it
  // leads back, to a place that the other host chose.
  if (page && wanted.headers != 0 && !flight.left_origin) {
    request.headers = config_of(*page).header_sets[wanted.headers];
  }
  request.wants_modified = parts_.policy.wants_last_modified();
  fetcher_->start(std::move(request));
}

fetch::Handler::Flow PollLoop::on_piece(fetch::Token token, std::string piece) {
  if (Flight* flight = find(token); flight && flight->errand) {
    flight->text += piece;
    return Flow::go_on;
  }
  detect_.add_piece(token, std::move(piece));
  if (!detect_.full()) return Flow::go_on;
  controller_.overflowed();
  paused_.push_back(token);
  return Flow::pause;
}

void PollLoop::on_done(fetch::Response response) {
  owner_.check();
  Flight* flight = find(response.token);
  assert(flight);
  const Instant now = parts_.clock.now();
  const auto index = static_cast<std::uint32_t>(flight - flights_.data());
  parts_.scheduler.release_host(flight->host, now);
  flight->host_taken = false;
  if (flight->way) learn_way(*flight, response);
  pace(flight->host, response, now);

  const bool answered = response.failure == fetch::Failure::none;
  if (answered && is_success(response.status) && flight->errand) {
    flight->answer = std::move(response);
    return end_errand(index, {});
  }
  if (answered && is_success(response.status) && !flight->orphan) {
    std::string last_piece = std::move(response.body);
    flight->answer = std::move(response);
    flight->detecting = true;
    if (detect_.full()) controller_.overflowed();
    // With our own waits between its hops: they took the place all the while.
    controller_.arrived(now, now - flight->started, flight->answer.body_bytes);
    detect_.finish(flight->answer.token, std::move(last_piece));  // → on_hashed
    return;
  }
  if (response.body_bytes > 0) detect_.abandon(response.token);
  std::erase(paused_, response.token);
  const std::string target = std::move(response.redirect_to);
  flight->answer = std::move(response);
  if (answered && !target.empty() && !flight->orphan) {
    follow(index, target, now);
  } else if (may_try_again(*flight)) {
    wait_for_turn(index, now);
  } else {
    // No time to go the own way: that is no fault of the page either.
    if (stopping_ && is_failed_look(*flight)) flight->answer.failure = fetch::Failure::cancelled;
    conclude(index, std::nullopt, {});
  }
}

void PollLoop::on_hashed(fetch::Token token, const detect::Hash& hash) {
  Flight* flight = find(token);
  assert(flight);
  conclude(static_cast<std::uint32_t>(flight - flights_.data()), hash, {});
}

// A redirect: checked like any URL, and it waits for the budget and for the politeness of its host.
void PollLoop::follow(std::uint32_t index, const std::string& target, Instant now) {
  Flight& flight = flights_[index];
  const Result<Url> url = parse_url(target);
  if (!url.ok()) return conclude(index, std::nullopt, "redirect refused: " + url.error().message);
  if (flight.hops >= options_.max_redirects) {
    return conclude(index, std::nullopt,
                    "more than " + std::to_string(options_.max_redirects) + " redirects");
  }
  if (flight.url.starts_with("https:") && !url->https && !parts_.config.allow_downgrade) {
    return conclude(index, std::nullopt,
                    "redirect refused: from https to http, " + printable_url(target));
  }
  const int status = flight.answer.status;
  flight.moved = flight.moved && (status == 301 || status == 308);
  if (flight.moved) flight.moved_to = url->text;
  flight.answer = {};
  ++flight.hops;
  // Validators belong to the page that gave them, not to whatever it redirects to today.
  flight.conditional = false;
  if (!same_origin(flight.url, url->text)) flight.left_origin = true;
  flight.url = url->text;
  const std::optional<HostSlot> host = host_slot(url->host_port, now);
  if (!host) return conclude(index, std::nullopt, "redirect refused: too many hosts at once");
  flight.host = *host;
  if (parts_.ways) flight.way = parts_.ways->choose(flight.host, flight.way);
  // A hop that waits holds a place that others could use: a host to which many pages lead, or which
  // leads to itself, may hold only a few.
  const auto waits_there = [&](std::uint32_t other) { return flights_[other].host == *host; };
  if (std::count_if(waiting_.begin(), waiting_.end(), waits_there) >= most_waiting_for_a_host) {
    return conclude(index, std::nullopt,
                    "redirect refused: too many others wait for " + url->host_port);
  }
  if (parts_.scheduler.host_ready_at(flight.host) > now + longest_hop_wait &&
      parts_.scheduler.host_ready_at(flight.host) != Instant::max()) {
    return conclude(index, std::nullopt,
                    "redirect refused: " + url->host_port + " asked us to wait");
  }
  flight.unchecked = !flight.errand;
  if (flight.unchecked && robots_.check(flight.host, flight.url, now) == RobotsBook::Answer::ask)
    ask_robots(flight.host, flight.url, now, flight.way);
  wait_for_turn(index, now);
}

void PollLoop::wait_for_turn(std::uint32_t index, Instant now) {
  Flight& flight = flights_[index];
  // The time-out is for the server: neither our politeness nor our budget use it up.
  Instant ready = parts_.budget.next_allowed();
  if (const Instant host = parts_.scheduler.host_ready_at(flight.host); host != Instant::max())
    ready = std::max(ready, std::min(host, now + longest_hop_wait));
  if (ready > now && ready != Instant::max()) flight.deadline += ready - now;
  if (!name_is_known(index)) {
    flight.resolving = true;
    ++resolving_;
  }
  waiting_.push_back(index);
  resume_waiting(now);
  arm(now);
}

void PollLoop::on_resolved(fetch::Token token) {
  Flight* flight = find(token);
  if (!flight || !flight->resolving) return;  // it was given up meanwhile
  flight->resolving = false;
  --resolving_;
  request_turn();
}

void PollLoop::resume_waiting(Instant now) {
  std::erase_if(waiting_, [&](std::uint32_t index) { return resume(index, now); });
}

// True when the flight does not wait any more.
bool PollLoop::resume(std::uint32_t index, Instant now) {
  Flight& flight = flights_[index];
  if (flight.orphan || stopping_ || flight.deadline <= now) {
    if (flight.host_taken) parts_.scheduler.release_host(flight.host, now);
    conclude(index, std::nullopt,
             flight.resolving ? "dns: the name was not found in time"
                              : "timeout: waiting for " + printable_url(flight.url));
    return true;
  }
  if (flight.resolving || parts_.budget.next_allowed() > now) return false;
  if (std::string refusal; flight.unchecked) {
    const Permission may = permission(flight, now, refusal);
    if (may == Permission::refused) conclude(index, std::nullopt, std::move(refusal));
    if (may != Permission::granted) return may == Permission::refused;
  }
  if (!flight.host_taken && !parts_.scheduler.try_take_host(flight.host, now)) return false;
  if (flight.hops == 0 && !flight.retried && !flight.errand) ++counts_.polls;
  flight.host_taken = true;
  request(index, now);
  return true;
}

// The end of a poll: what was seen goes to the learner, to the scheduler and to the store.
void PollLoop::conclude(std::uint32_t index, const std::optional<detect::Hash>& hash,
                        std::string error) {
  Flight& flight = flights_[index];
  if (flight.errand) return end_errand(index, std::move(error));
  const PageSlot slot = flight.page;
  if (flight.orphan) return end_flight(index, parts_.clock.now());
  PageRecord& page = parts_.pages[slot];
  const fetch::Response& answer = flight.answer;
  if (stopping_ && (!error.empty() || answer.failure == fetch::Failure::cancelled)) {
    // Given up because we stop: that says nothing about the page.
    page.in_flight = false;
    parts_.scheduler.finish(slot, parts_.clock.now());
    return end_flight(index, parts_.clock.now());
  }
  const Moment moment{parts_.clock.now(), parts_.clock.wall()};

  ++page.polls;
  const detect::Verdict verdict = judge(flight, hash, error);
  const bool conclusive = verdict != detect::Verdict::unknown;
  std::optional<store::ChangeRow> change;
  if (verdict == detect::Verdict::changed) change = note_change(flight, *hash, moment);
  const std::optional<Instant> not_before =
      conclusive ? note_content(flight, verdict, hash, moment.now) : note_error(flight, moment.now);
  note_move(page, flight, conclusive);
  page.in_flight = false;
  parts_.scheduler.finish(slot, moment.now, not_before);
  record(slot, answer, error, moment, not_before, std::move(change));
  end_flight(index, moment.now);
}

// What the answer says about the page; of one that says nothing `error` tells why.
detect::Verdict PollLoop::judge(const Flight& flight, const std::optional<detect::Hash>& hash,
                                std::string& error) const {
  const fetch::Response& answer = flight.answer;
  detect::Answer seen;
  seen.status = answer.status;
  seen.conditional = flight.conditional;
  seen.hash = hash;
  seen.complete = error.empty() && answer.failure == fetch::Failure::none;
  detect::Verdict verdict = detect::judge(seen, parts_.pages[flight.page].known_hash());
  if (verdict == detect::Verdict::changed && answer.body_bytes == 0) {
    verdict = detect::Verdict::unknown;
    error = "empty body where there was content before";
  }
  if (verdict == detect::Verdict::unknown && error.empty()) error = error_of(answer);
  return verdict;
}

store::ChangeRow PollLoop::note_change(const Flight& flight, const detect::Hash& hash,
                                       const Moment& moment) {
  PageRecord& page = parts_.pages[flight.page];
  ++page.changes;
  ++counts_.changes;
  page.last_changed = moment.wall;
  return {page.id,
          moment.wall,
          moment.to_wall(page.last_confirmed),
          detect::to_hex(page.hash),
          detect::to_hex(hash),
          static_cast<std::int64_t>(flight.answer.body_bytes),
          flight.answer.status,
          page.url.str()};
}

// The content was seen. Until when it need not be looked at again, if the answer says so.
std::optional<Instant> PollLoop::note_content(const Flight& flight, detect::Verdict verdict,
                                              const std::optional<detect::Hash>& hash,
                                              Instant now) {
  PageRecord& page = parts_.pages[flight.page];
  const fetch::Response& answer = flight.answer;
  note_cost(flight.page, to_seconds(answer.elapsed));
  if (verdict != detect::Verdict::baseline) teach(flight, verdict == detect::Verdict::changed, now);
  if (verdict == detect::Verdict::same) ++counts_.same;
  if (hash) {
    page.hash = *hash;
    page.has_hash = true;
    page.body_bytes = static_cast<std::int64_t>(answer.body_bytes);
    page.etag = flight.hops == 0 ? answer.etag : std::string();
    page.last_modified = flight.hops == 0 ? answer.last_modified : std::string();
  }
  // The content is as old as the question, not as the answer: a change after that is yet to be
  // found.
  page.last_confirmed = flight.asked;
  page.error_streak = 0;
  return fresh_until(page, flight);
}

// Nothing was seen. When to try again.
Instant PollLoop::note_error(const Flight& flight, Instant now) {
  PageRecord& page = parts_.pages[flight.page];
  const fetch::Response& answer = flight.answer;
  ++page.errors;
  ++counts_.errors;
  HostRecord& host = parts_.hosts[flight.host];
  ++host.errors;
  parts_.hosts.mark(flight.host);
  page.error_streak = static_cast<std::uint16_t>(std::min(page.error_streak + 1, 65535));
  page.resting_fresh = false;  // it rests for its error now
  if (answer.retry_after) {
    host.blocked_until = now + *answer.retry_after;
    parts_.scheduler.block_host(flight.host, *host.blocked_until);
  }
  return now + back_off_delay(options_.back_off, settings(page).limits, page.error_streak,
                              answer.retry_after, parts_.rng, gone(answer.status));
}

void PollLoop::teach(const Flight& flight, bool changed, Instant now) {
  const PageRecord& page = parts_.pages[flight.page];
  const double elapsed = std::max(to_seconds(flight.asked - page.last_confirmed), 1e-3);
  learn::Observation seen{changed, elapsed, to_seconds(now.time_since_epoch())};
  if (flight.answer.modified_ago) seen.modified_ago = to_seconds(*flight.answer.modified_ago);
  parts_.policy.feed(flight.page, seen);
}

void PollLoop::note_cost(PageSlot slot, double seconds) {
  PageRecord& page = parts_.pages[slot];
  page.note_download(seconds);
  if (!parts_.config.learner.cost.by_time) return;
  parts_.policy.set_importance(slot,
                               learn::importance_by_cost(settings(page).importance,
                                                         static_cast<double>(page.download_seconds),
                                                         parts_.config.learner.cost));
}

void PollLoop::record(PageSlot slot, const fetch::Response& answer, const std::string& error,
                      const Moment& moment, std::optional<Instant> not_before,
                      std::optional<store::ChangeRow> change) {
  const PageRecord& page = parts_.pages[slot];
  store::PollRecord poll;
  poll.page = page.id;
  poll.change = std::move(change);
  store::PageProgress& progress = poll.progress;
  progress.polls = page.polls;
  progress.changes = page.changes;
  progress.errors = page.errors;
  progress.last_polled_at = moment.wall;
  if (page.has_hash) {
    progress.last_confirmed_at = moment.to_wall(page.last_confirmed);
    progress.content_hash = detect::to_hex(page.hash);
  }
  if (page.last_changed != WallTime{}) progress.last_changed_at = page.last_changed;
  progress.last_status = answer.status;
  progress.last_error = error;
  progress.error_streak = page.error_streak;
  if (not_before)
    (error.empty() ? progress.fresh_until : progress.retry_at) = moment.to_wall(*not_before);
  progress.moved_to = page.moved_to.str();
  progress.etag = page.etag.str();
  progress.last_modified = page.last_modified.str();
  progress.body_bytes = page.body_bytes;
  progress.share = parts_.policy.share(slot);
  progress.next_due_at = moment.to_wall(parts_.scheduler.next_due(slot, moment.now));
  if (const auto rate = parts_.policy.change_rate(slot))
    progress.change_rate_per_day = *rate * 86400;
  set_memory(progress, parts_.policy.memory(slot));
  set_outlook(progress, parts_.policy.outdated_after(slot));
  if (page.download_seconds > 0)
    progress.download_ms = static_cast<double>(page.download_seconds) * 1000;
  parts_.writer.submit(std::move(poll));
}

void PollLoop::stop(std::function<void()> on_idle) {
  stopping_ = true;
  on_idle_ = std::move(on_idle);
  request_turn();
}

void PollLoop::request_turn() {
  if (std::exchange(turn_requested_, true)) return;
  boost::asio::post(parts_.io, [this] {
    turn_requested_ = false;
    turn();
  });
}

void PollLoop::arm(Instant now) {
  Instant wake = now + longest_sleep;
  if (detect_.full() || parts_.writer.full()) {
    wake = now + retry_when_full;
  } else if (!stopping_ && (controller_.may_start() || !waiting_.empty())) {
    Instant eligible = controller_.may_start() ? parts_.scheduler.wake_at() : Instant::max();
    for (const std::uint32_t index : waiting_) {
      const Flight& flight = flights_[index];
      wake = std::min(wake, flight.deadline);
      if (flight.resolving || (flight.unchecked && robots_.asking(flight.host))) continue;
      eligible =
          std::min(eligible, flight.host_taken ? now : parts_.scheduler.host_ready_at(flight.host));
    }
    wake = std::min(wake, std::max(eligible, parts_.budget.next_allowed()));
  }
  timer_.expires_at(std::chrono::steady_clock::time_point(std::max(wake, now).time_since_epoch()));
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) turn();
  });
}

store::MinuteRow PollLoop::take_counts() {
  return std::exchange(counts_, {});
}

}  // namespace pollux::engine

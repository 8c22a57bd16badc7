// The one file that joins the stages: schedule.next → admit → fetch → detect → outcome → learn.feed
// + schedule.finish → store.
//
// A turn starts as many polls as budget, politeness and room allow; answers come back one by one
// and each makes room for another turn. Nothing waits in a queue that is not bounded: when bodies
// cannot be hashed or results cannot be written fast enough, no new poll begins. Threading: the
// engine's thread, asserted.
#pragma once

#include "engine/access_points.hpp"
#include "engine/asked_for.hpp"
#include "engine/back_off.hpp"
#include "engine/body_credit.hpp"
#include "engine/cookie_jars.hpp"
#include "engine/departures.hpp"
#include "engine/doubts.hpp"
#include "engine/flight.hpp"
#include "engine/hasher.hpp"
#include "engine/host_table.hpp"
#include "engine/manners.hpp"
#include "engine/outcome.hpp"
#include "engine/page_log.hpp"
#include "engine/page_settings.hpp"
#include "engine/page_table.hpp"
#include "engine/poll_events.hpp"
#include "engine/poll_totals.hpp"
#include "engine/program_flights.hpp"
#include "engine/redirects.hpp"
#include "engine/renderers.hpp"
#include "engine/robots_requests.hpp"
#include "pollux/base/clock.hpp"
#include "pollux/base/event_loop.hpp"
#include "pollux/base/thread_owner.hpp"
#include "pollux/concurrency/controller.hpp"
#include "pollux/config/config.hpp"
#include "pollux/fetch/fetcher.hpp"
#include "pollux/schedule/budget.hpp"
#include "pollux/schedule/scheduler.hpp"
#include "pollux/store/sink.hpp"

#include <algorithm>
#include <cassert>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pollux::engine {

struct PollLoopOptions {
  concurrency::ControllerOptions fetches = {.most = 128, .most_if_slow = 128};  // may be out
  Redirects::Options redirects = {};
  BackOff back_off = {};
  RobotsOptions robots = {};
  std::size_t most_hashing = 1024;  // bodies that may wait for their hash
  // Without a budget nothing has to be asked for before a request is sent: it goes when it is
  // ready.
  bool send_when_ready = false;
};

class PollLoop final : public fetch::Handler {
 public:
  // What the loop works with; all of it outlives the loop.
  struct Parts {
    EventLoop& loop;
    const Clock& clock;
    Rng& rng;
    const config::Config& config;  // politeness and defaults; replaced in place on reload
    const PageSettingsTable& settings;
    PageTable& pages;
    HostTable& hosts;
    learn::Policy& policy;
    schedule::Scheduler& scheduler;
    schedule::Budget& budget;
    store::Sink& sink;
    AccessPoints* access_points = nullptr;  // null: as if there were none
    CookieJars* cookies = nullptr;          // null: nothing is kept from poll to poll
    const PollEvents* events = nullptr;     // null: nobody can listen
  };
  PollLoop(const Parts& parts, const PollLoopOptions& options, const Hasher::Maker& make_hasher);

  void begin(fetch::Fetcher& fetcher);
  // No new polls, and looks that have not begun are given up; on_idle is called once nothing is in
  // flight any more.
  void stop(std::function<void()> on_idle);
  // After stop(): whatever can be ended is.
  void give_up();
  void turn();
  // Its page is being removed: the answer will be dropped.
  void forget(PageSlot page);
  // This page next, whatever its turn, as soon as its host and the budget let it.
  void poll_now(PageSlot page) {
    state_.asked_for.add(page);
    request_turn();
  }

  std::size_t in_flight() const { return flights_.in_use(); }
  // Grows while polls are decided or end; stands still when nothing gets ahead any more.
  std::uint64_t turns() const { return state_.turns; }
  // Counts since the last call; `minute` and `budget` are the caller's to fill.
  store::MinuteRow take_counts() {
    add(state_.counts, state_.totals);
    return std::exchange(state_.counts, {});
  }
  PollTotals totals() const {  // since the start
    PollTotals all = state_.totals;
    add(state_.counts, all);
    return all;
  }

  RobotsBook& robots() { return robots_; }
  void set_fetches(const concurrency::ControllerOptions& fetches) {
    options_.fetches = fetches;
    controller_.set_limits(fetches, parts_.clock.now());
    flights_.grow(std::max({fetches.fixed, fetches.most, fetches.most_if_slow}) +
                  options_.most_hashing + ProgramFlights::most);
  }
  concurrency::Controller& controller() { return controller_; }

  void on_ready(fetch::Token token) override;
  void on_piece(fetch::Token token, std::string piece) override;
  void on_done(fetch::Response response) override;

 private:
  struct State {  // of the loop itself
    ThreadOwner owner;
    std::function<void()> on_idle = {};
    bool stopping = false;
    bool turn_requested = false;
    std::uint64_t turns = 0;
    ProgramFlights programs;
    AskedFor asked_for;  // see poll_now
    PageLog log;
    store::MinuteRow counts;
    PollTotals totals;  // without those of `counts`
  };
  enum class Started { no, yes };

  void start_new(Instant now);
  bool can_start(Instant now);
  std::optional<schedule::Choice> choose(Instant now);
  std::optional<Instant> look_soon(Instant now);
  Started start(const schedule::Choice& choice, Instant now);
  void deny(const schedule::Choice& choice, Instant now);
  void choose_access_point(Flight& flight, std::optional<fetch::AccessPointId> like);
  Duration wait_for_agent(HostSlot host);
  Started put_off_rendered(const schedule::Choice& choice, agent::RenderRoom room, Instant now);

  void prepare(Flight& flight, Instant now);
  void sent(const Flight& flight, Instant now);

  void reap(Flight& flight, Instant now);
  void hash(Flight& flight, Instant now);
  void examine(Flight& flight, HashedBody body);
  void follow(Flight& flight, const std::string& target, Instant now);
  void ask_robots(HostSlot host, std::string_view url, Instant now, Flight* hop);
  void ask_missing(PageSlot page, Instant now);
  void set_out(Flight& flight, Duration timeout, std::optional<fetch::AccessPointId> like,
               Instant now);
  void wait(Flight& flight, Instant now);
  void resume_waiting(Instant now);
  void resume(Flight& flight, Instant now);

  void conclude(Flight& flight, End end);
  void finish(Flight& flight, End end, const Moment& at);
  void let_go(Flight& flight);
  void finish_pageless(Flight& flight, End end, const Moment& at, bool given_up);
  void look_again(Flight& flight, Instant now);
  void record(Flight& flight, End end, const Moment& at);
  void end_flight(Flight& flight, Instant now);

  void request_turn() {
    if (std::exchange(state_.turn_requested, true)) return;
    parts_.loop.post([this] {
      state_.turn_requested = false;
      turn();
    });
  }
  void arm(Instant now);
  Manners manners() const { return {parts_.config, parts_.hosts, parts_.scheduler}; }
  // The page that a request for robots.txt is charged to; empty: none, its own host is.
  std::string_view payer(const Flight& flight) {
    const Flight* poll = flight.payer ? flights_.find(*flight.payer) : nullptr;
    return poll ? parts_.pages[poll->page].url.view() : std::string_view();
  }
  const PageSettings& settings(const Flight& flight) const {
    return parts_.settings[parts_.pages[flight.page].settings];
  }
  Flight& detecting(fetch::Token token) {
    Flight* flight = flights_.find(token);
    assert(flight && (flight->stage == Stage::hashing || flight->stage == Stage::in_program));
    return *flight;
  }
  static Keep keep_for(const PageSettings& settings) {
    if (!settings.rules) return Keep::no;
    return needs_program(*settings.rules) ? Keep::for_program : Keep::for_look;
  }
  std::size_t fetches_at_most() const {
    return options_.fetches.fixed > 0 ? options_.fetches.fixed : options_.fetches.most;
  }
  // A budget that is not used up wants more fetches.
  concurrency::Behind behind() const {
    return parts_.budget.unlimited() ? concurrency::Behind::no : concurrency::Behind::yes;
  }
  Moment moment() const { return {parts_.clock.now(), parts_.clock.wall()}; }

  Parts parts_;
  PollLoopOptions options_;
  FlightTable flights_;
  Departures departures_;
  RobotsRequests robots_;
  Doubts doubts_;
  Redirects redirects_;
  Renderers renderers_;
  concurrency::Controller controller_;
  std::unique_ptr<Hasher> hasher_;
  BodyCredit credit_;
  std::unique_ptr<Timer> timer_;
  State state_;
};

}  // namespace pollux::engine

// Which page is polled next, and what may keep it from being polled at this moment: nobody is there
// who could ask or render it, its host is a stranger, programs have no room, robots.txt. A page
// that cannot go now is put back, as if it had not been chosen. Threading: the engine's thread.
#pragma once

#include "engine/asked_for.hpp"
#include "engine/loop_parts.hpp"
#include "engine/page_log.hpp"
#include "engine/program_flights.hpp"
#include "engine/renderers.hpp"
#include "engine/robots_requests.hpp"

#include <optional>

namespace pollux::engine {

class Starts {
 public:
  Starts(const LoopParts& parts, RobotsRequests& robots, PageLog& log)
      : parts_(parts), robots_(robots), log_(log), renderers_(parts.config, parts.access_points) {}

  static constexpr Duration retry_without_agents = std::chrono::milliseconds(500);

  // This page next, whatever its turn, as soon as its host and the budget let it.
  void poll_now(PageSlot page) { asked_for_.add(page); }
  // What somebody asked for goes before what the shares say. Nothing while a look is worth waiting
  // for.
  std::optional<schedule::Choice> choose(bool look_is_soon, Instant now);

  enum class May {
    go,
    not_now,      // it has been put back
    robots_first  // likewise, and somebody has to ask for its host's robots.txt
  };
  // `host_waits`: how long its host, a stranger, should be left alone.
  May check(const schedule::Choice& choice, Duration host_waits, Instant now);
  // The poll begins: after May::go, and before anything else is checked.
  void begin(Flight& flight, const schedule::Choice& choice, const Moment& at);
  void end(Flight& flight);  // it is over

  void choose_access_point(Flight& flight, std::optional<fetch::AccessPointId> like);
  // Makes the flight a second try, if that is worth it.
  bool try_again(Flight& flight);

 private:
  Duration agent_wait(HostSlot host);
  May delay_host(const schedule::Choice& choice, Duration wait, Instant now);
  May decline(const schedule::Choice& choice, Duration wait, Instant now);
  bool finds_renderer(const schedule::Choice& choice, Instant now);
  void deny(const schedule::Choice& choice, Instant now);
  const PageSettings& settings(const PageRecord& page) const {
    return parts_.settings[page.settings];
  }

  const LoopParts parts_;
  RobotsRequests& robots_;
  PageLog& log_;
  AskedFor asked_for_;
  ProgramFlights programs_;
  Renderers renderers_;
  Renderers::Choice renderer_;  // of the choice that was checked last
};

}  // namespace pollux::engine

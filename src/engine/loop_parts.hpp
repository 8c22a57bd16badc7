// What the poll loop and the parts of it work with; all of it outlives them.
#pragma once

#include "engine/access_points.hpp"
#include "engine/cookie_jars.hpp"
#include "engine/host_table.hpp"
#include "engine/outcome.hpp"
#include "engine/page_settings.hpp"
#include "engine/page_table.hpp"
#include "engine/poll_events.hpp"
#include "pollux/base/clock.hpp"
#include "pollux/base/event_loop.hpp"
#include "pollux/base/rng.hpp"
#include "pollux/config/config.hpp"
#include "pollux/learn/policy.hpp"
#include "pollux/schedule/budget.hpp"
#include "pollux/schedule/scheduler.hpp"
#include "pollux/store/sink.hpp"

namespace pollux::engine {

struct LoopParts {
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

  Moment moment() const { return {clock.now(), clock.wall()}; }
};

}  // namespace pollux::engine

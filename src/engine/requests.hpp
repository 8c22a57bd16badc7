// What a flight asks its server for. Pure; the token is the caller's to fill in.
#pragma once

#include "engine/access_points.hpp"
#include "engine/cookie_jars.hpp"
#include "engine/flight.hpp"
#include "engine/host_table.hpp"
#include "engine/page_settings.hpp"
#include "engine/page_table.hpp"

namespace pollux::engine {

// Is its content what scripts make of it?
bool is_rendered(const PageSettings& settings);
// Headers, a login or cookies are sent with it.
HasSecrets secrets_of(const PageSettings& settings);
// Makes a new flight a poll of this page.
void begin_poll(Flight& flight, PageSlot slot, PageRecord& page, HostRecord& host,
                const PageSettings& settings, const Moment& moment);
fetch::Request page_request(const Flight& flight, const PageRecord& page,
                            const PageSettings& settings, const CookieJars* jars,
                            const AccessPoints* access_points, const Moment& moment);
// What the poll leaves in the page's jar, if it has one.
void keep_cookies(CookieJars* jars, const PageRecord& page, const Flight& flight,
                  const PageSettings& settings);
// What a mask hides may have stopped ticking: only a look tells, also where nothing is new.
bool may_end_mask(const PageRecord& page, const PageSettings& settings, WallTime now);
// For a body that is to be looked into.
LookTask look_task(const Flight& flight, const PageRecord& page, const PageSettings& settings,
                   std::shared_ptr<CountedBytes> body, WallTime now);

// For a flight without a page, whose body is kept as text.
fetch::Request text_request(const Flight& flight, const config::Config& config,
                            const AccessPoints* access_points, Instant now);

}  // namespace pollux::engine

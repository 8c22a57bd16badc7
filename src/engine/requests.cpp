#include "engine/requests.hpp"

#include "engine/validators.hpp"
#include "pollux/extract/packed.hpp"
#include "pollux/robots_txt/robots_txt.hpp"

#include <algorithm>

namespace pollux::engine {
namespace {

// With growing pauses about a day: then a page that was JSON and is HTML now is taken as it is.
constexpr std::uint16_t errors_before_another_kind = 24;

fetch::Request common(const Flight& flight, const AccessPoints* access_points, Instant now) {
  fetch::Request request;
  request.url = flight.url;
  request.timeout = std::max(flight.deadline - now, Duration(std::chrono::milliseconds(1)));
  request.access_point = flight.access_point;
  // A probe leaves time to go through the host's own access point after all.
  if (flight.access_point && !flight.rendered &&
      access_points->is_probe(flight.host, *flight.access_point))
    request.timeout /= 2;
  request.fresh_connection = flight.attempt == Attempt::again;
  return request;
}

// A condition looks at what stands there, masked or not.
bool applies_masks(const PageSettings& settings) {
  if (!settings.rules) return false;
  const extract::Rules& rules = extract::rules_of(*settings.rules);
  return !rules.alert && !rules.number;
}

// What of the body an agent is to send: nothing that is known here.
fetch::Remote remote_wish(const Flight& flight, const PageRecord& page,
                          const PageSettings& settings, WallTime now) {
  fetch::Remote wish;
  if (flight.keep == Keep::no || !settings.rules) return wish;
  const extract::Rules& rules = extract::rules_of(*settings.rules);
  if (flight.keep == Keep::for_look) wish.rules = extract::pack(rules);
  wish.wish = wish.rules.empty() ? fetch::Remote::Wish::bytes : fetch::Remote::Wish::content;
  // A look that is compared with others says something also when it is what was known.
  const bool alone = flight.texts.empty() && !may_end_mask(page, settings, now);
  if (page.has_hash && page.has_body_hash && alone) wish.known_body = page.body_hash;
  // Masks are applied here: what they leave has another hash.
  if (alone && flight.look == LookReason::poll && page.masks.empty())
    wish.known_content = page.known_hash();
  wish.wants_whole = !page.known_hash() && !page.traits.empty();
  return wish;
}

}  // namespace

bool is_rendered(const PageSettings& settings) {
  return settings.rules && extract::rules_of(*settings.rules).render;
}

HasSecrets secrets_of(const PageSettings& settings) {
  const bool has_headers = settings.header_lines && !settings.header_lines->empty();
  return has_headers || settings.cookies != config::Cookies::none ? HasSecrets::yes
                                                                  : HasSecrets::no;
}

void begin_poll(Flight& flight, PageSlot slot, PageRecord& page, HostRecord& host,
                const PageSettings& settings, const Moment& moment) {
  flight.page = slot;
  flight.host = page.host;
  flight.secrets = secrets_of(settings);
  flight.conditional = !is_rendered(settings) && sends_validators(page, host, moment.now) &&
                       !may_end_mask(page, settings, moment.wall);
  flight.started = moment.now;
  flight.deadline = moment.now + settings.timeout;
  flight.url.assign(page.url.view());
}

fetch::Request page_request(const Flight& flight, const PageRecord& page,
                            const PageSettings& settings, const CookieJars* jars,
                            const AccessPoints* access_points, const Moment& moment) {
  fetch::Request request = common(flight, access_points, moment.now);
  if (flight.access_point && access_points->is_agent(*flight.access_point))
    request.remote =
        std::make_shared<const fetch::Remote>(remote_wish(flight, page, settings, moment.wall));
  request.max_body = settings.max_body;
  request.user_agent = settings.user_agent;
  request.render = flight.rendered;
  request.price = static_cast<std::uint32_t>(flight.price);
  if (flight.conditional) {
    request.etag = page.etag.str();
    request.last_modified = page.last_modified.str();
  }
  // Whatever a page sends belongs to its own host: a redirect elsewhere goes without, also when it
  // leads back, to a URL that the other host chose.
  if (!flight.trail.left_origin) request.headers = settings.header_lines;
  // Cookies know by themselves which host they are for.
  if (flight.trail.hops > 0) {
    if (settings.cookies != config::Cookies::none) request.cookies = flight.cookies;
  } else if (settings.cookies == config::Cookies::keep && jars) {
    request.cookies = jars->of(page.url.view());
  } else if (settings.cookies != config::Cookies::none) {
    request.cookies.emplace();
  }
  return request;
}

bool may_end_mask(const PageRecord& page, const PageSettings& settings, WallTime now) {
  return !page.masks.empty() && applies_masks(settings) && !page.masks.standing(now).empty();
}

LookTask look_task(const Flight& flight, const PageRecord& page, const PageSettings& settings,
                   std::shared_ptr<CountedBytes> body, WallTime now) {
  LookTask task;
  task.now = now;
  task.host = page.host;
  task.reason = flight.look;
  task.url = page.url.str();
  task.final_url = flight.url;
  task.content_type = flight.answer.content_type;
  task.challenge = flight.answer.challenge;
  task.bytes = std::move(body);
  task.extracted = flight.answer.extracted;
  task.rules = settings.rules;
  if (applies_masks(settings)) {
    task.masks = page.masks.list();
    task.refused = page.masks.refused();
    task.standing = page.masks.standing(now);
    task.alternatives = page.masks.alternatives();
  }
  task.known = page.known_hash();
  task.held = page.held;
  task.traits_before = page.traits.str();
  // Where an answer that was not believed came from says nothing about the page.
  const bool at_home = page.final_url.empty() || page.suspect;
  task.final_before = at_home ? task.url : page.final_url.str();
  if (page.error_streak < errors_before_another_kind) task.kept_before = page.kept_as;
  task.moments_apart = flight.asked - flight.first_asked <= longest_moment;
  task.texts = flight.texts;
  if (page.doubted) task.doubted = page.doubted->seen;
  task.aside = page.aside && now - page.noisy_since < aside_at_most;
  task.status = flight.answer.status;
  return task;
}

void keep_cookies(CookieJars* jars, const PageRecord& page, const Flight& flight,
                  const PageSettings& settings) {
  if (!jars || settings.cookies != config::Cookies::keep) return;
  if (flight.answer.status != 0) {
    jars->put(page.url.view(), flight.answer.cookies);
  } else if (flight.trail.hops > 0) {
    jars->put(page.url.view(), flight.cookies);
  }
}

fetch::Request text_request(const Flight& flight, const config::Config& config,
                            const AccessPoints* access_points, Instant now) {
  fetch::Request request = common(flight, access_points, now);
  request.max_body = robots_txt::most_bytes;
  request.cut_body = true;
  request.user_agent = config.settings.front().user_agent;
  return request;
}

}  // namespace pollux::engine

// One request on its way through the table of routes.
#pragma once

#include "pollux/base/clock.hpp"
#include "pollux/engine/steering.hpp"
#include "pollux/http/server.hpp"
#include "pollux/store/fresh_reader.hpp"
#include "pollux/web/routes.hpp"
#include "pollux/web/workshop.hpp"
#include "web/desk.hpp"
#include "web/fields.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

namespace pollux::web {

// What routes work with; it outlives every call. The reader belongs to the server's thread.
struct Service {
  engine::Steering& steering;
  store::FreshReader& database;
  const Clock& clock;
  Desk& desk;          // for what may take long
  Workshop* workshop;  // for what children do; null: there is none

  store::Reader& reader() const { return database.get(); }
};

struct Call {
  const Service& service;
  std::vector<std::int64_t> ids;  // of the path
  Query query;
  boost::json::object body;
  std::string last_event_id;
  http::Responder responder;
};

// The URL as it stands in the database; what is no URL stays as it is, and is not found.
std::string normalised(const std::string& text);

// page_routes.cpp
void get_pages(Call call);
void get_page(Call call);
void get_sparks(Call call);
void get_hosts(Call call);
void get_access_points(Call call);
// version_routes.cpp
void get_diff(Call call);
void get_versions(Call call);
void get_version(Call call);
// budget_routes.cpp
void get_tree(Call call);
void get_overview(Call call);
void get_budget(Call call);
void get_what_if(Call call);
void get_policy(Call call);
// share_routes.cpp
void get_shares(Call call);
// noise_routes.cpp
void post_noise(Call call);
// look_routes.cpp
void get_status(Call call);
void get_changes(Call call);
void get_masks(Call call);
void get_notifications(Call call);
void get_settings(Call call);
// feed.cpp
void get_feed(Call call);
// openapi.cpp
boost::json::object openapi_description();
void get_openapi(Call call);
// steer_routes.cpp
void post_add(Call call);
void post_remove(Call call);
void post_pause(Call call);
void post_resume(Call call);
void post_poll(Call call);
void post_set(Call call);
void post_reset(Call call);
void post_budget(Call call);
void post_reload(Call call);
void post_mask_accept(Call call);
void post_mask_refuse(Call call);
void post_read(Call call);
void post_retry(Call call);
// workshop_routes.cpp
void post_try(Call call);
void post_replay(Call call);
void get_replay(Call call);
// events.cpp
void get_events(Call call);

}  // namespace pollux::web

#include "pollux/web/routes.hpp"

#include "web/call.hpp"

namespace pollux::web {

std::span<const Route> routes() {
  static constexpr Route table[] = {
      {"GET", "/status", Scope::read, "How the daemon fares, and what it does with its budget",
       &get_status},
      {"GET", "/pages", Scope::read,
       "Pages: ?q= part of the URL, tag, host, match (glob), health, sort, order (asc, desc), "
       "limit "
       "(50), after (what `next` was)",
       &get_pages},
      {"GET", "/pages/one", Scope::read, "One page and why it has its share: ?url=", &get_page},
      {"GET", "/sparks", Scope::read, "Changes per day of the last 14 days: ?ids=1,2,3 of pages",
       &get_sparks},
      {"GET", "/hosts", Scope::read, "Hosts and their pages: ?q= part of the name, limit, after",
       &get_hosts},
      {"GET", "/access-points", Scope::read, "Which access point polls which host",
       &get_access_points},
      {"GET", "/changes", Scope::read,
       "Changes, the newest first: ?url, q, tag, unread=1, limit (50); with after (an id) those "
       "behind it, "
       "the oldest first",
       &get_changes},
      {"GET", "/masks", Scope::read, "Places of pages that are not compared: ?url=", &get_masks},
      {"GET", "/notifications", Scope::read,
       "What is to be told, and what could not be: ?state=waiting, sent or dead; limit (50)",
       &get_notifications},
      {"GET", "/events", Scope::read,
       "What happens, as server-sent events: ?what=poll,change,health; changes resume by "
       "Last-Event-ID",
       &get_events},
      {"POST", "/pages", Scope::steer, "Add pages: {pages: [{url, name, tags …}], dry_run}",
       &post_add},
      {"POST", "/pages/remove", Scope::steer, "Remove pages that were added live", &post_remove},
      {"POST", "/pages/pause", Scope::steer, "Pause pages; for: \"2h\"", &post_pause},
      {"POST", "/pages/resume", Scope::steer, "End the pause of pages", &post_resume},
      {"POST", "/pages/poll", Scope::steer, "Poll pages next in their hosts' turns", &post_poll},
      {"POST", "/pages/set", Scope::steer, "Set something of pages: {set: {importance: 2}}",
       &post_set},
      {"POST", "/pages/reset", Scope::steer, "Drop what was set over the files", &post_reset},
      {"POST", "/budget", Scope::steer, "Requests per second: {budget: \"300/min\"}", &post_budget},
      {"POST", "/reload", Scope::steer, "Read the configuration again", &post_reload},
      {"POST", "/masks/{id}/accept", Scope::steer, "Keep a mask for good", &post_mask_accept},
      {"POST", "/masks/{id}/refuse", Scope::steer, "Compare what a mask hides", &post_mask_refuse},
      {"POST", "/changes/read", Scope::steer, "Mark changes as read: {changes: [1, 2]}",
       &post_read},
      {"POST", "/notifications/{id}/retry", Scope::steer, "Try a delivery again now", &post_retry},
  };
  return table;
}

}  // namespace pollux::web

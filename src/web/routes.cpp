#include "pollux/web/routes.hpp"

#include "web/call.hpp"

namespace pollux::web {

std::span<const Route> routes() {
  static constexpr Route table[] = {
      {"GET", "/status", Scope::read, "How the daemon fares, and what it does with its budget",
       &get_status},
      {"GET", "/pages", Scope::read,
       "Pages: ?q= part of the URL, tag, host, match (glob), health, sort, order (asc, desc), "
       "limit (50), after (what `next` was)",
       &get_pages},
      {"GET", "/pages/one", Scope::read, "One page and why it has its share: ?url=", &get_page},
      {"GET", "/sparks", Scope::read, "Changes per day of the last 14 days: ?ids=1,2,3 of pages",
       &get_sparks},
      {"GET", "/hosts", Scope::read, "Hosts and their pages: ?q= part of the name, limit, after",
       &get_hosts},
      {"GET", "/access-points", Scope::read, "Which access point polls which host",
       &get_access_points},
      {"GET", "/diff", Scope::read,
       "What changed: ?url= with from and to (numbers of versions, or when), or ?change= an id",
       &get_diff},
      {"GET", "/versions", Scope::read, "What is kept of a page: ?url=", &get_versions},
      {"GET", "/versions/one", Scope::read, "The text of a version: ?url=, at (number or when)",
       &get_version},
      {"GET", "/tree", Scope::read,
       "Where the budget goes, a level below ?prefix= : by (host, tag), depth (1, 2), colour",
       &get_tree},
      {"GET", "/overview", Scope::read,
       "Changes found per hour against polling all pages alike: ?hours (24)", &get_overview},
      {"GET", "/budget", Scope::read, "What the budget was spent on: ?minutes (60)", &get_budget},
      {"GET", "/what-if", Scope::read,
       "What another budget would bring, by the rates learnt: ?budget (per second), importance "
       "(TAG:FACTOR)",
       &get_what_if},
      {"GET", "/policy", Scope::read, "How the budget is divided, and how well", &get_policy},
      {"GET", "/shares", Scope::read,
       "What hosts and directories had of the budget: when that was noted, or ?at= one of these",
       &get_shares},
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
      {"GET", "/feed.atom", Scope::read, "The newest changes as an Atom feed: ?tag=", &get_feed},
      {"GET", "/settings", Scope::read, "The settings in force, and where each is said",
       &get_settings},
      {"GET", "/lab/{id}", Scope::read, "How a replay fares, and what it brought", &get_replay},
      {"GET", "/openapi.json", Scope::read, "This table as OpenAPI 3.1", &get_openapi},
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
      {"POST", "/try", Scope::steer,
       "What these rules would keep of a page, which is asked for it: {url, content}", &post_try},
      {"POST", "/lab/replay", Scope::steer,
       "Replay what was recorded: {budget, policy, objective}; its id is for /lab/{id}",
       &post_replay},
      {"POST", "/masks", Scope::steer,
       "Words of a page are noise: {url, text, dry_run}; makes a rule that ignores them",
       &post_noise},
      {"POST", "/masks/{id}/accept", Scope::steer, "Keep a mask for good", &post_mask_accept},
      {"POST", "/masks/{id}/refuse", Scope::steer, "Compare what a mask hides", &post_mask_refuse},
      {"POST", "/changes/read", Scope::steer, "Mark changes as read: {changes: [1, 2]}",
       &post_read},
      {"POST", "/notifications/{id}/retry", Scope::steer, "Try a delivery again now", &post_retry},
  };
  return table;
}

}  // namespace pollux::web

#include "web/operations.hpp"

#include <algorithm>

namespace pollux::web {
namespace described {
namespace {

using D = Described;

constexpr D limit_rows{"limit", "integer", "rows at most; 50 unless told, 1000 at most"};
constexpr D page_url{"url", "string", "the page's URL", true};

constexpr D of_status[] = {{"database", "string", "its file"},

                           {"pages", "any", "of the list"}};
constexpr D pages_query[] = {{"q", "string", "a part of the URL"},
                             {"tag", "string", "with this tag"},
                             {"match", "string", "a glob over the whole URL"},
                             {"health", "string", "with this health"},
                             limit_rows,
                             {"after", "string", "`next` of the rows before"}};
constexpr D of_pages[] = {
    {"pages", "array", "one object per page"},
    {"next", "string?", "what to write as `after`; null: these were the last"}};
constexpr D one_page[] = {page_url};
constexpr D of_page[] = {{"url", "string"}};
constexpr D changes_query[] = {{"url", "string", "of this page"},
                               {"q", "string", "a part of the URL"},
                               {"tag", "string", "with this tag"},
                               {"unread", "integer", "1: those that are not read yet"},
                               limit_rows,
                               {"after", "integer", "those behind this id, the oldest first"}};
constexpr D of_changes[] = {{"changes", "array", "one object per change"}};
constexpr D masks_query[] = {{"url", "string", "of this page"}};
constexpr D of_masks[] = {{"masks", "array", "one object per mask"}};
constexpr D notifications_query[] = {
    {"state", "string", "waiting (unless told), sent, dead or dropped"}, limit_rows};
constexpr D of_notifications[] = {{"notifications", "array", "one object per message"}};
constexpr D events_query[] = {{"what", "string", "poll,change,health, or some of them"}};
constexpr D feed_query[] = {{"tag", "string", "of pages with this tag"}};
constexpr D of_openapi[] = {{"openapi", "string"}, {"info", "object"}, {"paths", "object"}};

constexpr D dry_run{"dry_run", "boolean", "say what would happen, and do nothing"};
constexpr D urls{"urls", "texts", "pages by URL"};
constexpr D tags{"tags", "texts", "pages with one of these tags"};
constexpr D globs{"match", "texts", "pages whose whole URL one of these globs matches"};
constexpr D selection[] = {urls, tags, globs, dry_run};
constexpr D pause_body[] = {
    urls, tags, globs, {"for", "string", "how long: \"2h\"; absent: until it is ended"}, dry_run};
constexpr D set_body[] = {
    urls,
    tags,
    globs,
    {"set", "object", "name, tags, importance, min_interval, max_interval, content", true},
    dry_run};
constexpr D add_body[] = {
    {"pages", "array", "objects with url and, as in `set`, name, tags …", true}, dry_run};
constexpr D of_steering[] = {{"done", "integer", "pages"},
                             {"unchanged", "integer", "pages that were so already"},
                             {"refused", "integer", "pages"},
                             {"dry_run", "boolean"},
                             {"pages", "array", "the first 1000, refusals first: url, what, why"}};
constexpr D budget_body[] = {
    {"budget", "any", "requests per second: 20, \"300/min\", \"unlimited\"", true}, dry_run};
constexpr D of_budget[] = {
    {"budget", "number?", "null: without a limit"}, {"before", "number?"}, {"dry_run", "boolean"}};
constexpr D of_message[] = {{"message", "string"}};
constexpr D read_body[] = {{"changes", "numbers", "their ids", true}};
constexpr D of_read[] = {{"read", "integer", "changes that were not read before"}};

constexpr Operation table[] = {
    {"GET", "/status", {}, {}, of_status},
    {"GET", "/pages", pages_query, {}, of_pages},
    {"GET", "/pages/one", one_page, {}, of_page},
    {"GET", "/changes", changes_query, {}, of_changes},
    {"GET", "/masks", masks_query, {}, of_masks},
    {"GET", "/notifications", notifications_query, {}, of_notifications},
    {"GET", "/events", events_query, {}, {}, "text/event-stream"},
    {"GET", "/feed.atom", feed_query, {}, {}, "application/atom+xml"},
    {"GET", "/openapi.json", {}, {}, of_openapi},
    {"POST", "/pages", {}, add_body, of_steering},
    {"POST", "/pages/remove", {}, selection, of_steering},
    {"POST", "/pages/pause", {}, pause_body, of_steering},
    {"POST", "/pages/resume", {}, selection, of_steering},
    {"POST", "/pages/poll", {}, selection, of_steering},
    {"POST", "/pages/set", {}, set_body, of_steering},
    {"POST", "/pages/reset", {}, selection, of_steering},
    {"POST", "/budget", {}, budget_body, of_budget},
    {"POST", "/reload", {}, {}, of_message},
    {"POST", "/masks/{id}/accept", {}, {}, of_message},
    {"POST", "/masks/{id}/refuse", {}, {}, of_message},
    {"POST", "/changes/read", {}, read_body, of_read},
    {"POST", "/notifications/{id}/retry", {}, {}, of_message},
};

}  // namespace
}  // namespace described

std::span<const Operation> operations() {
  return described::table;
}

const Operation* operation_of(std::string_view method, std::string_view path) {
  const auto found = std::ranges::find_if(described::table, [&](const Operation& one) {
    return one.method == method && one.path == path;
  });
  return found == std::end(described::table) ? nullptr : found;
}

}  // namespace pollux::web

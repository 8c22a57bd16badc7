#include "web/operations.hpp"

#include <algorithm>

namespace pollux::web {
namespace described {
namespace {

using D = Described;

constexpr D limit_rows{"limit", "integer", "rows at most; 50 unless told, 1000 at most"};
constexpr D page_url{"url", "string", "the page's URL", true};

constexpr D of_status[] = {{"database", "string", "its file"}, {"pages", "any", "of the list"}};
constexpr D pages_query[] = {{"q", "string", "a part of the URL"},
                             {"tag", "string", "with this tag"},
                             {"match", "string", "a glob over the whole URL"},
                             {"health", "string", "with this health"},
                             {"host", "string", "of this host, with its port"},
                             {"sort", "string", "by this column; url unless told"},
                             {"order", "string", "asc (unless told) or desc"},
                             limit_rows,
                             {"after", "string", "`next` of the rows before"},
                             {"offset", "integer", "rows to leave out"}};
constexpr D of_pages[] = {
    {"pages", "array", "one object per page"},
    {"next", "string?", "what to write as `after`; null: these were the last"},
    {"total", "integer", "rows that match"}};
constexpr D one_page[] = {page_url};
constexpr D of_page[] = {{"url", "string"},
                         {"page_id", "integer"},
                         {"rules", "object?", "content rules that were set live"},
                         {"forecast", "object", "expected_at, chance_next_hour, chance_next_day"},
                         {"known_polls", "array", "at, outcome"}};
constexpr D sparks_query[] = {{"ids", "string", "1 to 200 ids of pages: 1,2,3", true}};
constexpr D of_sparks[] = {{"sparks", "object", "by id: changes per day, the oldest first"}};
constexpr D hosts_query[] = {{"q", "string", "a part of the name"},
                             limit_rows,
                             {"after", "string", "`next` of the rows before"}};
constexpr D of_hosts[] = {{"hosts", "array", "one object per host"}, {"next", "string?"}};
constexpr D of_access_points[] = {{"access_points", "array"}};
constexpr D diff_query[] = {{"url", "string", "of this page, or ..."},
                            {"from", "string", "the older version: its number, or when"},
                            {"to", "string", "the newer one, likewise"},
                            {"change", "integer", "... of this change"}};
constexpr D of_diff[] = {{"lines", "array", "objects with spans (edit, text), or folded"},
                         {"cut", "boolean", "there was more"}};
constexpr D of_versions[] = {{"versions", "array", "the newest first"}};
constexpr D version_query[] = {page_url, {"at", "string", "its number, or when; else the last"}};
constexpr D of_version[] = {{"number", "integer"}, {"at", "string"}, {"text", "string"}};
constexpr D tree_query[] = {{"prefix", "string", "the beginning of URLs; else all hosts"},
                            {"by", "string", "host (unless told) or tag"},
                            {"depth", "integer", "1 (unless told) or 2 levels"},
                            {"colour", "string", "the page's own"}};
constexpr D of_tree[] = {{"prefix", "string"},
                         {"cells", "array", "5000 at most in all, the rest is one"},
                         {"total_share", "number"},
                         {"at", "string"}};
constexpr D overview_query[] = {{"hours", "integer", "24 unless told, 168 at most"}};
constexpr D of_overview[] = {{"hours", "array", "hour, found, uniform"},
                             {"expected_per_hour", "number"},
                             {"uniform_per_hour", "number"},
                             {"health", "object", "pages by health"},
                             {"pages", "integer"},
                             {"paused", "integer"}};
constexpr D minutes_query[] = {{"minutes", "integer", "60 unless told, 10080 at most"}};
constexpr D of_minutes[] = {{"budget", "number?", "per second; null: without a limit"},
                            {"minutes", "array", "the oldest first"}};
constexpr D what_if_query[] = {{"budget", "string", "polls per second"},
                               {"importance", "string", "TAG:FACTOR"}};
constexpr D of_what_if[] = {{"budget", "number"},
                            {"changes_per_day", "number"},
                            {"share_caught", "number"},
                            {"mean_delay_s", "number"},
                            {"now", "object", "the same, as it is"},
                            {"curve", "array", "the same for other budgets"}};
constexpr D of_policy[] = {{"policy", "string?"},
                           {"objective", "string?"},
                           {"explore", "number?"},
                           {"follow", "number?"},
                           {"expected_changes_per_poll", "number?"},
                           {"ratio_to_optimum", "number?"},
                           {"gini", "number"}};
constexpr D shares_query[] = {{"at", "string", "one of the times"}};
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
constexpr D noise_body[] = {page_url, {"text", "string", "the words", true}, dry_run};
constexpr D of_noise[] = {{"rule", "object", "ignore: a pattern"},
                          {"hides", "texts", "lines of what is kept that it hides in"},
                          {"dry_run", "boolean"}};
constexpr D of_settings[] = {
    {"settings", "array", "key, value, from (file, default or live); no secrets"}};
constexpr D try_body[] = {
    page_url,
    {"content", "object", "rules as under content: in the place of the page's own", true}};
constexpr D of_try[] = {{"media_type", "string?"},
                        {"encoding", "string?"},
                        {"as", "string?", "text, html, json …"},
                        {"kept", "string?", "what counts; 256 KiB at most"},
                        {"cut", "boolean", "there was more of it"},
                        {"matched", "array", "selector, nodes"},
                        {"number", "number?"},
                        {"suspect", "string?"},
                        {"error", "string?", "why nothing was kept"}};
constexpr D replay_body[] = {{"budget", "any", "polls per second: 20, \"300/min\"", true},
                             {"policy", "string", "htraa unless told"},
                             {"objective", "string", "changes (unless told), freshness or age"}};
constexpr D of_replay_begun[] = {{"id", "integer"}};
constexpr D of_replay[] = {{"id", "integer"},
                           {"state", "string", "running, done or failed"},
                           {"progress", "number", "0 to 1"},
                           {"error", "string?", "why it failed"},
                           {"result", "any", "null, or as `pollux lab replay --json` prints it"}};
constexpr D of_message[] = {{"message", "string"}};
constexpr D read_body[] = {{"changes", "numbers", "their ids", true}};
constexpr D of_read[] = {{"read", "integer", "changes that were not read before"}};

constexpr Operation table[] = {
    {"GET", "/status", {}, {}, of_status},
    {"GET", "/pages", pages_query, {}, of_pages},
    {"GET", "/pages/one", one_page, {}, of_page},
    {"GET", "/sparks", sparks_query, {}, of_sparks},
    {"GET", "/hosts", hosts_query, {}, of_hosts},
    {"GET", "/access-points", {}, {}, of_access_points},
    {"GET", "/diff", diff_query, {}, of_diff},
    {"GET", "/versions", one_page, {}, of_versions},
    {"GET", "/versions/one", version_query, {}, of_version},
    {"GET", "/tree", tree_query, {}, of_tree},
    {"GET", "/overview", overview_query, {}, of_overview},
    {"GET", "/budget", minutes_query, {}, of_minutes},
    {"GET", "/what-if", what_if_query, {}, of_what_if},
    {"GET", "/policy", {}, {}, of_policy},
    {"GET", "/shares", shares_query, {}, {}},
    {"GET", "/changes", changes_query, {}, of_changes},
    {"GET", "/masks", masks_query, {}, of_masks},
    {"GET", "/notifications", notifications_query, {}, of_notifications},
    {"GET", "/events", events_query, {}, {}, "text/event-stream"},
    {"GET", "/feed.atom", feed_query, {}, {}, "application/atom+xml"},
    {"GET", "/settings", {}, {}, of_settings},
    {"GET", "/lab/{id}", {}, {}, of_replay},
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
    {"POST", "/try", {}, try_body, of_try},
    {"POST", "/lab/replay", {}, replay_body, of_replay_begun},
    {"POST", "/masks", {}, noise_body, of_noise},
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

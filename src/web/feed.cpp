// GET /feed.atom: the newest changes, of all pages or of a tag, for readers of feeds.
#include "pollux/notify/render.hpp"
#include "web/answers.hpp"
#include "web/call.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

namespace pollux::web {
namespace {

constexpr std::int64_t entries_of_a_feed = 100;

std::vector<std::string> tags_of(const std::string& list) {
  std::vector<std::string> tags;
  boost::system::error_code problem;
  const boost::json::value read = boost::json::parse(list.empty() ? "[]" : list, problem);
  if (problem || !read.is_array()) return tags;
  for (const boost::json::value& tag : read.as_array()) {
    if (tag.is_string()) tags.push_back(notify::visible(tag.get_string()));
  }
  return tags;
}

notify::Item item_of(const store::ChangeView& change) {
  return {.id = change.id,
          .change_id = change.id,
          .at = change.row.found_at,
          .since = change.row.previous_poll_at,
          .name = notify::visible(change.name),
          .url = notify::visible(change.url, 2000),
          .tags = tags_of(change.tags),
          .summary = notify::visible(change.row.summary)};
}

http::Response feed_answer(const Desk::At& at, const std::string& tag) {
  const auto changes = at.reader.changes({.limit = entries_of_a_feed, .tag = tag});
  if (!changes) return problem(changes.error());
  const auto meta = at.reader.meta();
  if (!meta) return problem(meta.error());
  const auto id = meta->find("database_id");
  notify::Message message;
  message.key = (id == meta->end() ? "0" : id->second.substr(0, 8)) + "-";
  for (const store::ChangeView& change : *changes) message.items.push_back(item_of(change));
  // A feed without entries has a time, too: one that does not move by itself.
  const WallTime updated = changes->empty() ? WallTime{} : changes->front().row.found_at;
  http::Response response;
  response.content_type = "application/atom+xml; charset=utf-8";
  response.headers = {{"Cache-Control", "no-cache"}, {"X-Content-Type-Options", "nosniff"}};
  response.body =
      notify::atom_feed(tag.empty() ? "changes" : tag, updated, notify::atom_entries(message));
  return response;
}

}  // namespace

void get_feed(Call call) {
  const std::string tag = call.query.text("tag");
  if (const Status asked = call.query.end(); !asked)
    return call.responder.answer(problem(asked.error()));
  call.service.desk.ask(Desk::Needs::database, call.responder,
                        [tag](const Desk::At& at) { return feed_answer(at, tag); });
}

}  // namespace pollux::web

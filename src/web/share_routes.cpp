#include "pollux/notify/render.hpp"
#include "pollux/report/json.hpp"
#include "pollux/web/when.hpp"
#include "web/answers.hpp"
#include "web/call.hpp"

#include <boost/json/array.hpp>

namespace pollux::web {
namespace {

namespace json = boost::json;

constexpr std::int64_t most_times = 5000;  // 30 days of 10 minutes are 4320
constexpr std::int64_t entries_in_feed = 100;

http::Response times_answer(const Desk::At& at) {
  const auto times = at.reader.share_times(most_times);
  if (!times) return problem(times.error());
  json::array out;
  for (const WallTime time : *times) out.push_back(report::json_time(time));
  return json_answer(json::object{{"times", std::move(out)}});
}

http::Response shares_answer(const Desk::At& at, const std::string& when) {
  const Result<WallTime> moment = parse_when(when, at.now, "at");
  if (!moment) return problem(moment.error());
  const auto shares = at.reader.shares_at(*moment);
  if (!shares) return problem(shares.error());
  json::array out;
  for (const store::ShareView& one : *shares) {
    out.push_back(
        {{"prefix", report::json_utf8(one.prefix)}, {"share", report::json_number(one.share)}});
  }
  return json_answer(json::object{{"at", report::json_time(*moment)}, {"shares", std::move(out)}});
}

http::Response feed_answer(const Desk::At& at, const std::string& tag) {
  const auto changes = at.reader.changes({.limit = entries_in_feed, .tag = tag});
  if (!changes) return problem(changes.error());
  notify::Message message{.key = "changes-", .rule = tag.empty() ? "changes" : tag};
  for (const store::ChangeView& change : *changes) {
    notify::Item item{.id = change.id,
                      .change_id = change.id,
                      .at = change.row.found_at,
                      .since = change.row.previous_poll_at,
                      .name = change.name,
                      .url = change.url,
                      .summary = change.row.summary};
    const json::value tags = report::json_tags(change.tags);
    for (const json::value& one : tags.as_array()) {
      if (one.is_string()) item.tags.emplace_back(one.get_string());
    }
    message.items.push_back(std::move(item));
  }
  const WallTime updated = changes->empty() ? at.now : changes->front().row.found_at;
  http::Response response;
  response.content_type = "application/atom+xml; charset=utf-8";
  response.headers = {{"Cache-Control", "no-store"}, {"X-Content-Type-Options", "nosniff"}};
  response.body = notify::atom_feed(message.rule, updated, notify::atom_entries(message));
  return response;
}

}  // namespace

void get_shares(Call call) {
  const std::string when = call.query.text("at");
  if (const Status asked = call.query.end(); !asked)
    return call.responder.answer(problem(asked.error()));
  call.service.desk.ask(Desk::Needs::database, call.responder, [when](const Desk::At& at) {
    return when.empty() ? times_answer(at) : shares_answer(at, when);
  });
}

void get_feed(Call call) {
  const std::string tag = call.query.text("tag");
  if (const Status asked = call.query.end(); !asked)
    return call.responder.answer(problem(asked.error()));
  call.service.desk.ask(Desk::Needs::database, call.responder,
                        [tag](const Desk::At& at) { return feed_answer(at, tag); });
}

}  // namespace pollux::web

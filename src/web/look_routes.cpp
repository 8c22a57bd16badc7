#include "pollux/report/changes.hpp"
#include "pollux/report/deliveries.hpp"
#include "pollux/report/json.hpp"
#include "pollux/report/page.hpp"
#include "pollux/web/facts.hpp"
#include "web/answers.hpp"
#include "web/call.hpp"

#include <boost/json/array.hpp>

namespace pollux::web {
namespace {

namespace json = boost::json;

constexpr std::int64_t most_rows = 1000;
constexpr std::int64_t usual_rows = 50;

}  // namespace

void get_status(Call call) {
  if (const Status asked = call.query.end(); !asked)
    return call.responder.answer(problem(asked.error()));
  const Result<store::Totals> totals = call.service.desk.totals(call.service.reader());
  if (!totals) return call.responder.answer(problem(totals.error()));
  const Result<report::StatusFacts> facts = status_facts(
      call.service.reader(), call.service.database.path(), call.service.clock.wall(), *totals);
  if (!facts) return call.responder.answer(problem(facts.error()));
  call.responder.answer(json_answer(report::status_json(*facts)));
}

void get_changes(Call call) {
  const std::string url = call.query.text("url"), after = call.query.text("after");
  store::Reader::ChangeQuery query{.url = url.empty() ? "" : normalised(url),
                                   .contains = call.query.text("q"),
                                   .limit = call.query.whole("limit", usual_rows, most_rows),
                                   .tag = call.query.text("tag")};
  query.limit = std::max<std::int64_t>(query.limit, 1);
  query.unread = call.query.whole("unread", 0, 1) == 1;
  if (!after.empty()) query.after_id = call.query.whole("after", 0, INT64_MAX);
  if (const Status asked = call.query.end(); !asked)
    return call.responder.answer(problem(asked.error()));
  // With a filter the whole table may have to be walked.
  call.service.desk.ask(Desk::Needs::database, call.responder, [query](const Desk::At& at) {
    const Result<std::vector<store::ChangeView>> changes = at.reader.changes(query);
    if (!changes) return problem(changes.error());
    return json_answer(json::object{{"changes", report::changes_json(*changes)}});
  });
}

void get_masks(Call call) {
  const std::string url = call.query.text("url");
  if (const Status asked = call.query.end(); !asked)
    return call.responder.answer(problem(asked.error()));
  call.service.desk.ask(Desk::Needs::database, call.responder, [url](const Desk::At& at) {
    std::optional<PageId> page;
    if (!url.empty()) {
      const Result<store::PageRow> row = at.reader.page(normalised(url));
      if (!row) return problem(row.error());
      page = row->id;
    }
    const Result<std::vector<store::MaskView>> masks = at.reader.masks(page, most_rows);
    if (!masks) return problem(masks.error());
    json::array all;
    for_each_masked_page(at.database, *masks, [&](const auto& of_page, const auto& text) {
      for (json::value& mask : report::masks_json(of_page, text)) all.push_back(std::move(mask));
    });
    return json_answer(json::object{{"masks", std::move(all)}});
  });
}

void get_notifications(Call call) {
  std::string state = call.query.text("state");
  const std::int64_t limit = call.query.whole("limit", usual_rows, most_rows);
  if (state.empty()) state = "waiting";
  if (state != "waiting" && state != "sent" && state != "dead" && state != "dropped")
    call.query.note({"'state' must be waiting, sent, dead or dropped", ExitCode::usage});
  if (const Status asked = call.query.end(); !asked)
    return call.responder.answer(problem(asked.error()));
  // Of what was sent there may be much to look through.
  call.service.desk.ask(
      Desk::Needs::database, call.responder,
      [state, most = std::max<std::int64_t>(limit, 1)](const Desk::At& at) {
        const Result<std::vector<store::DeliveryView>> rows = at.reader.deliveries(state, most);
        if (!rows) return problem(rows.error());
        return json_answer(json::object{{"notifications", report::deliveries_json(*rows)}});
      });
}

void get_settings(Call call) {
  if (const Status read = call.query.end(); !read)
    return call.responder.answer(problem(read.error()));
  call.service.steering.settings([responder = call.responder](Result<config::Settings> settings) {
    if (!settings) return responder.answer(problem(settings.error()));
    using From = config::Setting::From;
    boost::json::array rows;
    for (const config::Setting& one : *settings) {
      rows.push_back(boost::json::object{{"key", one.key},
                                         {"value", report::json_utf8(one.value)},
                                         {"from", one.from == From::file   ? "file"
                                                  : one.from == From::live ? "live"
                                                                           : "default"}});
    }
    responder.answer(json_answer(boost::json::object{{"settings", std::move(rows)}}));
  });
}

}  // namespace pollux::web

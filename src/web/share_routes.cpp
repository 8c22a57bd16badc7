#include "pollux/report/json.hpp"
#include "pollux/web/when.hpp"
#include "web/answers.hpp"
#include "web/call.hpp"

#include <boost/json/array.hpp>

namespace pollux::web {
namespace {

namespace json = boost::json;

constexpr std::int64_t most_times = 5000;  // 30 days of 10 minutes are 4320

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

}  // namespace

void get_shares(Call call) {
  const std::string when = call.query.text("at");
  if (const Status asked = call.query.end(); !asked)
    return call.responder.answer(problem(asked.error()));
  call.service.desk.ask(Desk::Needs::database, call.responder, [when](const Desk::At& at) {
    return when.empty() ? times_answer(at) : shares_answer(at, when);
  });
}

}  // namespace pollux::web

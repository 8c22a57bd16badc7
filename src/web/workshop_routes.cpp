#include "pollux/base/text.hpp"
#include "pollux/base/url.hpp"
#include "pollux/learn/policy.hpp"
#include "pollux/report/json.hpp"
#include "web/answers.hpp"
#include "web/call.hpp"

#include <algorithm>
#include <cmath>

#include <boost/json/serialize.hpp>

namespace pollux::web {
namespace {

namespace json = boost::json;

constexpr std::size_t longest_rules = 64u << 10;  // as those that are set
constexpr std::size_t longest_tried_url = 16u << 10;
constexpr double most_replayed_budget = 1e9;

http::Response refused(const Workshop::Refusal& refusal) {
  return problem(refusal.status, refusal.error, refusal.cure);
}

http::Response no_workshop() {
  return problem(503, "this daemon neither tries nor replays anything",
                 "use `pollux try` and `pollux lab replay` in a terminal");
}

bool knows_policy(const std::string& name) {
  const auto known = learn::policies();
  return std::any_of(known.begin(), known.end(),
                     [&](const learn::PolicyInfo& one) { return one.name == name; });
}

std::string_view state_name(Workshop::Replay::State state) {
  switch (state) {
    case Workshop::Replay::State::running:
      return "running";
    case Workshop::Replay::State::done:
      return "done";
    case Workshop::Replay::State::failed:
      break;
  }
  return "failed";
}

}  // namespace

void post_try(Call call) {
  Fields fields(call.body);
  const std::optional<std::string> text = fields.text("url");
  const json::object* const content = fields.object("content");
  if (!text) fields.note({"which page? write url", ExitCode::usage});
  if (content == nullptr)
    fields.note({"which rules? write content, as {\"select\": \"main\"}", ExitCode::usage});
  Result<Url> url = parse_url(text.value_or(""));
  if (text && !url) fields.note({"url: " + url.error().message, ExitCode::usage});
  if (url && url->text.size() > longest_tried_url)
    fields.note({"url: it is longer than 16 KiB", ExitCode::usage});
  if (const Status read = fields.end(); !read) return call.responder.answer(problem(read.error()));
  std::string rules = json::serialize(*content);
  if (rules.size() > longest_rules)
    return call.responder.answer(problem(422, "content is longer than 64 KiB"));
  if (call.service.workshop == nullptr) return call.responder.answer(no_workshop());
  call.service.workshop->try_page(
      url->text, std::move(rules),
      [responder = call.responder](Workshop::Outcome<json::object> outcome) {
        if (const auto* refusal = std::get_if<Workshop::Refusal>(&outcome))
          return responder.answer(refused(*refusal));
        responder.answer(json_answer(std::get<json::object>(outcome)));
      });
}

void post_replay(Call call) {
  Fields fields(call.body);
  const std::optional<double> budget = fields.rate("budget");
  const std::string policy = fields.text("policy").value_or("htraa");
  const std::string objective = fields.text("objective").value_or("changes");
  if (!budget || !std::isfinite(*budget) || *budget <= 0 || *budget > most_replayed_budget)
    fields.note({"budget: write polls per second, above 0, as 20 or \"300/min\"", ExitCode::usage});
  if (!knows_policy(policy)) {
    fields.note({"policy: none is called '" + printable(policy, 60) + "'; write htraa or uniform",
                 ExitCode::usage});
  }
  if (std::ranges::find(learn::objective_names, objective) == std::end(learn::objective_names))
    fields.note({"objective: write changes, freshness or age", ExitCode::usage});
  if (const Status read = fields.end(); !read) return call.responder.answer(problem(read.error()));
  if (call.service.workshop == nullptr) return call.responder.answer(no_workshop());
  const Workshop::Outcome<std::int64_t> begun =
      call.service.workshop->begin_replay({*budget, policy, objective});
  if (const auto* refusal = std::get_if<Workshop::Refusal>(&begun))
    return call.responder.answer(refused(*refusal));
  call.responder.answer(json_answer(json::object{{"id", std::get<std::int64_t>(begun)}}));
}

void get_replay(Call call) {
  if (const Status read = call.query.end(); !read)
    return call.responder.answer(problem(read.error()));
  const std::int64_t id = call.ids.front();
  const std::optional<Workshop::Replay> replay =
      call.service.workshop == nullptr ? std::nullopt : call.service.workshop->replay(id);
  if (!replay) {
    return call.responder.answer(
        problem(404, "there is no replay " + std::to_string(id),
                "POST /api/v1/lab/replay begins one; the last 16 are remembered until the daemon "
                "ends"));
  }
  call.responder.answer(json_answer(json::object{
      {"id", id},
      {"state", state_name(replay->state)},
      {"progress", replay->progress},
      {"error", replay->error.empty() ? json::value(nullptr) : report::json_utf8(replay->error)},
      {"result", replay->result}}));
}

}  // namespace pollux::web

#include "pollux/report/json.hpp"
#include "web/answers.hpp"
#include "web/call.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

namespace pollux::web {
namespace {

namespace json = boost::json;
using engine::DryRun;

// The words of a refusal that every route has.
void refuse_call(const Call& call, const Error& error) {
  call.responder.answer(problem(error));
}

json::object result_json(const engine::SteeringResult& result, DryRun dry_run) {
  json::array pages;
  for (const engine::Steered& page : result.pages) {
    pages.push_back(json::object{
        {"url", report::json_utf8(page.url)},
        {"what", report::json_utf8(page.what)},
        {"why", page.why.empty() ? json::value(nullptr) : report::json_utf8(page.why)}});
  }
  return {{"done", result.done},
          {"unchanged", result.unchanged},
          {"refused", result.refused},
          {"dry_run", dry_run == DryRun::yes},
          {"pages", std::move(pages)}};
}

// Called on a thread of the daemon's.
engine::Steering::Done<engine::SteeringResult> tell_result(const Call& call, DryRun dry_run) {
  return [responder = call.responder, dry_run](Result<engine::SteeringResult> result) {
    responder.answer(result ? json_answer(result_json(*result, dry_run)) : problem(result.error()));
  };
}

engine::Steering::Done<std::string> tell_message(const Call& call) {
  return [responder = call.responder](Result<std::string> result) {
    responder.answer(result ? json_answer(json::object{{"message", report::json_utf8(*result)}})
                            : problem(result.error()));
  };
}

DryRun take_dry_run(Fields& fields) {
  return fields.truth("dry_run") ? DryRun::yes : DryRun::no;
}

engine::Selection take_selection(Fields& fields) {
  engine::Selection selection{.urls = fields.texts("urls").value_or(std::vector<std::string>()),
                              .tags = fields.texts("tags").value_or(std::vector<std::string>()),
                              .globs = fields.texts("match").value_or(std::vector<std::string>())};
  if (selection.empty()) fields.note({"which pages? write urls, tags or match", ExitCode::usage});
  return selection;
}

engine::LiveSettings take_settings(Fields& fields) {
  engine::LiveSettings settings;
  settings.name = fields.text("name");
  settings.tags = fields.texts("tags");
  settings.importance = fields.number("importance");
  settings.min_interval = fields.duration("min_interval");
  settings.max_interval = fields.duration("max_interval");
  if (const json::object* content = fields.object("content"))
    settings.content = json::serialize(*content);
  return settings;
}

// What every route with a selection alone has in common.
template <typename Wish>
void steer_selection(Call& call, Wish wish) {
  Fields fields(call.body);
  const DryRun dry_run = take_dry_run(fields);
  engine::Selection selection = take_selection(fields);
  if (const Status read = fields.end(); !read) return refuse_call(call, read.error());
  wish(std::move(selection), dry_run, tell_result(call, dry_run));
}

void decide_mask(const Call& call, engine::MaskDecision decision) {
  Fields fields(call.body);
  if (const Status read = fields.end(); !read) return refuse_call(call, read.error());
  call.service.steering.decide_mask(call.ids.front(), decision, tell_message(call));
}

}  // namespace

void post_add(Call call) {
  Fields fields(call.body);
  const DryRun dry_run = take_dry_run(fields);
  std::vector<engine::LivePage> pages;
  const json::array* list = fields.array("pages");
  if (list == nullptr || list->empty())
    fields.note({"which pages? write pages: [{\"url\": …}]", ExitCode::usage});
  for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
    const std::string name = "pages[" + std::to_string(i) + "]";
    const json::object* one = (*list)[i].if_object();
    if (one == nullptr) {
      fields.note({"'" + name + "' must be an object: {\"url\": …}", ExitCode::usage});
      break;
    }
    Fields inner(*one, name + ".");
    std::optional<std::string> url = inner.text("url");
    engine::LiveSettings settings = take_settings(inner);
    if (!url) inner.note({"'" + name + ".url' is missing", ExitCode::usage});
    if (const Status read = inner.end(); !read) {
      fields.note(read.error());
      break;
    }
    pages.push_back({std::move(*url), std::move(settings)});
  }
  if (const Status read = fields.end(); !read) return refuse_call(call, read.error());
  call.service.steering.add(std::move(pages), dry_run, tell_result(call, dry_run));
}

void post_remove(Call call) {
  steer_selection(call, [&](engine::Selection pages, DryRun dry_run, auto done) {
    call.service.steering.remove(std::move(pages), dry_run, std::move(done));
  });
}

void post_pause(Call call) {
  Fields fields(call.body);
  const DryRun dry_run = take_dry_run(fields);
  engine::Selection selection = take_selection(fields);
  const std::optional<Duration> length = fields.duration("for");
  if (const Status read = fields.end(); !read) return refuse_call(call, read.error());
  call.service.steering.pause(std::move(selection), length, dry_run, tell_result(call, dry_run));
}

void post_resume(Call call) {
  steer_selection(call, [&](engine::Selection pages, DryRun dry_run, auto done) {
    call.service.steering.resume(std::move(pages), dry_run, std::move(done));
  });
}

void post_poll(Call call) {
  steer_selection(call, [&](engine::Selection pages, DryRun dry_run, auto done) {
    call.service.steering.poll(std::move(pages), dry_run, std::move(done));
  });
}

void post_set(Call call) {
  Fields fields(call.body);
  const DryRun dry_run = take_dry_run(fields);
  engine::Selection selection = take_selection(fields);
  engine::LiveSettings settings;
  if (const json::object* wanted = fields.object("set")) {
    Fields inner(*wanted, "set.");
    settings = take_settings(inner);
    if (const Status read = inner.end(); !read) fields.note(read.error());
  }
  if (settings.empty()) {
    fields.note(
        {"what? write set: {…} with name, tags, importance, min_interval, max_interval or "
         "content",
         ExitCode::usage});
  }
  if (const Status read = fields.end(); !read) return refuse_call(call, read.error());
  call.service.steering.set(std::move(selection), std::move(settings), dry_run,
                            tell_result(call, dry_run));
}

void post_reset(Call call) {
  steer_selection(call, [&](engine::Selection pages, DryRun dry_run, auto done) {
    call.service.steering.reset(std::move(pages), dry_run, std::move(done));
  });
}

void post_budget(Call call) {
  Fields fields(call.body);
  const DryRun dry_run = take_dry_run(fields);
  const std::optional<double> budget = fields.rate("budget");
  if (!budget) fields.note({"which? write budget: 20 or \"300/min\"", ExitCode::usage});
  if (const Status read = fields.end(); !read) return refuse_call(call, read.error());
  call.service.steering.set_budget(
      *budget, dry_run,
      [responder = call.responder, now = *budget, dry_run](Result<double> before) {
        if (!before) return responder.answer(problem(before.error()));
        responder.answer(json_answer(json::object{{"budget", report::json_number(now)},
                                                  {"before", report::json_number(*before)},
                                                  {"dry_run", dry_run == DryRun::yes}}));
      });
}

void post_reload(Call call) {
  Fields fields(call.body);
  if (const Status read = fields.end(); !read) return refuse_call(call, read.error());
  call.service.steering.reload(tell_message(call));
}

void post_mask_accept(Call call) {
  decide_mask(call, engine::MaskDecision::accept);
}

void post_mask_refuse(Call call) {
  decide_mask(call, engine::MaskDecision::refuse);
}

void post_read(Call call) {
  Fields fields(call.body);
  std::vector<std::int64_t> changes = fields.ids("changes");
  if (const Status read = fields.end(); !read) return refuse_call(call, read.error());
  call.service.steering.mark_read(std::move(changes), [responder = call.responder](
                                                          Result<std::size_t> count) {
    responder.answer(count ? json_answer(json::object{{"read", *count}}) : problem(count.error()));
  });
}

void post_retry(Call call) {
  Fields fields(call.body);
  if (const Status read = fields.end(); !read) return refuse_call(call, read.error());
  call.service.steering.retry_delivery(call.ids.front(), tell_message(call));
}

}  // namespace pollux::web

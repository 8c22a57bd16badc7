// GET /events: what happens, as server-sent events. Bounded: what a slow reader does not take stays
// with the engine's stream, which drops it and tells of the gap.
#include "pollux/report/changes.hpp"
#include "pollux/report/json.hpp"
#include "web/answers.hpp"
#include "web/call.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <boost/json/serialize.hpp>

namespace pollux::web {
namespace {

namespace json = boost::json;
using engine::Event;
using What = Event::What;

constexpr std::size_t enough_waiting = 128u << 10;  // bytes: more is not asked of the engine
constexpr std::size_t at_a_time = 16;               // events, and changes of the table
constexpr std::size_t longest_text = 4096;
constexpr Duration silence = std::chrono::seconds(10);

constexpr std::array<std::string_view, 4> event_names = {"poll", "change", "health", "gap"};

std::string_view name_of(What what) {
  return event_names[static_cast<std::size_t>(what)];
}

// Which events are wanted; nullopt: a word is unknown.
std::optional<std::array<bool, 4>> wanted_of(std::string_view list) {
  std::array<bool, 4> wanted{};
  wanted[static_cast<std::size_t>(What::gap)] = true;
  if (list.empty()) list = "poll,change,health";
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    const auto found = std::ranges::find(event_names, list.substr(0, comma));
    if (found == event_names.end() || *found == "gap") return std::nullopt;
    wanted[static_cast<std::size_t>(found - event_names.begin())] = true;
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
  }
  return wanted;
}

json::object event_json(const Event& event) {
  json::object fields{{"at", report::json_time(event.at)}};
  if (event.what == What::gap) {
    fields["missed"] = event.id;
    return fields;
  }
  fields["url"] = report::json_utf8(event.url);
  fields["name"] = event.name.empty() ? json::value(nullptr) : report::json_utf8(event.name);
  const auto text = report::json_utf8(event.text.substr(0, longest_text));
  const auto detail = event.detail.empty()
                          ? json::value(nullptr)
                          : report::json_utf8(event.detail.substr(0, longest_text));
  switch (event.what) {
    case What::poll:
      fields["outcome"] = text;
      fields["failed"] = event.failed;
      fields["why"] = detail;
      fields["status"] = event.status == 0 ? json::value(nullptr) : json::value(event.status);
      fields["ms"] = event.milliseconds;
      break;
    case What::change:
      fields["id"] = event.id;
      fields["summary"] = text;
      break;
    case What::health:
      fields["health"] = detail;
      fields["reason"] = text;
      break;
    case What::gap:
      break;
  }
  return fields;
}

// JSON on one line has no line feed of its own: nothing that a page says can begin another field.
std::string event_text(std::string_view name, std::int64_t id, const json::object& data) {
  std::string text = "event: " + std::string(name) + "\n";
  if (id > 0) text += "id: " + std::to_string(id) + "\n";
  return text + "data: " + json::serialize(data) + "\n\n";
}

// Takes events to one reader, on the server's thread. The stream owns it, by its `woken`.
class Pump {
 public:
  Pump(const Service& service, std::array<bool, 4> wanted, std::optional<std::int64_t> after)
      : service_(service), wanted_(wanted), last_change_(after.value_or(0)), resuming_(after) {}

  void begin(std::shared_ptr<http::Stream> stream) {
    stream_ = stream;
    // Before the table is looked at, so that nothing falls between the two.
    source_ = service_.steering.events([weak = std::weak_ptr(stream)] {
      if (const auto there = weak.lock()) there->wake();
    });
    stream->wake();
  }

  void run() {
    const auto stream = stream_.lock();
    if (!stream || !source_) return;
    if (resuming_) resume(*stream);
    while (!resuming_ && stream->waiting() < enough_waiting) {
      const std::vector<Event> events = source_->take(at_a_time);
      if (events.empty()) break;
      for (const Event& event : events) pass_on(*stream, event);
    }
    const Instant now = service_.clock.now();
    if (stream->waiting() == 0 && now - last_sent_ >= silence) send(*stream, ":\n\n");
  }

 private:
  bool wants(What what) const { return wanted_[static_cast<std::size_t>(what)]; }

  void send(http::Stream& stream, std::string text) {
    last_sent_ = service_.clock.now();
    stream.send(std::move(text));
  }

  // The engine does not keep names; the seldom events are worth a question.
  std::string name_of_page(const Event& event) const {
    if (event.what == What::poll || event.what == What::gap || !event.name.empty())
      return event.name;
    const Result<store::PageRow> page = service_.reader().page(event.url);
    return page ? page->spec.name : "";
  }

  void pass_on(http::Stream& stream, Event event) {
    if (!wants(event.what)) return;
    const bool is_change = event.what == What::change;
    if (is_change && event.id <= last_change_) return;  // the table had it already
    if (is_change) last_change_ = event.id;
    event.name = name_of_page(event);
    send(stream, event_text(name_of(event.what), is_change ? event.id : 0, event_json(event)));
  }

  // What was found since the reader was here last.
  void resume(http::Stream& stream) {
    while (stream.waiting() < enough_waiting) {
      const Result<std::vector<store::ChangeView>> changes = service_.reader().changes(
          {.limit = static_cast<std::int64_t>(at_a_time), .after_id = last_change_});
      // Who is told no more comes back with the id of what was told last.
      if (!changes) return stream.close();
      if (changes->empty()) {
        resuming_ = false;
        return;
      }
      for (const store::ChangeView& change : *changes) {
        last_change_ = change.id;
        const json::object row = report::change_json(change);
        const json::object data{{"at", row.at("found_at")},
                                {"url", row.at("url")},
                                {"name", row.at("name")},
                                {"id", row.at("id")},
                                {"summary", row.at("summary")}};
        send(stream, event_text("change", change.id, data));
      }
    }
  }

  const Service& service_;
  const std::array<bool, 4> wanted_;
  std::int64_t last_change_;
  bool resuming_;
  Instant last_sent_{};
  std::weak_ptr<http::Stream> stream_;
  std::unique_ptr<engine::EventStream> source_;
};

}  // namespace

void get_events(Call call) {
  const std::string what = call.query.text("what");
  const std::optional<std::array<bool, 4>> wanted = wanted_of(what);
  if (!wanted)
    call.query.note({"'what' must be a list of poll, change and health", ExitCode::usage});
  std::optional<std::int64_t> after;
  if (const std::string& id = call.last_event_id; !id.empty()) {
    std::int64_t number = 0;
    const auto [end, wrong] = std::from_chars(id.data(), id.data() + id.size(), number);
    if (wrong != std::errc{} || end != id.data() + id.size() || number < 0)
      call.query.note({"Last-Event-ID must be the id of a change", ExitCode::usage});
    after = number;
  }
  if (const Status asked = call.query.end(); !asked)
    return call.responder.answer(problem(asked.error()));
  if (!(*wanted)[static_cast<std::size_t>(What::change)]) after.reset();
  const auto pump = std::make_shared<Pump>(call.service, *wanted, after);
  http::Response head;
  head.content_type = "text/event-stream";
  head.headers = {{"Cache-Control", "no-store"}, {"X-Content-Type-Options", "nosniff"}};
  head.body = ": pollux\n\n";
  if (const auto stream = call.responder.stream(std::move(head), [pump] { pump->run(); }))
    pump->begin(stream);
}

}  // namespace pollux::web

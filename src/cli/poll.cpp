#include "cli/commands.hpp"
#include "cli/daemon_events.hpp"
#include "cli/output.hpp"
#include "cli/steering.hpp"
#include "pollux/base/clock.hpp"
#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"
#include "pollux/cli/command_line.hpp"
#include "pollux/report/json.hpp"

#include <memory>
#include <set>

#include <boost/json/array.hpp>
#include <spdlog/fmt/fmt.h>

namespace pollux::cli {
namespace {

namespace json = boost::json;

struct PollOptions {
  SteeringOptions common;
  bool wait = false;
};

// Who misses an event asks for the page itself, so often.
constexpr Duration ask_every = std::chrono::seconds(5);

// Waits until each of these pages was polled, and tells how.
class Waiting {
 public:
  Waiting(DaemonClient& daemon, DaemonEvents events, std::string since, const PollOptions& options)
      : daemon_(daemon), events_(std::move(events)), since_(std::move(since)), options_(options) {}

  void want(const std::string& url) { open_.insert(url); }

  // False: the daemon has ended before.
  Result<bool> run() {
    Instant next_ask = clock_.now() + ask_every;
    while (!open_.empty() && !events_.ended()) {
      bool missed = false;
      for (const DaemonEvent& event : events_.take(ask_every)) {
        missed = missed || event.what == "gap";
        if (event.what == "poll") take(event.data);
      }
      if (!missed && clock_.now() < next_ask) continue;
      next_ask = clock_.now() + ask_every;
      if (const Status asked = ask_for_the_rest(); !asked) return asked.error();
    }
    return open_.empty();
  }
  const json::array& outcomes() const { return outcomes_; }

 private:
  void take(const json::object& data) {
    const auto found = open_.find(words_in(data, "url"));
    if (found == open_.end()) return;
    open_.erase(found);
    tell(data);
  }
  Status ask_for_the_rest() {
    const std::set<std::string> rest = open_;
    for (const std::string& url : rest) {
      const Result<json::object> page = daemon_.get("/pages/one?url=" + query_word(url));
      if (!page) return page.error();
      // Times of this form sort as they are.
      if (words_in(*page, "last_polled_at") <= since_) continue;
      open_.erase(url);
      const std::string error = words_in(*page, "last_error");
      tell({{"url", url},
            {"outcome", error.empty() ? "polled" : error},
            {"status", count_in(*page, "last_status")},
            {"ms", nullptr}});
    }
    return success();
  }
  void tell(const json::object& data) {
    outcomes_.push_back(data);
    if (options_.common.json) return;
    std::puts(
        fmt::format("  {}  {}", printable_url(words_in(data, "url")), outcome_in(data)).c_str());
    std::fflush(stdout);
  }

  DaemonClient& daemon_;
  DaemonEvents events_;
  const std::string since_;
  const PollOptions& options_;
  const SystemClock clock_{};
  std::set<std::string> open_{};
  json::array outcomes_{};
};

int poll_and_wait(const PollOptions& options) {
  Result<DaemonClient> daemon = DaemonClient::connect(options.common.database);
  if (!daemon) return report(daemon.error());
  Result<json::object> body = selection_of(options.common, daemon->database());
  if (!body) return report(body.error());
  // Before the wish, so that no outcome is missed.
  Result<http::Client> stream = daemon->open_events("?what=poll");
  if (!stream) return report(stream.error());
  Waiting waiting(*daemon, DaemonEvents(std::move(*stream)), format_time(SystemClock().wall()),
                  options);
  Result<json::object> result = daemon->post("/pages/poll", *body);
  if (!result) return report(result.error());
  for (const json::value& page : (*result)["pages"].as_array()) {
    const std::string what = words_in(page.as_object(), "what");
    if (what != "refused") waiting.want(words_in(page.as_object(), "url"));
  }
  int code = static_cast<int>(count_in(*result, "refused") > 0 ? ExitCode::bad_data : ExitCode::ok);
  if (!options.common.json) code = tell_steered(*result, options.common, "asked for:");
  const Result<bool> all = waiting.run();
  if (!all) return report(all.error());
  if (options.common.json) {
    (*result)["outcomes"] = waiting.outcomes();
    show_json(*result);
  }
  if (*all) return code;
  return report({"the daemon ended before every page was polled", ExitCode::unavailable});
}

}  // namespace

std::function<int()> setup_poll(CommandLine& line) {
  auto options = std::make_shared<PollOptions>();
  add_steering_options(line, options->common);
  line.flag("--wait", options->wait, "Wait for each (the first 1000), and tell what it brought");
  line.footer(
      "They are next in their hosts' turns, whatever min_interval says: the budget pays\n"
      "for them, and the pauses of their hosts are kept.");
  return [options] {
    const bool wait = options->wait && !options->common.dry_run;
    return wait ? poll_and_wait(*options)
                : steer_pages(options->common, "/pages/poll", "to be polled next");
  };
}

}  // namespace pollux::cli

// `pollux demo`: a site that changes, the daemon on it, and a live view of how it learns.
#include "cli/commands.hpp"
#include "cli/demo_terminal.hpp"
#include "cli/demonstration.hpp"
#include "cli/output.hpp"
#include "pollux/base/units.hpp"
#include "pollux/cli/command_line.hpp"
#include "pollux/report/json.hpp"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include <boost/json.hpp>

namespace pollux::cli {
namespace {

struct Arguments {
  DemoOptions options;
  std::string budget = "60";
  double seconds = 0;  // 0: not said
  bool json = false;
};

// Blocks SIGINT and SIGTERM in this thread and all it starts, so that they are waited for and not
// interrupted by.
class StopSignals {
 public:
  StopSignals() {
    sigemptyset(&set_);
    sigaddset(&set_, SIGINT);
    sigaddset(&set_, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set_, &before_);
  }
  ~StopSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  // True when one came within this time.
  bool wait(double seconds) const {
    const auto whole = std::floor(seconds);
    timespec limit{};
    limit.tv_sec = static_cast<time_t>(whole);
    limit.tv_nsec = static_cast<long>((seconds - whole) * 1e9);
    return sigtimedwait(&set_, nullptr, &limit) > 0;
  }

 private:
  sigset_t set_{}, before_{};
};

enum class Ending { time_over, interrupted };

// Shows the demonstration until its time is over, somebody stops it or it fails.
Result<Ending> watch(Demonstration& demonstration, const StopSignals& signals, LiveScreen* screen,
                     bool quiet, bool goes_on) {
  constexpr int plain_every =
      5;  // seconds; and one at once, so that nobody waits for a sign of life
  for (int tick = 0;; ++tick) {
    const double left = demonstration.progress().seconds - demonstration.elapsed();
    if (left <= 0 && !goes_on) return Ending::time_over;
    if (left <= 1 && goes_on) demonstration.extend();
    if (!demonstration.running()) return Ending::interrupted;
    if (tick > 0) {
      const demo::Canvas canvas = stdout_canvas();
      if (Status status = demonstration.update(canvas.height); !status) return status.error();
      if (screen != nullptr) {
        screen->show(draw(demonstration.progress(), canvas));
      } else if (!quiet && (tick == 1 || tick % plain_every == 0)) {
        std::printf("%s\n", plain_line(demonstration.progress()).c_str());
        std::fflush(stdout);
      }
    }
    // Ticks stay on whole seconds, however long the drawing took.
    const double to_next = tick + 1 - demonstration.elapsed();
    if (signals.wait(std::clamp(to_next, 0.0, goes_on ? 1.0 : left))) return Ending::interrupted;
  }
}

void announce(const demo::Progress& progress) {
  std::printf("Watching the %zu pages of %s for %s with a budget of %s.\n", progress.pages,
              progress.site_url.c_str(), format_duration(from_seconds(progress.seconds)).c_str(),
              format_rate(progress.budget).c_str());
  if (!progress.web_url.empty()) std::printf("Look at it: %s\n", progress.web_url.c_str());
  std::fflush(stdout);
}

boost::json::object json_of(const Demonstration& demonstration, Ending ending) {
  const demo::Progress& progress = demonstration.progress();
  const demo::Tally& now = progress.now();
  boost::json::object all{{"pages", progress.pages},
                          {"hosts", progress.hosts},
                          {"budget", progress.budget},
                          {"seconds", now.at},
                          {"interrupted", ending == Ending::interrupted},
                          {"requests", now.requests},
                          {"changes_made", now.made},
                          {"changes_found", now.found},
                          {"uniform_would_find", now.uniform},
                          {"ratio", nullptr},
                          {"web", report::json_utf8(progress.web_url)},
                          {"noisy_pages", progress.noisy},
                          {"masked_pages", progress.masked},
                          {"useless_changes", progress.useless},
                          {"database", report::json_text_or_null(progress.database)}};
  if (const auto advantage = progress.advantage()) all["ratio"] = *advantage;
  boost::json::array timeline;
  for (const demo::Tally& t : progress.timeline) {
    timeline.push_back({{"at", t.at},
                        {"requests", t.requests},
                        {"changes_made", t.made},
                        {"changes_found", t.found},
                        {"uniform_would_find", t.uniform}});
  }
  all["timeline"] = std::move(timeline);
  boost::json::array watched;
  for (const demo::WatchedPage& page : progress.watched) {
    boost::json::object row{{"url", demonstration.page_url(page.page)},
                            {"true_rate", page.true_rate},
                            {"learnt_rate", nullptr},
                            {"share", page.share},
                            {"polls", page.polls},
                            {"changes", page.changes}};
    if (page.learnt_rate) row["learnt_rate"] = *page.learnt_rate;
    watched.push_back(std::move(row));
  }
  all["watched"] = std::move(watched);
  return all;
}

int run_demo(Arguments& arguments) {
  const Result<double> budget = parse_rate(arguments.budget);
  if (!budget) return report({"--budget: " + budget.error().message, ExitCode::usage});
  if (!std::isfinite(*budget)) {
    return report({"--budget: a demo needs a limit, for example 60", ExitCode::usage});
  }
  arguments.options.budget = *budget;
  if (arguments.seconds > 0) arguments.options.seconds = arguments.seconds;
  const StopSignals signals;
  const SystemClock clock;
  auto started = Demonstration::start(arguments.options, clock);
  if (!started) return report(started.error());
  Demonstration& demonstration = **started;
  std::optional<LiveScreen> screen;
  if (!arguments.json && stdout_is_terminal()) screen.emplace();
  if (!arguments.json && !screen) announce(demonstration.progress());
  const Result<Ending> ending = watch(demonstration, signals, screen ? &*screen : nullptr,
                                      arguments.json, screen.has_value() && arguments.seconds == 0);
  const Status stopped = demonstration.stop();
  screen.reset();
  if (!ending) return report(ending.error());
  if (!stopped) return report(stopped.error());
  if (arguments.json) {
    show_json(json_of(demonstration, *ending));
  } else {
    std::fputs(summary(demonstration.progress(), stdout_canvas()).c_str(), stdout);
  }
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

std::function<int()> setup_demo(CommandLine& line) {
  auto arguments = std::make_shared<Arguments>();
  DemoOptions& options = arguments->options;
  line.option("--pages", options.pages, "Number of pages on the site")
      .range(1, 100000)
      .show_default();
  line.option("--budget", arguments->budget, "Requests per second, or for example 300/min")
      .show_default();
  line.option("--seconds", arguments->seconds,
              "How long it runs; without this 60, and on a terminal until Ctrl-C")
      .range(1.0, 86400.0);
  line.option("--database", options.database,
              "Where the results are kept; replaced if it is from an earlier demo")
      .show_default();
  line.option("--seed", options.seed, "The same seed gives the same changes; 0: any")
      .show_default();
  line.flag("--json", arguments->json, "Print the result as one JSON object, nothing else");
  line.footer(
      "While it runs, look at the page whose address it prints, or in another terminal:\n"
      "  pollux top --database pollux-demo.db");
  return [arguments] { return run_demo(*arguments); };
}

}  // namespace pollux::cli

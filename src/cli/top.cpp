#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/stop_signal.hpp"
#include "cli/top_screen.hpp"
#include "cli/top_source.hpp"
#include "pollux/base/clock.hpp"
#include "pollux/cli/command_line.hpp"

#include <memory>

namespace pollux::cli {
namespace {

struct TopOptions {
  DatabaseOption database;
  double every = 1;
  bool once = false, json = false, ascii = false;
};

int show_once(const TopOptions& options) {
  Result<std::unique_ptr<TopSource>> source = TopSource::connect(options.database);
  if (!source) return report(source.error());
  const Result<TopSnapshot> snapshot = (*source)->read({});
  if (!snapshot) return report(snapshot.error());
  if (options.json) {
    show_json(boost::json::object{{"status", snapshot->status},
                                  {"pages", snapshot->list(TopTab::pages).json},
                                  {"changes", snapshot->list(TopTab::changes).json},
                                  {"failing_hosts", snapshot->list(TopTab::hosts).json},
                                  {"access_points", snapshot->list(TopTab::access_points).json},
                                  {"notifications", snapshot->list(TopTab::notifications).json}});
    return 0;
  }
  constexpr std::size_t usual = 80;
  const TopCanvas canvas{.width = terminal_width(stdout).value_or(usual),
                         .height = 0,
                         .unicode = use_utf8_locale() && !options.ascii};
  std::fputs(print_once(*snapshot, canvas).c_str(), stdout);
  return 0;
}

int watch(const TopOptions& options) {
  // Without a daemon it is said as by any other command; one that goes later is waited for.
  if (const auto there = TopSource::connect(options.database); !there) return report(there.error());
  const StopSignal stop;
  Result<std::unique_ptr<TopScreen>> screen = TopScreen::open(options.ascii);
  if (!screen) return report(screen.error());
  const SystemClock clock;
  TopModel model;
  TopWorker worker(options.database, from_seconds(options.every));
  while (!model.quit() && !stop.came()) {
    for (TopNews& news : worker.news()) take(model, std::move(news));
    (*screen)->show(draw(model, (*screen)->canvas(), clock.wall()));
    if (std::optional<TopWish> wish = model.press((*screen)->key())) worker.wish(std::move(*wish));
    worker.choose(model.choice());
  }
  screen->reset();
  return 0;
}

}  // namespace

std::function<int()> setup_top(CommandLine& line) {
  auto options = std::make_shared<TopOptions>();
  line.flag("--once", options->once, "Print all lists once and end; needs no terminal");
  line.flag("--json", options->json, "Print all of it once, as JSON");
  line.option("--every", options->every, "Seconds between two looks at the daemon")
      .called("SECONDS")
      .range(0.2, 3600.0)
      .show_default();
  line.flag("--ascii", options->ascii, "Draw with plain characters");
  add_database_options(line, options->database);
  line.footer(
      "? names the keys: sort, filter, pause, poll, open a difference, mark as read.\n"
      "Goes on until q, and connects again when the daemon is restarted.");
  return
      [options] { return options->once || options->json ? show_once(*options) : watch(*options); };
}

}  // namespace pollux::cli

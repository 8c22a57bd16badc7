// Steering a daemon while it runs: what the control socket and the web page ask of it.
//
// Everything here is a wish: it is looked at on the engine's thread, brought into the database by
// the writer, and in force when `done` hears so. Settings that could run a program, read a file or
// carry a secret (pipe, headers, logins, cookies, paths, notify targets) are not among them: those
// come from configuration files only. A page that a file lists belongs to that file: it can be
// paused and overridden here, not removed.
// Commands are carried out one after the other, and never while a reload is: two clients, or a
// client and a reload, cannot get in each other's way. While the database cannot be written all are
// refused, and nothing is half done.
// Threading: every call from any thread, none of them waits; `done` is called once, on a thread of
// the daemon's, and must not block. When the daemon has ended it is called at once, with a refusal.
#pragma once

#include "pollux/base/ids.hpp"
#include "pollux/base/result.hpp"
#include "pollux/base/time.hpp"
#include "pollux/config/live.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pollux::engine {

enum class DryRun { no, yes };

// Which pages are meant: those that any of these names. Globs match the whole normalised URL.
struct Selection {
  std::vector<std::string> urls = {};
  std::vector<std::string> tags = {};
  std::vector<std::string> globs = {};
  bool empty() const { return urls.empty() && tags.empty() && globs.empty(); }
};

// What can be set of a page while the daemon runs. Absent: as it is.
using LiveSettings = config::LiveSettings;

struct LivePage {
  std::string url;
  LiveSettings settings = {};
};

// What became of one page, or would: "added", "removed", "paused", "resumed", "asked for", "set",
// "reset"; "unchanged"; "refused".
struct Steered {
  std::string url;
  std::string what;
  std::string why = {};  // of a refusal, with the cure; of a file's page it names file and line
};

struct SteeringResult {
  static constexpr std::size_t most_told = 1000;
  std::size_t done = 0, unchanged = 0, refused = 0;
  std::vector<Steered> pages = {};  // the first ones, refusals before others
};

enum class MaskDecision { accept, refuse };

// What happens, as it happens. Bounded: who reads too slowly misses some, and is told how many.
struct Event {
  enum class What : std::uint8_t { poll, change, health, gap };
  What what = What::poll;
  std::uint64_t number = 0;  // since the start; without gaps
  WallTime at{};
  std::string url = {}, name = {};  // the name is empty: the database knows it
  std::string text = {};  // of a change its summary, of a poll its outcome, of a health its reason
  std::string detail = {};        // why a page was polled; which health
  std::int64_t id = 0;            // of a change: its row; of a gap: how many were missed
  int status = 0;                 // HTTP, of a poll
  bool failed = false;            // a poll that saw no content; the text says why
  std::int64_t milliseconds = 0;  // a poll took
};

class EventStream {
 public:
  virtual ~EventStream() = default;
  // What came since the last call, at most `most`. `wake` is called (on any thread, and must not
  // block) when there is something new after an empty answer.
  virtual std::vector<Event> take(std::size_t most) = 0;
};

class Steering {
 public:
  static constexpr std::size_t most_live_pages = 100'000;  // that no file lists
  static constexpr std::size_t most_polls = 10'000;        // of one command
  template <typename Value>
  using Done = std::function<void(Result<Value>)>;
  virtual ~Steering() = default;

  virtual void add(std::vector<LivePage> pages, DryRun dry_run, Done<SteeringResult> done) = 0;
  // Pages that are there already are unchanged, whoever lists them: what is set of them is `set`.
  // Of a file's page this is refused.
  virtual void remove(Selection pages, DryRun dry_run, Done<SteeringResult> done) = 0;
  virtual void pause(Selection pages, std::optional<Duration> length, DryRun dry_run,
                     Done<SteeringResult> done) = 0;
  virtual void resume(Selection pages, DryRun dry_run, Done<SteeringResult> done) = 0;
  // Next in their hosts' turns, whatever min_interval and a page's own back-off say: paid for, and
  // polite (pauses, Retry-After, robots.txt). Of a paused page this is refused: resume it first.
  virtual void poll(Selection pages, DryRun dry_run, Done<SteeringResult> done) = 0;
  virtual void set(Selection pages, LiveSettings settings, DryRun dry_run,
                   Done<SteeringResult> done) = 0;
  // Drops what was set: a file's page is as the file says, another one as the defaults and rules
  // do.
  virtual void reset(Selection pages, DryRun dry_run, Done<SteeringResult> done) = 0;
  // Requests per second, until the next reload of a configuration that says another than before, or
  // until the daemon ends; what was in force before.
  virtual void set_budget(double budget, DryRun dry_run, Done<double> done) = 0;
  // Answers when the new configuration is in force, with what that did, or with the refusal.
  virtual void reload(Done<std::string> done) = 0;
  // In force at once. An accepted mask never ends by itself; a refused one is not learnt again, and
  // the page's next content is a baseline.
  virtual void decide_mask(std::int64_t mask, MaskDecision decision, Done<std::string> done) = 0;
  // Marks changes as read; how many were not.
  virtual void mark_read(std::vector<std::int64_t> changes, Done<std::size_t> done) = 0;
  // A delivery that was given up, or waits, is tried now.
  virtual void retry_delivery(std::int64_t delivery, Done<std::string> done) = 0;

  // The settings in force, in the order of the documentation; a budget that was set is `live`.
  virtual void settings(Done<config::Settings> done) = 0;

  virtual std::unique_ptr<EventStream> events(std::function<void()> wake) = 0;
};

}  // namespace pollux::engine

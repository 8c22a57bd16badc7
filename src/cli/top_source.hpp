// `pollux top` and the daemon: what is read of it, and what is asked of it. TopSource blocks, on
// one thread; TopWorker has that thread, and is spoken with from another one.
#pragma once

#include "cli/daemon_client.hpp"
#include "cli/daemon_events.hpp"
#include "cli/top_model.hpp"
#include "pollux/base/clock.hpp"

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <variant>
#include <vector>

namespace pollux::cli {

// A connection with one daemon. Whatever fails ends it: make another one.
class TopSource {
 public:
  static Result<std::unique_ptr<TopSource>> connect(const DatabaseOption& option);

  // Lists of at most a few hundred rows.
  Result<TopSnapshot> read(const TopChoice& choice);
  // A sentence.
  Result<std::string> steer(const TopWish& wish);
  Result<TopText> text(const TopWish& wish);
  // Of the daemon's events; waits at most that long. `ended` when the daemon has ended.
  std::vector<DaemonEvent> events(Duration at_most) { return events_.take(at_most); }
  bool ended() const { return events_.ended(); }

 private:
  TopSource(DaemonClient daemon, DaemonEvents events, std::unique_ptr<store::Reader> reader)
      : daemon_(std::move(daemon)), events_(std::move(events)), reader_(std::move(reader)) {}
  Result<TopText> diff(const TopWish& wish);
  Result<TopText> why(const TopWish& wish);

  DaemonClient daemon_;
  DaemonEvents events_;
  std::unique_ptr<store::Reader> reader_;
  const SystemClock clock_{};
};

// Something for the model.
struct TopLost {
  std::string why;
};
struct TopMessage {
  std::string text;
  bool bad = false;
};
using TopNews = std::variant<TopSnapshot, DaemonEvent, TopText, TopMessage, TopLost>;
void take(TopModel& model, TopNews news);

// Reads about every `every`, and less often where that takes long; connects again when the daemon
// has gone. Ends when it is destroyed, once what is under way has ended (within ten seconds).
class TopWorker {
 public:
  TopWorker(DatabaseOption option, Duration every);
  ~TopWorker();
  TopWorker(const TopWorker&) = delete;
  TopWorker& operator=(const TopWorker&) = delete;

  void choose(const TopChoice& choice);
  void wish(TopWish wish);
  std::vector<TopNews> news();  // since the last time

 private:
  void run();
  void connect();
  void follow();
  void fulfil(const TopWish& wish);
  void say(TopNews news);

  const DatabaseOption option_;
  const Duration every_;
  const SystemClock clock_{};
  std::unique_ptr<TopSource> source_;
  Instant next_read_{};
  std::atomic<bool> stop_ = false;

  std::mutex mutex_;  // guards what follows
  TopChoice choice_ = {};
  bool fresh_choice_ = false;
  std::deque<TopWish> wishes_ = {};
  std::deque<TopNews> news_ = {};

  std::thread thread_;
};

}  // namespace pollux::cli

// Puts a Snapshot on the board every second. Threading: the engine's thread.
#pragma once

#include "engine/page_walk.hpp"
#include "engine/poll_loop.hpp"
#include "engine/saver.hpp"
#include "pollux/engine/snapshot.hpp"
#include "pollux/store/writer.hpp"

#include <memory>
#include <string>

namespace pollux::engine {

class Snapshots {
 public:
  struct Parts {
    EventLoop& loop;
    const Clock& clock;
    Lists& lists;
    PollLoop& poll_loop;
    Saver& saver;
    const store::Writer& writer;
    SnapshotBoard& board;
  };
  explicit Snapshots(const Parts& parts)
      : parts_(parts), walk_(parts.lists), timer_(parts.loop.make_timer()) {}

  void begin() {
    walk_.step(parts_.clock.now());
    publish();
    timer_->arm(parts_.clock.now() + std::chrono::seconds(1), [this] { begin(); });
  }
  // Why the database cannot be written; empty: it can.
  void set_problem(const std::string& problem) {
    problem_ = problem;
    publish();
  }
  void stopping() {
    stopping_ = true;
    publish();
  }
  void stop() { timer_->cancel(); }

 private:
  void publish() {
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->at = parts_.clock.now();
    snapshot->metrics = parts_.saver.metrics();
    snapshot->totals = parts_.poll_loop.totals();
    snapshot->learner = walk_.learner();
    snapshot->pages = parts_.lists.pages.size();
    snapshot->hosts = parts_.lists.hosts.size();
    snapshot->pages_paused = walk_.paused();
    snapshot->hosts_blocked = walk_.blocked();
    snapshot->polls_in_flight = parts_.poll_loop.in_flight();
    snapshot->writer_queue = parts_.writer.queued();
    snapshot->writer_batches = parts_.writer.batches();
    snapshot->turns = parts_.poll_loop.turns();
    snapshot->problem = problem_;
    snapshot->stopping = stopping_;
    parts_.board.publish(std::move(snapshot));
  }

  Parts parts_;
  PageWalk walk_;
  std::unique_ptr<Timer> timer_;
  std::string problem_;
  bool stopping_ = false;
};

}  // namespace pollux::engine

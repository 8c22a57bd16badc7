// Puts a Snapshot on the board every second, and walks over the pages meanwhile. Threading: the
// engine's thread.
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
      : parts_(parts),
        walk_(parts.lists, [&loop = parts.poll_loop] { return polled(loop.totals()); }),
        timer_(parts.loop.make_timer()),
        step_timer_(parts.loop.make_timer()) {}

  void begin() {
    walk_on();
    publish_every_second();
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
  void stop() {
    timer_->cancel();
    step_timer_->cancel();
  }

 private:
  static constexpr Duration between_steps = std::chrono::milliseconds(50);
  static constexpr Duration between_walks = std::chrono::seconds(1);

  void walk_on() {
    walk_.step(parts_.clock.now());
    const Duration pause = walk_.is_over() ? between_walks : between_steps;
    step_timer_->arm(parts_.clock.now() + pause, [this] { walk_on(); });
  }
  void publish_every_second() {
    publish();
    timer_->arm(parts_.clock.now() + std::chrono::seconds(1), [this] { publish_every_second(); });
  }
  void publish() {
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->at = parts_.clock.now();
    snapshot->metrics = parts_.saver.metrics();
    snapshot->totals = parts_.poll_loop.totals();
    snapshot->learner = walk_.learner();
    snapshot->pages = parts_.lists.pages.size();
    snapshot->hosts = parts_.lists.hosts.size();
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
  std::unique_ptr<Timer> timer_, step_timer_;
  std::string problem_;
  bool stopping_ = false;
};

}  // namespace pollux::engine

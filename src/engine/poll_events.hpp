// Polls, health and changes as events, for whoever listens. Threading: polled() and denied() on the
// engine's thread; changed() on any.
#pragma once

#include "engine/event_hub.hpp"
#include "engine/outcome.hpp"
#include "engine/page_table.hpp"
#include "engine/robots_book.hpp"
#include "pollux/schedule/scheduler.hpp"
#include "pollux/store/rows.hpp"

#include <memory>
#include <vector>

namespace pollux::engine {

class PollEvents {
 public:
  explicit PollEvents(std::shared_ptr<EventHub> hub) : hub_(std::move(hub)) {}
  bool heard() const { return hub_->heard(); }
  // After settle().
  void polled(const PageRecord& page, const Flight& flight, const Outcome& outcome,
              const Moment& at) const;
  // It was due, or asked for, and may not be polled.
  void denied(const PageRecord& page, schedule::Reason reason, const RobotsBook::Denial& denial,
              const Moment& at) const;
  // They are on disk.
  void changed(const std::vector<store::ChangeRow>& changes) const;

 private:
  std::shared_ptr<EventHub> hub_;
};

}  // namespace pollux::engine

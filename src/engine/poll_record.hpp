// One finished poll as the store keeps it.
#pragma once

#include "engine/outcome.hpp"
#include "engine/page_table.hpp"
#include "engine/robots_book.hpp"
#include "pollux/schedule/scheduler.hpp"

namespace pollux::engine {

// After the policy was fed and the scheduler told.
store::PollRecord poll_record(PageSlot slot, const PageRecord& page, const fetch::Response& answer,
                              Outcome outcome, const Moment& moment, const PageSettings& settings,
                              const learn::Policy& policy, const schedule::Scheduler& scheduler);

// A page that was due and may not be polled: takes note of it. It costs nobody anything, teaches
// nothing, and comes back when robots.txt is read again.
store::PollRecord denied_record(PageRecord& page, const RobotsBook::Denial& denial,
                                const Moment& moment);

// A page that was due while nobody could render it: no error of its own.
store::PollRecord unrendered_record(const PageRecord& page, WallTime again);

// What the policy hears of a poll.
void teach(learn::Policy& policy, PageSlot slot, const PageRecord& page, const Outcome& outcome,
           const PageSettings& settings, const learn::CostOptions& cost);

void count(detect::Verdict verdict, store::MinuteRow& counts);

}  // namespace pollux::engine

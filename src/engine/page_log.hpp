// What is logged of pages: one that starts to fail, goes on failing (at the 2nd, 4th, 8th … failure
// in a row) and recovers; one that is moved, redirected or may not be polled; and at debug every
// poll. With a network down every page of a long list fails: beyond a few lines a second they are
// counted, and the count is logged. Threading: the engine's thread; log_change() from any.
#pragma once

#include "engine/outcome.hpp"
#include "engine/robots_book.hpp"

#include <cstdint>

namespace pollux::engine {

class PageLog {
 public:
  // After settle().
  void polled(const PageRecord& page, const Flight& flight, const Outcome& outcome,
              const Moment& at);
  // Before denied_record() takes note of it: `page` is as it was.
  void denied(const PageRecord& page, const RobotsBook::Denial& denial, const Moment& at);
  // Nobody can render it; told once.
  void unrendered(const PageRecord& page, const Moment& at);

  static constexpr double most_at_once = 60, per_second = 1;

 private:
  struct Unsaid {
    std::int64_t failing = 0, recovered = 0, other = 0;
  };
  // Whether there is room for a line; if not, it is counted.
  bool may_say(Instant now, std::int64_t Unsaid::*kind);
  void say_what_was_left_out(Instant now);

  double room_ = most_at_once;
  Instant filled_at_{};
  Instant left_out_since_{};
  Unsaid unsaid_;
};

// What a poll found, in a word.
const char* word_for(detect::Verdict verdict);

// A change that is on disk.
void log_change(const store::ChangeRow& change);

}  // namespace pollux::engine

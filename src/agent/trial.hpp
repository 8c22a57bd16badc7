// Is an agent that says it is there of any use? One whose polls come to nothing many times in a row
// (refused, never answered, answered with nonsense) gets none for a while, so that its hosts go
// elsewhere; then two at a time, until one of them comes to something. Threading: one owner.
#pragma once

#include "pollux/base/time.hpp"

#include <algorithm>
#include <cstddef>

namespace pollux::agent {

class Trial {
 public:
  // It is there, maybe again: what was sent to it before says nothing any more.
  void begins(Instant now) {
    counts_from_ = now;
    in_a_row_ = 0;
  }
  void came_to_something(Instant now) {
    begins(now);
    on_trial_ = false;
    pause_ = first_pause;
  }
  // A poll that left at `sent`. True: from now on it rests.
  bool came_to_nothing(Instant sent, Instant now) {
    if (sent < counts_from_ || now < rests_until_) return false;
    if (++in_a_row_ < most_in_a_row && !on_trial_) return false;
    on_trial_ = true;
    begins(now);
    rests_until_ = now + pause_;
    pause_ = std::min(2 * pause_, longest_pause);
    return true;
  }
  bool takes_one_more(Instant now, std::size_t in_flight) const {
    return now >= rests_until_ && (!on_trial_ || in_flight < at_a_time);
  }

  static constexpr int most_in_a_row = 16;
  static constexpr std::size_t at_a_time = 2;  // on trial
  static constexpr Duration first_pause = std::chrono::seconds(2);
  static constexpr Duration longest_pause = std::chrono::minutes(5);

 private:
  Instant counts_from_ = Instant::min(), rests_until_ = Instant::min();
  int in_a_row_ = 0;
  bool on_trial_ = false;
  Duration pause_ = first_pause;
};

}  // namespace pollux::agent

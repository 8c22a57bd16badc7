// Pages of one host that differed among themselves and turn into the same within a short while: a
// maintenance page, a wall, an error that no word gives away. Bounded: the last few pages of a host
// that turned into something else, and of all hosts together. Threading: the engine's thread.
#pragma once

#include "pollux/base/ids.hpp"
#include "pollux/base/time.hpp"
#include "pollux/detect/digest.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <vector>

namespace pollux::engine {

class AlikePages {
 public:
  static constexpr std::size_t enough = 3;  // pages
  static constexpr std::size_t most_of_a_host = 16, most = 4096;
  static constexpr Duration a_short_while = std::chrono::hours(1);
  // Those that turned together are remembered until then: they may be polled seldom.
  static constexpr Duration remembered = std::chrono::hours(24);

  // A page that showed `before` shows `now`, which is another page altogether. Whether so many have
  // turned into this that it is not believed of any.
  bool turned(HostSlot host, PageSlot page, const detect::Hash& before, const detect::Hash& now,
              Instant at) {
    make_room(host, page, at);
    turns_.push_back({host, page, mark_of(before), mark_of(now), at, false});
    std::vector<Turn*> same;
    std::vector<std::uint32_t> befores;
    for (Turn& turn : turns_) {
      if (turn.host != host || turn.now != mark_of(now)) continue;
      same.push_back(&turn);
      if (std::ranges::find(befores, turn.before) == befores.end()) befores.push_back(turn.before);
    }
    if (befores.size() < enough) return false;
    for (Turn* turn : same) turn->together = true;
    return true;
  }

 private:
  struct Turn {
    HostSlot host{};
    PageSlot page{};
    std::uint32_t before = 0, now = 0;  // the beginnings of their hashes
    Instant at{};
    bool together = false;
  };
  static std::uint32_t mark_of(const detect::Hash& hash) {
    std::uint32_t mark = 0;
    std::memcpy(&mark, hash.data(), sizeof mark);
    return mark;
  }
  void make_room(HostSlot host, PageSlot page, Instant at) {
    std::erase_if(turns_, [&](const Turn& turn) {
      const bool over = at - turn.at >= (turn.together ? remembered : a_short_while);
      return over || (turn.host == host && turn.page == page);
    });
    const auto of_host = [&](const Turn& turn) { return turn.host == host; };
    if (static_cast<std::size_t>(std::ranges::count_if(turns_, of_host)) >= most_of_a_host)
      turns_.erase(std::ranges::find_if(turns_, of_host));
    if (turns_.size() >= most) turns_.pop_front();
  }

  std::deque<Turn> turns_;  // the oldest first
};

}  // namespace pollux::engine

// How far a page is believed when it shows something new. What differs at every request (one of a
// few advertisements, lines in another order) is seldom seen twice in a row. So polls that find
// what was known speak for the page, and those that find something else against it; looks moments
// apart that agree on what is new speak for it as well. They may agree by chance, so trust begins
// small and doubles, and one disagreement ends it. Twelve bytes per page. Threading: the engine's
// thread.
#pragma once

#include "pollux/detect/digest.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

namespace pollux::engine {

class Trust {
 public:
  // Polls in a row that saw the same:
  static constexpr int often = 3;  // is no chance: as good as three looks moments apart
  static constexpr int calm = 10;  // the page is not noisy any more

  // A poll saw this, whether it is believed or not.
  void saw(const detect::Hash& content) {
    const int times = times_seen(content);
    const int known = known_ + (times > 0 ? 1 : -1);
    known_ = static_cast<std::int8_t>(std::clamp(known, 0, most_known));
    if (settled()) wavers_ = false;
    seen_ = static_cast<std::uint8_t>(std::min(times + 1, 255));
    mark_ = mark_of(content);
  }
  // By the last polls in a row.
  int times_seen(const detect::Hash& content) const {
    return mark_of(content) == mark_ ? seen_ : 0;
  }
  bool seen_other_than(const detect::Hash& content) const {
    return seen_ > 0 && mark_of(content) != mark_;
  }
  // It was found as it was known so much more often than not that this is no noise.
  bool settled() const { return known_ >= settled_from; }
  // More often than not, as far as that goes.
  bool mostly_same() const { return known_ > 0; }

  // Looks moments apart saw the same new content, or did not.
  void agreed() {
    agreements_ = static_cast<std::uint8_t>(std::min(agreements_ + 1, most_agreements));
    credit_ = static_cast<std::uint8_t>((1U << agreements_) / 4);
  }
  void disagreed() {
    start_over();
    wavers_ = true;
  }
  // What differed is masked: it is another page now.
  void start_over() {
    agreements_ = credit_ = 0;
    known_ = 0;
    wavers_ = false;
  }
  // Something else was seen, and did not stay; what comes now may not either.
  bool wavers() const { return wavers_; }
  // Two looks that agree may be chance: it takes a third.
  bool none() const { return agreements_ == 0; }
  // Believed even if nobody can look again.
  bool proven() const { return agreements_ >= 2; }

  // A difference that is believed without another look.
  bool has_credit() const { return credit_ > 0; }
  void spend() {
    if (credit_ > 0) --credit_;
  }

  // What is stored of a page says that it is mostly found unchanged.
  void assume_settled(const detect::Hash& content) {
    mark_ = mark_of(content);
    seen_ = 1;
    known_ = settled_from;
  }
  void forget() { *this = {}; }

  // What has to be kept over a restart. Nothing but that it is settled, or is not: plain.
  struct Memory {
    std::uint32_t mark = 0;
    std::uint8_t seen = 0;
    std::int8_t known = 0;
    std::uint8_t agreements = 0, credit = 0;
    bool wavers = false;
  };
  Memory memory() const { return {mark_, seen_, known_, agreements_, credit_, wavers_}; }
  bool is_plain(bool assumed_settled) const {
    return agreements_ == 0 && !wavers_ && settled() == assumed_settled;
  }
  void restore(std::span<const std::int64_t, 6> numbers) {
    const auto held = [&](std::size_t i, std::int64_t most) {
      return static_cast<std::uint8_t>(std::clamp<std::int64_t>(numbers[i], 0, most));
    };
    mark_ = static_cast<std::uint32_t>(numbers[0]);
    seen_ = held(1, 255);
    known_ = static_cast<std::int8_t>(held(2, most_known));
    agreements_ = held(3, most_agreements);
    credit_ = held(4, most_credit);
    wavers_ = numbers[5] != 0;
  }

 private:
  // One of three at random is found again in a row so often once in 81 times.
  static constexpr int settled_from = 4, most_known = 8;
  static constexpr int most_agreements = 6;
  static constexpr int most_credit = 16;  // differences that are believed then

  static std::uint32_t mark_of(const detect::Hash& hash) {
    std::uint32_t mark = 0;
    std::memcpy(&mark, hash.data(), sizeof mark);
    return mark;
  }

  std::uint32_t mark_ = 0;  // the beginning of the hash of what was seen last
  std::uint8_t seen_ = 0;   // polls in a row that saw it
  std::int8_t known_ = 0;   // polls that saw what the poll before saw, less those that did not
  std::uint8_t agreements_ = 0;
  std::uint8_t credit_ = 0;
  bool wavers_ = false;
};

}  // namespace pollux::engine

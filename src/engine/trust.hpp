// How far a page is believed when it shows something new. What differs at every request (one of a
// few advertisements, a line in another order) was never seen for long, so a content that stayed
// for some looks speaks for the page, and so do looks moments apart that agree on what is new.
// Agreeing by chance is quite likely once, so trust begins small and doubles; one disagreement ends
// it. Eight bytes per page. Threading: the engine's thread.
#pragma once

#include "pollux/detect/digest.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace pollux::engine {

class Trust {
 public:
  // Polls in a row that saw the same:
  static constexpr int often = 3;          // is no chance: as good as three looks moments apart
  static constexpr int settled_after = 5;  // what differs then does not differ at every look
  static constexpr int calm = 10;          // it is not noisy any more

  // A poll saw this, whether it is believed or not.
  void saw(const detect::Hash& content) {
    seen_ = static_cast<std::uint8_t>(std::min(times_seen(content) + 1, 255));
    mark_ = mark_of(content);
  }
  // By the last polls in a row.
  int times_seen(const detect::Hash& content) const {
    return mark_of(content) == mark_ ? seen_ : 0;
  }
  bool settled() const { return seen_ >= settled_after; }

  // Looks moments apart saw the same new content, or did not.
  void agreed() {
    agreements_ = static_cast<std::uint8_t>(std::min(agreements_ + 1, most_agreements));
    credit_ = static_cast<std::uint8_t>(1U << (agreements_ - 1U));
  }
  void disagreed() { agreements_ = credit_ = 0; }
  // So far all by chance, perhaps: it takes three looks that agree.
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
    seen_ = settled_after;
  }
  void forget() { *this = {}; }

 private:
  static std::uint32_t mark_of(const detect::Hash& hash) {
    std::uint32_t mark = 0;
    std::memcpy(&mark, hash.data(), sizeof mark);
    return mark;
  }
  static constexpr int most_agreements = 5;  // then sixteen differences are believed

  std::uint32_t mark_ = 0;  // the beginning of the hash of what was seen last
  std::uint8_t seen_ = 0;   // polls in a row that saw it
  std::uint8_t agreements_ = 0;
  std::uint8_t credit_ = 0;
};

}  // namespace pollux::engine

// How old a poll is, and whether it has been here before. A poll names the ask that it answers: it
// is as old as that. Ids are remembered for as long as a copy could still begin.
// Threading: one owner.
#pragma once

#include "pollux/base/time.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_set>
#include <utility>

namespace pollux::agent {

class KnownPolls {
 public:
  explicit KnownPolls(Duration longest_ttl) : longest_ttl_(longest_ttl) {}

  std::uint64_t ask(Instant boot_now) {
    asks_.emplace_back(++last_ask_, boot_now);
    while (asks_.size() > most_asks) asks_.pop_front();
    return last_ask_;
  }
  // Until when a poll may begin that answers this ask; nothing: the ask is forgotten, so too long
  // ago, or was never made.
  std::optional<Instant> begins_until(std::uint64_t ask, Duration ttl) const {
    for (const auto& [id, at] : asks_) {
      if (id == ask) return at + std::min(ttl, longest_ttl_);
    }
    return {};
  }
  // False: it has been here.
  bool add(std::uint64_t id, Instant boot_now) {
    while (!order_.empty() && order_.front().second + longest_ttl_ < boot_now) {
      ids_.erase(order_.front().first);
      order_.pop_front();
    }
    if (!ids_.insert(id).second) return false;
    order_.emplace_back(id, boot_now);
    return true;
  }
  void clear() {  // of another brain, which counts anew
    ids_.clear();
    order_.clear();
  }

 private:
  static constexpr std::size_t most_asks = 64;
  const Duration longest_ttl_;
  std::uint64_t last_ask_ = 0;
  std::deque<std::pair<std::uint64_t, Instant>> asks_;
  std::unordered_set<std::uint64_t> ids_;
  std::deque<std::pair<std::uint64_t, Instant>> order_;
};

}  // namespace pollux::agent

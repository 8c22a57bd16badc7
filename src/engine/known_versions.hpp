// The versions that a page has left within its last polls, so that one which comes back is not
// taken for news: a load balancer between two copies would earn a share of the budget that nothing
// new justifies. Counted in polls and not in hours: a shop that closes every evening is seen closed
// many times before it opens again, and that is news. One pointer in a list of a million pages.
// Threading: the engine's thread.
#pragma once

#include "pollux/detect/digest.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

namespace pollux::engine {

class KnownVersions {
 public:
  static constexpr std::size_t most = 8;
  static constexpr std::uint32_t window = 32;  // polls

  // Whether the page showed it within the last polls; `poll` is the number of the present one.
  bool has(const detect::Hash& hash, std::uint32_t poll) const {
    if (!versions_) return false;
    return std::ranges::any_of(*versions_, [&, mark = mark_of(hash)](const Version& version) {
      return version.mark == mark && version.last_seen != 0 && poll - version.last_seen <= window;
    });
  }
  // The page has another version now; this one was last seen at `poll`, from 1.
  void left(const detect::Hash& hash, std::uint32_t poll) { put(mark_of(hash), poll); }
  // Of those within the last polls: mark and the number of the poll that last saw it.
  template <typename Each>
  void for_each(std::uint32_t poll, Each each) const {
    if (!versions_) return;
    for (const Version& version : *versions_) {
      if (version.last_seen != 0 && poll - version.last_seen <= window)
        each(version.mark, version.last_seen);
    }
  }
  bool empty(std::uint32_t poll) const {
    bool none = true;
    for_each(poll, [&](std::uint32_t, std::uint32_t) { none = false; });
    return none;
  }
  // As for_each() told it.
  void restore(std::uint32_t mark, std::uint32_t poll) { put(mark, poll); }

 private:
  struct Version {
    std::uint32_t mark = 0;  // the beginning of its hash
    std::uint32_t last_seen = 0;
  };
  void put(std::uint32_t mark, std::uint32_t poll) {
    if (!versions_) versions_ = std::make_unique<std::array<Version, most>>();
    const auto same = std::ranges::find(*versions_, mark, &Version::mark);
    Version& version = same != versions_->end()
                           ? *same
                           : *std::ranges::min_element(*versions_, {}, &Version::last_seen);
    version = {mark, poll};
  }
  static std::uint32_t mark_of(const detect::Hash& hash) {
    std::uint32_t mark = 0;
    std::memcpy(&mark, hash.data(), sizeof mark);
    return mark;
  }

  std::unique_ptr<std::array<Version, most>> versions_;
};

}  // namespace pollux::engine

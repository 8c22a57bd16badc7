// From a URL to its position in a list, for a million of them: 16 bytes an entry instead of the
// hundred of an unordered_map. Refers to the list, which must not change. One thread.
#pragma once

#include "pollux/store/rows.hpp"

#include <bit>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace pollux::store {

class UrlIndex {
 public:
  explicit UrlIndex(const std::vector<PageSpec>& pages)
      : pages_(pages), entries_(std::bit_ceil(pages.size() * 2 + 1)) {}

  // Adds pages_[position]. False when its URL is there already.
  bool add(std::uint32_t position) {
    Entry& entry = entries_[locate(pages_[position].url)];
    if (entry.position != vacant) return false;
    entry = {tag(std::hash<std::string_view>{}(pages_[position].url)), position};
    return true;
  }
  std::optional<std::uint32_t> find(std::string_view url) const {
    const Entry& entry = entries_[locate(url)];
    if (entry.position == vacant) return std::nullopt;
    return entry.position;
  }

 private:
  static constexpr std::uint32_t vacant = UINT32_MAX;
  struct Entry {
    std::uint32_t tag = 0;  // saves most comparisons, and with them a cache miss each
    std::uint32_t position = vacant;
  };
  static std::uint32_t tag(std::size_t hash) { return static_cast<std::uint32_t>(hash >> 32); }

  // Where the URL is, or the free entry where it would go.
  std::size_t locate(std::string_view url) const {
    const std::size_t hash = std::hash<std::string_view>{}(url);
    const std::size_t mask = entries_.size() - 1;
    std::size_t at = hash & mask;
    while (entries_[at].position != vacant &&
           (entries_[at].tag != tag(hash) || pages_[entries_[at].position].url != url)) {
      at = (at + 1) & mask;
    }
    return at;
  }

  const std::vector<PageSpec>& pages_;
  std::vector<Entry> entries_;
};

}  // namespace pollux::store

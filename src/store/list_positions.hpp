// From the rows of the table, one after the other, to positions in the list. Most rows come in the
// order of the list, so the next position is tried first; the index is made when that fails.
// Refers to the list, which must not change. One thread.
#pragma once

#include "store/url_index.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace pollux::store {

class ListPositions {
 public:
  explicit ListPositions(const std::vector<PageSpec>& pages) : pages_(pages) {}

  std::optional<std::uint32_t> find(std::string_view url) {
    if (next_ < pages_.size() && pages_[next_].url == url) return next_++;
    const std::optional<std::uint32_t> found = index().find(url);
    if (found) next_ = *found + 1;
    return found;
  }
  // A position whose URL is also that of an earlier one.
  std::optional<std::uint32_t> repeated() {
    static_cast<void>(index());
    return repeated_;
  }

 private:
  const UrlIndex& index() {
    if (index_) return *index_;
    index_.emplace(pages_);
    for (std::uint32_t position = 0; position < pages_.size(); ++position) {
      if (!index_->add(position) && !repeated_) repeated_ = position;
    }
    return *index_;
  }

  const std::vector<PageSpec>& pages_;
  std::uint32_t next_ = 0;
  std::optional<UrlIndex> index_;
  std::optional<std::uint32_t> repeated_;
};

}  // namespace pollux::store

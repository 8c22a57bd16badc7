// Deletes versions that are beyond the options, a few at a time, and keeps every chain whole: the
// first version of a URL that stays is made a full one.
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/store/content.hpp"
#include "store/sqlite.hpp"

#include <cstdint>
#include <set>

namespace pollux::store {

// Before so many bytes are added: the oldest go until the file keeps to its size with them, within
// the caller's transaction. False: there is no such room.
Result<bool> make_room(const Connection& connection, std::int64_t bytes, std::int64_t max_size);

class ContentTidying {
 public:
  // The URL has got one more, and has this many now.
  void note(std::int64_t url_id, std::int64_t versions, const ContentOptions& options) {
    if (versions > options.per_page) crowded_.insert(url_id);
  }
  // One small step; true when there is more to do.
  Result<bool> step(const Connection& connection, const ContentOptions& options, WallTime now);

 private:
  Result<bool> find_crowded(const Connection& connection, const ContentOptions& options);
  Result<bool> trim_crowded(const Connection& connection, const ContentOptions& options);

  std::set<std::int64_t> crowded_;  // URLs with more than per_page versions
  std::int64_t looked_until_ = 0;   // URLs up to here were looked at for that
  std::int64_t looked_for_ = -1;    // per_page at that time
};

}  // namespace pollux::store

// Keeps the database from growing for ever: old rows go, and the pages of the file they leave.
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/store/options.hpp"
#include "store/share_notes.hpp"
#include "store/sqlite.hpp"

#include <array>
#include <cstdint>
#include <string>

namespace pollux::store {

// Gives back some of the file's free pages, but for a few that what comes next will need; true when
// there are more.
inline constexpr std::int64_t spare_pages = 256;
Result<bool> shrink(const Connection& connection, std::int64_t spare = spare_pages);

class Tidying {
 public:
  // One small step, so that polls never wait long for it; true when another one would find more to
  // do. Pages removed from the list go when their last change has gone and they have not been
  // polled for as long; what is known of a host goes when its last page has gone.
  Result<bool> step(const Connection& connection, const Retention& keep, WallTime now);

 private:
  Result<bool> drop_removed(const Connection& connection, std::int64_t before);
  Result<bool> drop_hosts(const Connection& connection);
  ShareNotes share_notes_;
  std::int64_t tidied_until_ = 0;  // page ids up to here are done in this round
  struct HostRows {
    const char* table;
    std::string tidied_until = {};  // likewise, of its hosts
  };
  std::array<HostRows, 3> hosts_{{{"host"}, {"robots"}, {"placement"}}};
};

}  // namespace pollux::store

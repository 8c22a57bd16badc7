// A database that is made of rows of others, from an empty file to one that was checked.
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/store/shard.hpp"
#include "store/shard_source.hpp"
#include "store/sqlite.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace pollux::store {

class ShardTarget {
 public:
  // Nothing may lie at `path`.
  static Result<ShardTarget> create(const std::string& path, const FileRights& rights);

  // From now on `source`, `content` and `plan` mean these; a source at a time.
  Status attach(const ShardSource& source, const std::string& plan);
  Status detach();
  // The rows that the plan has for `part`, and what is known of the whole (`meta`) where it is not
  // known yet. `told` gets parts of 1.
  Status copy(std::uint32_t part, bool whole, const std::function<bool()>& cancelled,
              const std::function<void(std::string_view table, double done)>& told);
  // Nodes and values of the caller's; then all of it is checked and on disk.
  Result<ShardCounts> finish(const std::string& policy, const ShardExtras& extras,
                             const ShardWork& work);

  const Connection& connection() const { return connection_; }

 private:
  ShardTarget(Connection connection, std::string path, const FileRights& rights)
      : connection_(std::move(connection)), path_(std::move(path)), rights_(rights) {}
  Status put(const std::string& policy, const ShardExtras& extras);

  Connection connection_;
  std::string path_;
  FileRights rights_;
  bool has_content_ = false;  // the target's own
  bool content_attached_ = false;
};

// `uri` as of read_only_uri(), or a path.
Status attach_as(const Connection& connection, const std::string& uri, const char* name);

// Active pages of a connection that has source and plan.
Status each_learnt_of(const Connection& connection, const EachLearnt& each);

}  // namespace pollux::store

// A database that is to be divided or merged: nobody writes to it, and it is sound.
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/store/shard.hpp"
#include "store/file_id.hpp"
#include "store/sqlite.hpp"

#include <string>

namespace pollux::store {

struct ShardSource {
  std::string path;      // as it was named
  std::string database;  // what is read: it, or a copy of the newest schema
  std::string content;   // its versions; "" when there are none
  FileRights rights;

  // `number` tells copies in one scratch folder apart.
  static Result<ShardSource> open(const std::string& path, std::uint32_t number,
                                  const ShardWork& work);
  Status check() const;  // nobody has begun to write to it

 private:
  std::string canonical_;
  FileStamp database_stamp_, log_stamp_;
};

// "file:…?mode=ro" for ATTACH.
std::string read_only_uri(const std::string& path);

}  // namespace pollux::store

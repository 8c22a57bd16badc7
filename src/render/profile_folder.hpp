// A folder below the system's temporary one that a browser may fill, gone with this object. What a
// process that was killed left behind is removed by the next one that makes such a folder.
#pragma once

#include "pollux/base/result.hpp"

#include <string>

#include <sys/types.h>

namespace pollux::render {

class ProfileFolder {
 public:
  static Result<ProfileFolder> make(uid_t owner, gid_t group);
  ProfileFolder(ProfileFolder&& other) noexcept;
  ProfileFolder& operator=(ProfileFolder&&) = delete;
  ~ProfileFolder();
  const std::string& path() const { return path_; }

 private:
  ProfileFolder(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}
  std::string path_;
  int lock_;  // held as long as somebody uses the folder
};

}  // namespace pollux::render

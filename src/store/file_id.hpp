// Which file a name or a descriptor means: a name may come to mean another one.
#pragma once

#include <cstdint>
#include <string>

#include <sys/stat.h>

namespace pollux::store {

struct FileId {
  dev_t device = 0;
  ino_t number = 0;  // 0: none
  bool operator==(const FileId&) const = default;
};

inline FileId file_id(int descriptor) {
  struct stat about {};
  return fstat(descriptor, &about) == 0 ? FileId{about.st_dev, about.st_ino} : FileId{};
}
// None: nothing lies there, or nobody can tell what. A link counts as itself.
inline FileId file_id(const std::string& path) {
  struct stat about {};
  return lstat(path.c_str(), &about) == 0 ? FileId{about.st_dev, about.st_ino} : FileId{};
}

// When a file was last written to, and how long it is. Told by its name: to close another
// descriptor of a database's file would end the locks that SQLite has on it.
struct FileStamp {
  std::int64_t seconds = 0, nanoseconds = 0;
  off_t bytes = -1;  // −1: nobody can tell
  bool operator==(const FileStamp&) const = default;
};
inline FileStamp file_stamp(const std::string& path) {
  struct stat about {};
  if (lstat(path.c_str(), &about) != 0) return {};
  return {about.st_mtim.tv_sec, about.st_mtim.tv_nsec, about.st_size};
}

// Who may do what with a file.
struct FileRights {
  mode_t mode = 0600;
  uid_t owner = static_cast<uid_t>(-1);  // −1: whoever makes it
  gid_t group = static_cast<gid_t>(-1);
};
inline FileRights rights_of(const std::string& path) {
  struct stat about {};
  if (stat(path.c_str(), &about) != 0) return {};
  return {about.st_mode & 0777u, about.st_uid, about.st_gid};
}

}  // namespace pollux::store

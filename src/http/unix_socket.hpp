// A Unix socket's file: made with the right mode, and removed by nobody but its maker.
#pragma once

#include "pollux/http/server.hpp"

#include <utility>

#include <sys/types.h>

namespace pollux::http {

class ListeningFile {
 public:
  // Bound and listening. As Server::start_unix().
  static Result<ListeningFile> make(const UnixSocket& wanted);
  ListeningFile(ListeningFile&& other) noexcept
      : path_(std::exchange(other.path_, {})),
        device_(other.device_),
        inode_(other.inode_),
        descriptor_(std::exchange(other.descriptor_, -1)) {}
  ListeningFile& operator=(ListeningFile&&) = delete;
  ~ListeningFile();  // removes the file, if it still is the one that was made

  int release() { return std::exchange(descriptor_, -1); }  // to whoever accepts there

 private:
  ListeningFile() = default;
  std::string path_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  int descriptor_ = -1;
};

}  // namespace pollux::http

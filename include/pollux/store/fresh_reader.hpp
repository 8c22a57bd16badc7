// A reader of a database that may be put back while it is read (a file that was deleted under a
// running daemon is): who asks gets one of the file that is there now. One thread.
#pragma once

#include "pollux/store/reader.hpp"

#include <memory>
#include <string>
#include <utility>

#include <sys/stat.h>

namespace pollux::store {

class FreshReader {
 public:
  FreshReader(std::string path, std::unique_ptr<Reader> reader)
      : path_(std::move(path)), reader_(std::move(reader)), file_(identity()) {}

  Reader& get() {
    const std::pair<dev_t, ino_t> now = identity();
    if (now == file_ || now == none) return *reader_;
    Result<std::unique_ptr<Reader>> opened = Reader::open(path_);
    if (opened) {
      reader_ = std::move(*opened);
      file_ = now;
    }
    return *reader_;
  }
  const std::string& path() const { return path_; }

 private:
  static constexpr std::pair<dev_t, ino_t> none{};
  std::pair<dev_t, ino_t> identity() const {
    struct stat file {};
    return stat(path_.c_str(), &file) == 0 ? std::pair(file.st_dev, file.st_ino) : none;
  }

  const std::string path_;
  std::unique_ptr<Reader> reader_;
  std::pair<dev_t, ino_t> file_;
};

}  // namespace pollux::store

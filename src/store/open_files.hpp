// Which files an open database consists of, and whether their names still mean them. SQLite does
// not notice when they are deleted or replaced: it goes on with the files that it has open.
// Threading: any.
#pragma once

#include "pollux/base/result.hpp"
#include "store/file_id.hpp"

#include <functional>
#include <mutex>
#include <string>

namespace pollux::store {

enum class FileState {
  in_place,
  gone,         // the database or its log: nothing lies there
  replaced,     // another file lies where the database or its log was
  lock_gone,    // no lock file, or another one that nobody holds
  lock_taken,   // another daemon holds the lock file that lies there now
  unreachable,  // nobody can say: the disk, or the folder, does not answer
};

class OpenFiles {
 public:
  // `path` is canonical; the database is open and its log exists.
  OpenFiles(std::string path, FileId lock);
  const std::string& path() const { return path_; }
  FileState look() const;
  // Whether the database's name still means it.
  bool database_in_place() const;

  // Lets `body` change which files they are; nobody looks meanwhile. It returns the lock file's id.
  Status change(const std::function<Result<FileId>()>& body);

 private:
  void note();  // what lies there now is what is open

  const std::string path_;
  mutable std::mutex mutex_;
  FileId database_, log_, index_;  // index: the -shm file
  FileId lock_;
};

}  // namespace pollux::store

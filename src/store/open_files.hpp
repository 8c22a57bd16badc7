// Which files an open database consists of, whether their names still mean them, and whether
// nobody else has written to them. SQLite does not notice when they are deleted, replaced or
// overwritten (`cp backup.db pollux.db`): it goes on with the files that it has open.
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
  overwritten,  // the files are ours, and somebody else has written to them
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

  // Only moving the log into the database writes to the database's file: `body` does. False:
  // somebody else has written to it; then nothing is done.
  bool write_database(const std::function<void()>& body);
  // The log holds so many frames since this moment: its file cannot be shorter.
  void note_log(int frames);
  // Whether nobody else has written to them, as far as can be told.
  bool as_we_left_them() const;
  // What somebody else has written is as good as ours: another program may have moved the log.
  void accept();

  // Lets `body` change which files they are; nobody looks meanwhile. It returns the lock file's id.
  Status change(const std::function<Result<FileId>()>& body);

 private:
  void note();  // what lies there now is what is open
  bool untouched() const;

  const std::string path_;
  mutable std::mutex mutex_;
  FileId database_, log_, index_;  // index: the -shm file
  FileId lock_;
  FileStamp written_;    // the database's, when we last wrote to it
  off_t log_bytes_ = 0;  // that there must be at least
};

}  // namespace pollux::store

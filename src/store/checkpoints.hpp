// When the log is moved into the database. SQLite's own rule asks again at every commit once the
// log is long; with a reader that keeps a transaction open each question sorts the whole log in
// vain. This rule asks again only after the log has grown by a quarter. Must outlive the
// connection.
#pragma once

#include "store/sqlite.hpp"

namespace pollux::store {

class OpenFiles;

class Checkpoints {
 public:
  explicit Checkpoints(int every_frames = 4000) : every_(every_frames), next_(every_frames) {}
  Checkpoints(const Checkpoints&) = delete;
  Checkpoints& operator=(const Checkpoints&) = delete;
  // `files`: told of every commit, and asked before the database is written to; may be null.
  void attach(const Connection& connection, OpenFiles* files = nullptr);
  int attempts() const { return attempts_; }

 private:
  static int after_commit(void* self, sqlite3* database, const char* name, int frames);

  const int every_;
  int next_;  // length of the log at which to try
  int attempts_ = 0;
  OpenFiles* files_ = nullptr;
};

}  // namespace pollux::store

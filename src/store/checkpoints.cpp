#include "store/checkpoints.hpp"

#include "store/open_files.hpp"

#include <algorithm>

namespace pollux::store {

void Checkpoints::attach(const Connection& connection, OpenFiles* files) {
  files_ = files;
  sqlite3_wal_hook(connection.handle(), &Checkpoints::after_commit, this);
}

int Checkpoints::after_commit(void* self, sqlite3* database, const char* name, int frames) {
  auto& rule = *static_cast<Checkpoints*>(self);
  if (rule.files_ != nullptr) rule.files_->note_log(frames);
  if (frames < rule.next_) {
    // A log that begins anew is waited for from its beginning.
    if (frames < rule.every_) rule.next_ = rule.every_;
    return SQLITE_OK;
  }
  ++rule.attempts_;
  int logged = 0, moved = 0, code = SQLITE_BUSY;
  const auto move = [&] {
    code = sqlite3_wal_checkpoint_v2(database, name, SQLITE_CHECKPOINT_PASSIVE, &logged, &moved);
  };
  if (rule.files_ == nullptr) {
    move();
  } else {
    static_cast<void>(rule.files_->write_database(move));  // who watches the files tells
  }
  const bool all = code == SQLITE_OK && moved == logged;
  rule.next_ = all ? rule.every_ : frames + std::max(rule.every_, frames / 4);
  // The commit itself is safe in the log, whatever became of the checkpoint.
  return SQLITE_OK;
}

}  // namespace pollux::store

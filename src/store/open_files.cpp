#include "store/open_files.hpp"

#include "store/lock.hpp"

#include <cerrno>
#include <utility>

namespace pollux::store {
namespace {

enum class Place { same, empty, other, unknown };

Place place_of(const std::string& path, const FileId& known) {
  if (known.number == 0) return Place::same;  // nobody knew it when it was opened
  errno = 0;
  const FileId found = file_id(path);
  if (found == known) return Place::same;
  if (found.number != 0) return Place::other;
  return errno == ENOENT || errno == ENOTDIR ? Place::empty : Place::unknown;
}

// A reader that comes when the log has been deleted makes an empty one.
bool is_empty(const std::string& path) {
  struct stat about {};
  return lstat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode) && about.st_size == 0;
}

}  // namespace

OpenFiles::OpenFiles(std::string path, FileId lock) : path_(std::move(path)), lock_(lock) {
  note();
}

FileState OpenFiles::look() const {
  std::lock_guard guard(mutex_);
  const std::string lock_file = path_ + "-lock", log_file = path_ + "-wal";
  const Place lock = place_of(lock_file, lock_);
  const Place database = place_of(path_, database_);
  if (lock == Place::unknown || database == Place::unknown) return FileState::unreachable;
  if (lock == Place::other && held(lock_file)) return FileState::lock_taken;
  if (database == Place::other) return FileState::replaced;
  if (database == Place::empty) return FileState::gone;
  const Place log = place_of(log_file, log_);
  if (log == Place::other && !is_empty(log_file)) return FileState::replaced;
  if (log != Place::same || place_of(path_ + "-shm", index_) != Place::same) return FileState::gone;
  if (!untouched()) return FileState::overwritten;
  return lock == Place::same ? FileState::in_place : FileState::lock_gone;
}

bool OpenFiles::untouched() const {
  const FileStamp log = file_stamp(path_ + "-wal");
  return file_stamp(path_) == written_ && (log.bytes < 0 || log.bytes >= log_bytes_);
}

bool OpenFiles::as_we_left_them() const {
  std::lock_guard guard(mutex_);
  return untouched();
}

void OpenFiles::accept() {
  std::lock_guard guard(mutex_);
  written_ = file_stamp(path_);
  log_bytes_ = 0;
}

bool OpenFiles::write_database(const std::function<void()>& body) {
  std::lock_guard guard(mutex_);
  if (file_stamp(path_) != written_) return false;
  body();
  written_ = file_stamp(path_);
  return true;
}

void OpenFiles::note_log(int frames) {
  constexpr off_t log_head = 32, frame_head = 24, page = 4096;
  std::lock_guard guard(mutex_);
  log_bytes_ = log_head + frames * (frame_head + page);
}

bool OpenFiles::database_in_place() const {
  std::lock_guard guard(mutex_);
  return place_of(path_, database_) == Place::same;
}

Status OpenFiles::change(const std::function<Result<FileId>()>& body) {
  std::lock_guard guard(mutex_);
  const Result<FileId> lock = body();
  if (!lock) return lock.error();
  lock_ = *lock;
  note();
  return success();
}

void OpenFiles::note() {
  database_ = file_id(path_);
  log_ = file_id(path_ + "-wal");
  index_ = file_id(path_ + "-shm");
  written_ = file_stamp(path_);
  log_bytes_ = 0;
}

}  // namespace pollux::store

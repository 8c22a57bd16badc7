#include "store/lock.hpp"

#include "pollux/base/text.hpp"

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace pollux::store {
namespace {

std::string lock_path(const std::string& path) {
  return canonical_path(path) + "-lock";
}

struct flock whole_file(short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return lock;
}

std::int64_t written_pid(int descriptor) {
  char text[32];
  const ssize_t length = pread(descriptor, text, sizeof text, 0);
  std::int64_t pid = 0;
  if (length > 0) std::from_chars(text, text + length, pid);
  return pid;
}

void write_pid(int descriptor) {
  const std::string text = std::to_string(getpid()) + "\n";
  // The pid is a courtesy to people; the lock holds without it (on a full disk, for example).
  if (ftruncate(descriptor, 0) != 0) return;
  [[maybe_unused]] const ssize_t written = pwrite(descriptor, text.data(), text.size(), 0);
}

Error cannot_lock(const std::string& file, int problem) {
  const bool disk = problem == ENOSPC || problem == EIO || problem == EDQUOT;
  return {"database lock " + printable(file) +
              ": cannot write it: " + std::generic_category().message(problem) +
              "; check that the folder exists and that you may write to it",
          disk ? ExitCode::io : ExitCode::cannot_create};
}

}  // namespace

std::string canonical_path(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::path resolved =
      std::filesystem::weakly_canonical(std::filesystem::absolute(path, ignored), ignored);
  return ignored ? path : resolved.string();
}

Result<DatabaseLock> DatabaseLock::take(const std::string& path) {
  const std::string file = lock_path(path);
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) return cannot_lock(file, errno);
  DatabaseLock lock(descriptor);
  struct flock wanted = whole_file(F_WRLCK);
  if (fcntl(descriptor, F_OFD_SETLK, &wanted) == 0) {
    write_pid(descriptor);
    return lock;
  }
  if (errno != EAGAIN && errno != EACCES) return cannot_lock(file, errno);
  const std::int64_t pid = written_pid(descriptor);
  return Error{"database " + printable(path) + ": another daemon" +
                   (pid > 0 ? " (pid " + std::to_string(pid) + ")" : std::string()) +
                   " holds it; stop that one first, or name another database",
               ExitCode::temporary};
}

DatabaseLock::DatabaseLock(DatabaseLock&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

DatabaseLock& DatabaseLock::operator=(DatabaseLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

DatabaseLock::~DatabaseLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::optional<std::int64_t> lock_holder(const std::string& path) {
  const int descriptor = ::open(lock_path(path).c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  struct flock question = whole_file(F_RDLCK);
  std::optional<std::int64_t> holder;
  if (fcntl(descriptor, F_OFD_GETLK, &question) == 0 && question.l_type != F_UNLCK) {
    holder = written_pid(descriptor);
  }
  ::close(descriptor);
  return holder;
}

}  // namespace pollux::store

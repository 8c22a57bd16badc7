#include "store/lock.hpp"

#include "pollux/base/text.hpp"

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <string_view>
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

constexpr std::size_t lock_bytes = 1024;

Holder read_holder(int descriptor) {
  char buffer[lock_bytes];
  const ssize_t length = pread(descriptor, buffer, sizeof buffer, 0);
  Holder holder;
  if (length <= 0) return holder;
  const std::string_view text(buffer, static_cast<std::size_t>(length));
  std::from_chars(text.data(), text.data() + text.size(), holder.pid);
  const std::size_t start = text.find('\n');
  if (start == std::string_view::npos) return holder;
  if (const std::size_t id = text.find(' '); id < start) {
    holder.database_id = text.substr(id + 1, start - id - 1);
  }
  const std::string_view rest = text.substr(start + 1);
  holder.alert = rest.substr(0, rest.find('\n'));
  return holder;
}

// A courtesy to people; the lock holds without it (on a disk that was full before, for example).
void write_holder(int descriptor, const std::string& id, const std::string& alert) {
  std::string text = std::to_string(getpid()) + (id.empty() ? "" : " " + id) + "\n";
  text += printable(alert).substr(0, lock_bytes - text.size() - 1) + "\n";
  text.resize(lock_bytes - 1, ' ');
  text += '\n';
  [[maybe_unused]] const ssize_t written = pwrite(descriptor, text.data(), text.size(), 0);
  [[maybe_unused]] const int cut = ftruncate(descriptor, lock_bytes);
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
  DatabaseLock lock(descriptor, read_holder(descriptor).database_id);
  struct flock wanted = whole_file(F_WRLCK);
  if (fcntl(descriptor, F_OFD_SETLK, &wanted) == 0) {
    write_holder(descriptor, lock.id_, "");
    return lock;
  }
  if (errno != EAGAIN && errno != EACCES) return cannot_lock(file, errno);
  const std::int64_t pid = read_holder(descriptor).pid;
  return Error{"database " + printable(path) + ": another daemon" +
                   (pid > 0 ? " (pid " + std::to_string(pid) + ")" : std::string()) +
                   " holds it; stop that one first, or name another database",
               ExitCode::temporary};
}

DatabaseLock::DatabaseLock(DatabaseLock&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), id_(std::move(other.id_)) {}

DatabaseLock& DatabaseLock::operator=(DatabaseLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(id_, other.id_);
  return *this;
}

DatabaseLock::~DatabaseLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void DatabaseLock::note(const std::string& alert) const {
  write_holder(descriptor_, id_, alert);
}

void DatabaseLock::remember_id(const std::string& id) {
  id_ = printable(id, 64);
  write_holder(descriptor_, id_, "");
}

std::optional<Holder> lock_holder(const std::string& path) {
  const int descriptor = ::open(lock_path(path).c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  struct flock question = whole_file(F_RDLCK);
  std::optional<Holder> holder;
  if (fcntl(descriptor, F_OFD_GETLK, &question) == 0 && question.l_type != F_UNLCK) {
    holder = read_holder(descriptor);
  }
  ::close(descriptor);
  return holder;
}

}  // namespace pollux::store

#include "store/lock.hpp"

#include "pollux/base/text.hpp"

#include <cerrno>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pollux::store {
namespace {

struct flock whole_file(short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return lock;
}

constexpr std::size_t lock_bytes = 1024;
constexpr char damage_mark[] = "damaged";
constexpr char no_id[] = "-";

Holder read_holder(int descriptor) {
  char buffer[lock_bytes];
  const ssize_t length = pread(descriptor, buffer, sizeof buffer, 0);
  Holder holder;
  if (length <= 0) return holder;
  const std::string_view text(buffer, static_cast<std::size_t>(length));
  const std::size_t end = text.find('\n');
  std::istringstream first(std::string(text.substr(0, end)));
  std::string mark;
  first >> holder.pid >> holder.database_id >> mark;
  holder.damaged = mark == damage_mark;
  if (holder.database_id == no_id) holder.database_id.clear();
  if (end == std::string_view::npos) return holder;
  const std::string_view rest = text.substr(end + 1);
  holder.alert = rest.substr(0, rest.find('\n'));
  return holder;
}

// A plain file of ours: nothing else is written to.
bool is_lock_file(int descriptor) {
  struct stat about {};
  if (fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode) || about.st_nlink > 1) return false;
  if (about.st_size == 0) return true;
  char first = 0;
  return about.st_size <= static_cast<off_t>(lock_bytes) && pread(descriptor, &first, 1, 0) == 1 &&
         first >= '0' && first <= '9';
}

// O_NONBLOCK: a pipe of that name is not waited for.
int open_lock(const std::string& file, int flags) {
  return ::open(file.c_str(), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644);
}

Error not_a_lock(const std::string& file) {
  return {"database lock " + printable(file) +
              ": not a lock file of Pollux (a link, or a file with other contents); it was left "
              "alone; move it away",
          ExitCode::cannot_create};
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

std::string lock_path(const std::string& path) {
  return canonical_path(path) + "-lock";
}

Result<DatabaseLock> DatabaseLock::take(const std::string& path) {
  const std::string file = lock_path(path);
  const int descriptor = open_lock(file, O_RDWR | O_CREAT);
  if (descriptor < 0) return errno == ELOOP ? not_a_lock(file) : cannot_lock(file, errno);
  DatabaseLock lock(descriptor, {});
  if (!is_lock_file(descriptor)) return not_a_lock(file);
  struct flock wanted = whole_file(F_WRLCK);
  if (fcntl(descriptor, F_OFD_SETLK, &wanted) == 0) {
    const Holder last = read_holder(descriptor);
    lock.id_ = last.database_id;
    lock.damaged_ = last.damaged;
    lock.write("");
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
    : descriptor_(std::exchange(other.descriptor_, -1)),
      id_(std::move(other.id_)),
      damaged_(other.damaged_) {}

DatabaseLock& DatabaseLock::operator=(DatabaseLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(id_, other.id_);
  std::swap(damaged_, other.damaged_);
  return *this;
}

DatabaseLock::~DatabaseLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

// A courtesy to people; the lock holds without it (on a disk that was full before, for example).
void DatabaseLock::write(const std::string& alert) const {
  std::string text = std::to_string(getpid()) + " " + (id_.empty() ? no_id : id_);
  if (damaged_) text += std::string(" ") + damage_mark;
  text += "\n";
  text += printable(alert).substr(0, lock_bytes - text.size() - 1) + "\n";
  text.resize(lock_bytes - 1, ' ');
  text += '\n';
  [[maybe_unused]] const ssize_t written = pwrite(descriptor_, text.data(), text.size(), 0);
}

void DatabaseLock::note(const std::string& alert) const {
  write(alert);
}

void DatabaseLock::remember_id(const std::string& id) {
  id_ = printable(id, 64);
  write("");
}

void DatabaseLock::remember_damage(bool damaged) {
  if (std::exchange(damaged_, damaged) != damaged) write("");
}

FileId DatabaseLock::file() const {
  return file_id(descriptor_);
}

namespace {

// Asks whoever holds the file; nothing is taken.
std::optional<Holder> holder_of(const std::string& file) {
  const int descriptor = open_lock(file, O_RDONLY);
  if (descriptor < 0) return std::nullopt;
  struct flock question = whole_file(F_RDLCK);
  std::optional<Holder> holder;
  if (fcntl(descriptor, F_OFD_GETLK, &question) == 0 && question.l_type != F_UNLCK) {
    holder = read_holder(descriptor);
  }
  ::close(descriptor);
  return holder;
}

}  // namespace

std::optional<Holder> lock_holder(const std::string& path) {
  return holder_of(lock_path(path));
}

bool held(const std::string& lock_file) {
  return holder_of(lock_file).has_value();
}

}  // namespace pollux::store

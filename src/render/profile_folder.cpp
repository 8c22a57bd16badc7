#include "render/profile_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pollux::render {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = "pollux-browser-";
constexpr int most_swept = 64;

fs::path temporary() {
  std::error_code error;
  fs::path folder = fs::temp_directory_path(error);
  return error ? fs::path("/tmp") : folder;
}

// Those nobody holds any more; another user's cannot be removed, and are left alone.
void sweep(const fs::path& parent, uid_t owner) {
  int swept = 0;
  std::error_code error;
  for (fs::directory_iterator at(parent, error), end; !error && at != end; at.increment(error)) {
    if (!at->path().filename().string().starts_with(prefix)) continue;
    const int folder = ::open(at->path().c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) continue;
    struct stat is {};
    const bool ours = ::fstat(folder, &is) == 0 && is.st_uid == owner;
    std::error_code ignored;
    if (ours && ::flock(folder, LOCK_EX | LOCK_NB) == 0) fs::remove_all(at->path(), ignored);
    ::close(folder);
    if (++swept == most_swept) return;
  }
}

}  // namespace

Result<ProfileFolder> ProfileFolder::make(uid_t owner, gid_t group) {
  const fs::path parent = temporary();
  sweep(parent, owner);
  std::string path = parent / (std::string(prefix) + "XXXXXX");
  if (::mkdtemp(path.data()) == nullptr)
    return Error{"no folder for the browser in " + parent.string() + ": " +
                 std::system_category().message(errno)};
  const int lock = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock < 0 || ::flock(lock, LOCK_EX | LOCK_NB) != 0 ||
      (::geteuid() == 0 && ::chown(path.c_str(), owner, group) != 0)) {
    const int problem = errno;
    if (lock >= 0) ::close(lock);
    ::rmdir(path.c_str());
    return Error{path + ": " + std::system_category().message(problem)};
  }
  return ProfileFolder(std::move(path), lock);
}

ProfileFolder::ProfileFolder(ProfileFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::exchange(other.lock_, -1)) {}

ProfileFolder::~ProfileFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
  if (lock_ >= 0) ::close(lock_);
}

}  // namespace pollux::render

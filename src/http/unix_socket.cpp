#include "http/unix_socket.hpp"

#include "pollux/base/text.hpp"

#include <cerrno>
#include <cstring>
#include <system_error>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace pollux::http {

const std::size_t longest_socket_path = sizeof(sockaddr_un::sun_path) - 1;

namespace {

std::string words_of(int number) {
  return std::generic_category().message(number);
}

Error cannot_listen(const std::string& path, const std::string& why, ExitCode code) {
  return {"cannot listen on the socket " + printable(path) + ": " + why, code};
}

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(static_cast<char*>(address.sun_path), path.data(), path.size());
  return address;
}

const sockaddr* generic(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);  // NOLINT: as the system calls want it
}

// What lies there now is in the way unless it is the socket of a process that is gone.
Status make_way(const std::string& path) {
  struct stat found {};
  if (lstat(path.c_str(), &found) != 0) {
    if (errno == ENOENT) return success();
    return cannot_listen(path, words_of(errno), ExitCode::cannot_create);
  }
  if (!S_ISSOCK(found.st_mode)) {
    return cannot_listen(path, "a file that is no socket is there; move it, or name another path",
                         ExitCode::cannot_create);
  }
  const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (probe < 0) return cannot_listen(path, words_of(errno), ExitCode::io);
  const sockaddr_un address = address_of(path);
  const int refused = ::connect(probe, generic(address), sizeof(address)) == 0 ? 0 : errno;
  ::close(probe);
  if (refused != ECONNREFUSED) {
    return cannot_listen(path, "another process listens there; end it, or name another path",
                         ExitCode::temporary);
  }
  if (unlink(path.c_str()) != 0 && errno != ENOENT)
    return cannot_listen(path, "cannot remove the old one: " + words_of(errno), ExitCode::io);
  return success();
}

}  // namespace

Result<ListeningFile> ListeningFile::make(const UnixSocket& wanted) {
  const std::string& path = wanted.path;
  if (path.empty() || path.find('\0') != std::string::npos)
    return cannot_listen(path, "this is no path", ExitCode::usage);
  if (path.size() > longest_socket_path) {
    return cannot_listen(path,
                         "its path has " + std::to_string(path.size()) +
                             " bytes, and the system allows " +
                             std::to_string(longest_socket_path) + "; name a shorter one",
                         ExitCode::configuration);
  }
  if (Status free = make_way(path); !free) return free.error();
  ListeningFile made;
  made.descriptor_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (made.descriptor_ < 0) return cannot_listen(path, words_of(errno), ExitCode::io);
  // Before bind(), so that at no moment the file is open to more people than it will be; after it,
  // because the process's umask takes from it.
  const sockaddr_un address = address_of(path);
  const auto mode = static_cast<mode_t>(wanted.mode);
  if (fchmod(made.descriptor_, mode) != 0 ||
      ::bind(made.descriptor_, generic(address), sizeof(address)) != 0) {
    return cannot_listen(path, words_of(errno), ExitCode::cannot_create);
  }
  struct stat file {};
  if (lstat(path.c_str(), &file) == 0) {
    made.path_ = path;
    made.device_ = file.st_dev;
    made.inode_ = file.st_ino;
  }
  if (chmod(path.c_str(), mode) != 0 || ::listen(made.descriptor_, SOMAXCONN) != 0)
    return cannot_listen(path, words_of(errno), ExitCode::io);
  return made;
}

ListeningFile::~ListeningFile() {
  struct stat file {};
  const bool ours = !path_.empty() && lstat(path_.c_str(), &file) == 0 && file.st_dev == device_ &&
                    file.st_ino == inode_;
  if (ours) unlink(path_.c_str());
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace pollux::http

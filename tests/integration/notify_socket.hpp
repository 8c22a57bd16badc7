// The manager's end of sd_notify: a socket that remembers what it is told.
#pragma once

#include <string>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace pollux::test {

class NotifySocket {
 public:
  explicit NotifySocket(const std::string& path)
      : path_(path), fd_(socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(bind(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  ~NotifySocket() { close(fd_); }
  const std::string& path() const { return path_; }
  // Everything heard so far.
  std::string heard() {
    char buffer[4096];
    for (ssize_t n = 0; (n = recv(fd_, buffer, sizeof buffer, 0)) > 0;) {
      heard_.append(buffer, static_cast<std::size_t>(n));
      heard_ += '\n';
    }
    return heard_;
  }
  bool has(const std::string& text) { return heard().find(text) != std::string::npos; }
  void forget() { heard_.clear(); }

 private:
  std::string path_;
  int fd_;
  std::string heard_;
};

}  // namespace pollux::test

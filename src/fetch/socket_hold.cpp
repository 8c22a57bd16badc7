#include "fetch/socket_hold.hpp"

#include <array>
#include <cstring>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace pollux::fetch {
namespace {

struct Address {
  std::array<char, INET6_ADDRSTRLEN> text{};
  int port = 0;
};

Address readable(const sockaddr_storage& storage) {
  Address address;
  if (storage.ss_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &storage, sizeof v4);
    inet_ntop(AF_INET, &v4.sin_addr, address.text.data(), address.text.size());
    address.port = ntohs(v4.sin_port);
  } else if (storage.ss_family == AF_INET6) {
    sockaddr_in6 v6{};
    std::memcpy(&v6, &storage, sizeof v6);
    inet_ntop(AF_INET6, &v6.sin6_addr, address.text.data(), address.text.size());
    address.port = ntohs(v6.sin6_port);
  }
  return address;
}

template <auto ask>
Address end_of(int fd) {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  if (ask(fd, reinterpret_cast<sockaddr*>(&storage), &size) != 0) return {};
  return readable(storage);
}

}  // namespace

int local_port_of(int fd) {
  return end_of<::getsockname>(fd).port;
}

bool is_connection(int fd, const ConnectionEnds& ends) {
  const Address local = end_of<::getsockname>(fd), peer = end_of<::getpeername>(fd);
  return local.port == ends.local_port && peer.port == ends.peer_port &&
         local.text.data() == ends.local_address && peer.text.data() == ends.peer_address;
}

SocketHold::~SocketHold() {
  if (full_ >= 0) ::close(full_);
  if (other_ >= 0) ::close(other_);
}

bool SocketHold::open() {
  if (full_ >= 0) return true;
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair) != 0) return false;
  full_ = pair[0];
  other_ = pair[1];
  const int smallest = 1;  // the kernel has a least size of its own
  ::setsockopt(full_, SOL_SOCKET, SO_SNDBUF, &smallest, sizeof smallest);
  const std::array<char, 1024> nothing{};
  while (::send(full_, nothing.data(), nothing.size(), MSG_NOSIGNAL) > 0) {
  }
  while (::send(full_, nothing.data(), 1, MSG_NOSIGNAL) > 0) {
  }
  return true;
}

int SocketHold::hold(int fd) {
  if (!open()) return -1;
  const int waiting = ::fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (waiting < 0) return -1;
  if (::dup3(full_, fd, O_CLOEXEC) == fd) return waiting;
  ::close(waiting);
  return -1;
}

void SocketHold::release(int fd, int waiting) {
  ::dup3(waiting, fd, O_CLOEXEC);
  ::close(waiting);
}

}  // namespace pollux::fetch

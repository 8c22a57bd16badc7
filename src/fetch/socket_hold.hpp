// Holding what goes out on a connection, below curl: for the while, another socket stands behind
// the descriptor's number, one that takes not a byte. Whoever writes hears "try again later" and
// keeps what it has; when the connection is put back, it goes on as if the network had been slow.
// Works alike for plain text, TLS and every proxy, because all of them write to the descriptor.
// Threading: one thread; others may use other descriptors.
#pragma once

#include <string_view>

namespace pollux::fetch {

// Both ends of a connection, as curl tells them: numeric addresses.
struct ConnectionEnds {
  std::string_view local_address, peer_address;
  int local_port = 0, peer_port = 0;
};

int local_port_of(int fd);  // 0: it has none
bool is_connection(int fd, const ConnectionEnds& ends);

class SocketHold {
 public:
  SocketHold() = default;
  ~SocketHold();
  SocketHold(const SocketHold&) = delete;
  SocketHold& operator=(const SocketHold&) = delete;

  // Returns the descriptor under which the connection waits, or -1 (see errno). epoll knows a
  // socket by its file and its number: `fd` must be in no set.
  int hold(int fd);
  // The connection is under its number again.
  static void release(int fd, int waiting);

 private:
  bool open();

  int full_ = -1;   // its buffer is full
  int other_ = -1;  // the end from which nobody reads
};

}  // namespace pollux::fetch

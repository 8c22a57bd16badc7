// How much one TLS connection may take in before everything else has had its turn.
//
// libcurl 7.88 reads an HTTP/2 connection until it is empty or the answer's body comes. A server
// that sends PING frames as fast as they are read therefore never lets go of the event loop, and no
// time-out can fire. Below TLS, where all bytes pass, this says "nothing more for now" once a
// connection has had its share of the turn; the rest stays in the kernel and is announced again.
//
// It also tells TLS that a connection has ended, which curl's own layer below does not: an end
// without a close_notify is then an error and not the end of a body. Anybody in between can cut a
// connection.
//
// Outlives the connections it was put on. Threading: the thread that runs curl.
#pragma once

#include <cstdint>

#include <openssl/ssl.h>

namespace pollux::fetch {

class TurnQuota {
 public:
  // Frames of a flood cost some 30 ns per byte, so this is a matter of milliseconds.
  static constexpr std::uint32_t bytes_a_turn = 128 * 1024;

  enum class Limit : std::uint8_t { none, bytes_a_turn };
  explicit TurnQuota(Limit limit = Limit::bytes_a_turn) : limit_(limit) {}

  void begin_turn() {
    ++turn_;
    taken_ = 0;
  }
  // By all connections, in this turn.
  std::uint64_t taken() const { return taken_; }
  // For CURLOPT_SSL_CTX_FUNCTION: curl makes one context for each connection.
  void put_on(SSL_CTX* context);

 private:
  struct Connection;
  static BIO_METHOD* method();
  static void on_handshake(const SSL* connection, int where, int);

  const Limit limit_;
  std::uint64_t turn_ = 0, taken_ = 0;
};

}  // namespace pollux::fetch

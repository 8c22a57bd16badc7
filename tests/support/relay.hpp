// Forwards TCP connections to another port on loopback, on a thread of its own, until it is told
// otherwise: a wire that can be cut, or that stays connected and carries nothing. It may be a long
// and thin one, and it counts what it carries.
//
// Threading: every public function may be called from any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

namespace pollux::test {

class Relay {
 public:
  // Of each direction of each connection.
  struct Line {
    std::chrono::milliseconds latency{};
    double bytes_per_second = 0;  // 0: as many as there are
  };
  explicit Relay(std::uint16_t target_port) : Relay(target_port, Line{}) {}
  Relay(std::uint16_t target_port, Line line);
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  std::uint16_t port() const;
  // Bytes, in both directions of all connections.
  std::uint64_t carried() const;
  // All connections end now, and new ones end at once.
  void cut_off();
  // Nothing is forwarded, and nobody is told.
  void hold();
  // As in the beginning; what was held goes on.
  void mend();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pollux::test

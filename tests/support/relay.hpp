// Forwards TCP connections to another port on loopback, on a thread of its own, until it is told
// otherwise: a wire that can be cut, or that stays connected and carries nothing.
//
// Threading: every public function may be called from any thread.
#pragma once

#include <cstdint>
#include <memory>

namespace pollux::test {

class Relay {
 public:
  explicit Relay(std::uint16_t target_port);
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  std::uint16_t port() const;
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

// A small pool of threads that hash bodies, and others that look into those that are new. Pieces of
// one body go to one thread, in order; the hash comes back on the I/O thread. Queues are bounded by
// bytes and bodies: one that arrives faster than it can be hashed is paused, not collected.
//
// Threading: as Hasher says.
#pragma once

#include "engine/hasher.hpp"
#include "pollux/base/event_loop.hpp"

#include <functional>
#include <memory>
#include <string>

namespace pollux::engine {

class DetectPool final : public Hasher {
 public:
  struct Options {
    int threads = 1;
    std::size_t max_bytes = 16u << 20;  // waiting bytes at which bodies are paused
    std::size_t max_bodies = 1024;      // and bodies
    int look_threads = 2;               // that look into bodies: one may wait for a program
    std::size_t max_kept = 64u << 20;   // bytes of bodies that are kept until they are whole
    std::string database = {};          // whose versions are compared with; empty: none
    // Called on a hashing thread for every body. Empty but in tests, which make hashing slow.
    std::function<void()> each_body = {};
  };
  DetectPool(EventLoop& loop, Options options, Callbacks callbacks);
  ~DetectPool() override;  // ends the threads; waiting work is dropped

  void add_piece(fetch::Token token, std::string piece, Keep keep) override;
  void finish(fetch::Token token, std::string last_piece, Keep keep) override;
  void abandon(fetch::Token token) override;
  void look(fetch::Token token, LookTask task) override;
  bool full() const override;
  std::size_t waiting() const override;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace pollux::engine

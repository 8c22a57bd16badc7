// A small pool of threads that hash bodies. Pieces of one body go to one thread, in order; the hash
// comes back on the I/O thread. Queues are bounded by bytes and bodies: one that arrives faster
// than it can be hashed is paused, not collected.
//
// Threading: every public function and every callback on the I/O thread.
#pragma once

#include "pollux/detect/digest.hpp"
#include "pollux/fetch/fetcher.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>

namespace pollux::engine {

class DetectPool {
 public:
  struct Options {
    int threads = 1;
    std::size_t max_bytes = 16u << 20;  // waiting bytes at which bodies are paused
    std::size_t max_bodies = 1024;      // and bodies
    // Called on a hashing thread for every body. Empty but in tests, which make hashing slow.
    std::function<void()> each_body = {};
  };
  struct Callbacks {
    std::function<void(fetch::Token, const detect::Hash&)> hashed;
    std::function<void()> room;  // after full() was true and is not any more
    // Called before the hashes they belong to: bodies done, and how long that kept a thread busy.
    std::function<void(std::size_t bodies, double busy_seconds)> served = {};
  };
  DetectPool(boost::asio::io_context& io, Options options, Callbacks callbacks);
  ~DetectPool();  // ends the threads; waiting work is dropped

  void add_piece(fetch::Token token, std::string piece);
  void finish(fetch::Token token, std::string last_piece);  // → hashed()
  void abandon(fetch::Token token);                         // forget its pieces, no callback
  bool full() const;
  std::size_t waiting() const;  // bodies whose finish() has not been answered

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace pollux::engine

// Turns bodies, in pieces, into their hashes. The daemon's is DetectPool, with threads of its own;
// a simulation hashes on the spot. Threading: every function and every callback on the engine's
// thread.
#pragma once

#include "pollux/detect/digest.hpp"
#include "pollux/fetch/fetcher.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace pollux::engine {

class Hasher {
 public:
  struct Callbacks {
    std::function<void(fetch::Token, const detect::Hash&)> hashed;
    std::function<void()> room;  // after full() was true and is not any more
    // Called before the hashes they belong to: bodies done, and how long that kept a thread busy.
    std::function<void(std::size_t bodies, double busy_seconds)> served = {};
  };
  using Maker = std::function<std::unique_ptr<Hasher>(Callbacks)>;

  virtual ~Hasher() = default;
  virtual void add_piece(fetch::Token token, std::string piece) = 0;
  virtual void finish(fetch::Token token, std::string last_piece) = 0;  // → hashed()
  virtual void abandon(fetch::Token token) = 0;  // forget its pieces, no callback
  virtual bool full() const = 0;
  virtual std::size_t waiting() const = 0;  // bodies whose finish() has not been answered
};

}  // namespace pollux::engine

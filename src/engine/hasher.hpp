// Turns bodies, in pieces, into their hashes, and looks into those whose bytes are new. The
// daemon's is DetectPool, with threads of its own; a simulation does it on the spot. Threading:
// every function and every callback on the engine's thread.
#pragma once

#include "engine/look.hpp"
#include "pollux/detect/digest.hpp"
#include "pollux/fetch/fetcher.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace pollux::engine {

// Whether the body comes back with its hash, to be looked into.
enum class Keep { no, yes };

struct HashedBody {
  detect::Hash hash{};
  std::string body;     // empty unless it was to be kept
  bool let_go = false;  // it was, but too much had come at once
};

class Hasher {
 public:
  struct Callbacks {
    std::function<void(fetch::Token, HashedBody)> hashed;
    std::function<void(fetch::Token, Look)> looked;
    std::function<void()> room;  // after full() was true and is not any more
    // Called before the hashes they belong to: bodies done, and how long that kept a thread busy.
    std::function<void(std::size_t bodies, double busy_seconds)> served = {};
  };
  using Maker = std::function<std::unique_ptr<Hasher>(Callbacks)>;

  virtual ~Hasher() = default;
  virtual void add_piece(fetch::Token token, std::string piece, Keep keep) = 0;
  virtual void finish(fetch::Token token, std::string last_piece, Keep keep) = 0;  // → hashed()
  virtual void abandon(fetch::Token token) = 0;              // forget its pieces, no callback
  virtual void look(fetch::Token token, LookTask task) = 0;  // → looked()
  virtual bool full() const = 0;
  virtual std::size_t waiting() const = 0;  // bodies whose finish() has not been answered
};

}  // namespace pollux::engine

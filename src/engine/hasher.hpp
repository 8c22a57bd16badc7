// Turns bodies, in pieces, into their hashes, and looks into those whose bytes are new. The
// daemon's is DetectPool, with threads of its own; a simulation does it on the spot. Threading:
// every function and every callback on the engine's thread.
#pragma once

#include "engine/look.hpp"
#include "pollux/base/byte_room.hpp"
#include "pollux/detect/digest.hpp"
#include "pollux/fetch/fetcher.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace pollux::engine {

// Whether the body comes back with its hash, to be looked into. Programs take their time: what
// waits for them has a room of its own, so that it takes none from the others.
enum class Keep : std::uint8_t { no, for_look, for_program };

// The bytes of bodies that come in, wait or are looked into, and of texts on their way to the disk.
// The two are one bound on memory.
struct BodyRooms {
  std::shared_ptr<ByteRoom> looks = std::make_shared<ByteRoom>(32u << 20);
  std::shared_ptr<ByteRoom> programs = std::make_shared<ByteRoom>(16u << 20);
  const std::shared_ptr<ByteRoom>& of(Keep keep) const {
    return keep == Keep::for_program ? programs : looks;
  }
};

struct HashedBody {
  detect::Hash hash{};
  std::shared_ptr<CountedBytes> body;  // null unless it was to be kept
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
  // Where the bytes of such a body are counted.
  virtual const std::shared_ptr<ByteRoom>& room(Keep keep) const = 0;
  virtual void add_piece(fetch::Token token, std::string piece, Keep keep) = 0;
  virtual void finish(fetch::Token token, std::string last_piece, Keep keep) = 0;  // → hashed()
  virtual void abandon(fetch::Token token) = 0;              // forget its pieces, no callback
  virtual void look(fetch::Token token, LookTask task) = 0;  // → looked()
  // Looks that no thread has begun are given up: these are not answered.
  virtual std::vector<fetch::Token> drop_looks() = 0;
  // Programs that run are ended, and what starts later is at once: their looks come back as
  // dropped.
  virtual void end_programs() = 0;
  virtual bool full() const = 0;
  virtual std::size_t waiting() const = 0;  // bodies whose finish() has not been answered
};

}  // namespace pollux::engine

// Content that agents have put aside. A poll that goes "hash first" brings the hash of what is kept
// and not the content: that comes when it is asked for, in a second pair of messages, and soon, for
// an agent does not keep it long. Which poll goes how is decided by what polls have cost before;
// judged() is what that learns from. Threading: the thread of whoever implements it.
#pragma once

#include "pollux/base/byte_room.hpp"
#include "pollux/fetch/fetcher.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace pollux::agent {

// How content that differs from what its poll named as known comes.
enum class ContentMode : std::uint8_t {
  automatic,   // whichever of the next two has cost less
  at_once,     // with the result
  hash_first,  // when it is asked for
  always       // with the result, also where it is known; to compare with
};

// What a look found of a content that came, or was put aside.
enum class Wanted : std::uint8_t {
  nothing,  // it did not differ, or could not be looked into
  no,       // it was here already
  yes
};

class Contents {
 public:
  virtual ~Contents() = default;
  // What this answer's agent has put aside; nothing: all there is came with it.
  virtual std::optional<fetch::Remote::Hash> aside(fetch::Token token) const = 0;
  // Asks for it. Answered once, never from inside the call; null: the agent has lost it, or is
  // lost. It has the hash that was announced.
  using Brought = std::function<void(std::shared_ptr<CountedBytes>)>;
  virtual void bring(fetch::Token token, Brought brought) = 0;
  // Of an answer that had content, or that had put it aside; not of what was brought.
  virtual void judged(fetch::Token token, Wanted wanted) = 0;
};

}  // namespace pollux::agent

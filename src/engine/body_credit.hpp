// Credit for the pieces of bodies: given back, to the byte and once, when their room allows more. A
// piece that came while it was full waits here; who came first goes first. So no more can come than
// the room, what every request may send unasked, and one whole body.
// Threading: the thread of `loop`, which it outlives neither.
#pragma once

#include "engine/flight.hpp"
#include "pollux/base/byte_room.hpp"
#include "pollux/base/event_loop.hpp"
#include "pollux/fetch/fetcher.hpp"

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

namespace pollux::engine {

class BodyCredit {
 public:
  static constexpr std::size_t most_text = 16u << 20;  // of requests without a page that come in
  using Grant = std::function<void(fetch::Token, std::size_t)>;
  BodyCredit(EventLoop& loop, Grant grant);
  ~BodyCredit();
  BodyCredit(const BodyCredit&) = delete;
  BodyCredit& operator=(const BodyCredit&) = delete;

  // A piece has come and is counted. False: its credit is given back later.
  bool took(fetch::Token token, const std::shared_ptr<ByteRoom>& room, std::size_t bytes);
  // A piece of a text, which its flight keeps.
  void took_text(Flight& flight, fetch::Token token, std::string_view piece);
  void ended(fetch::Token token);  // what is owed to it is not wanted any more

 private:
  struct Piece {
    fetch::Token token;
    std::shared_ptr<ByteRoom> room;
    std::size_t bytes;
  };
  struct Heard {
    std::shared_ptr<ByteRoom> room;
    ByteRoom::Listener listener;
  };
  void listen_to(const std::shared_ptr<ByteRoom>& room);
  void pay();

  EventLoop& loop_;
  const Grant grant_;
  std::shared_ptr<ByteRoom> texts_ = std::make_shared<ByteRoom>(most_text);
  std::deque<Piece> unpaid_;
  std::vector<Heard> heard_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace pollux::engine

#include "engine/body_credit.hpp"

#include <algorithm>
#include <utility>

namespace pollux::engine {

BodyCredit::BodyCredit(EventLoop& loop, Grant grant) : loop_(loop), grant_(std::move(grant)) {}

BodyCredit::~BodyCredit() {
  *alive_ = false;
  for (const Heard& heard : heard_) heard.room->forget(heard.listener);
}

bool BodyCredit::took(fetch::Token token, const std::shared_ptr<ByteRoom>& room,
                      std::size_t bytes) {
  listen_to(room);
  const bool waits =
      std::ranges::any_of(unpaid_, [&](const Piece& piece) { return piece.token == token; });
  if (waits || !room->may_grow(static_cast<ByteRoom::Name>(token))) {
    unpaid_.push_back({token, room, bytes});
    return false;
  }
  grant_(token, bytes);
  return true;
}

void BodyCredit::took_text(Flight& flight, fetch::Token token, std::string_view piece) {
  if (!flight.text_room)
    flight.text_room = std::make_shared<CountedBytes>(texts_, static_cast<ByteRoom::Name>(token));
  flight.text_room->count(piece.size());
  flight.text += piece;
  took(token, texts_, piece.size());
}

void BodyCredit::ended(fetch::Token token) {
  if (unpaid_.empty()) return;
  std::erase_if(unpaid_, [&](const Piece& piece) { return piece.token == token; });
}

void BodyCredit::listen_to(const std::shared_ptr<ByteRoom>& room) {
  if (std::ranges::any_of(heard_, [&](const Heard& heard) { return heard.room == room; })) return;
  heard_.push_back({room, room->listen([this, alive = std::weak_ptr<bool>(alive_)] {
                      loop_.post([this, alive] {
                        if (const auto is = alive.lock(); is && *is) pay();
                      });
                    })});
}

void BodyCredit::pay() {
  for (Piece& piece : std::exchange(unpaid_, {})) {
    if (piece.room->may_grow(static_cast<ByteRoom::Name>(piece.token))) {
      grant_(piece.token, piece.bytes);
    } else {
      unpaid_.push_back(std::move(piece));
    }
  }
}

}  // namespace pollux::engine

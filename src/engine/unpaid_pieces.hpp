// Pieces of bodies that came while nothing could be hashed. Their credit is given back, to the byte
// and once, when there is room again: so no more can wait than the credit that requests begin with,
// however many arrive together and however often that happens.
// Threading: the engine's thread.
#pragma once

#include "pollux/fetch/fetcher.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace pollux::engine {

class UnpaidPieces {
 public:
  void add(fetch::Token token, std::size_t bytes) { pieces_.push_back({token, bytes}); }
  void forget(fetch::Token token) {
    if (pieces_.empty()) return;
    std::erase_if(pieces_, [&](const Piece& piece) { return piece.token == token; });
  }
  void pay(fetch::Fetcher& fetcher) {
    for (const Piece& piece : std::exchange(pieces_, {})) fetcher.grant(piece.token, piece.bytes);
  }

 private:
  struct Piece {
    fetch::Token token;
    std::size_t bytes;
  };
  std::vector<Piece> pieces_;
};

}  // namespace pollux::engine

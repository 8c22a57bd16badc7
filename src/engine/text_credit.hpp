// Credit for bodies that are kept as text until they are whole: those of robots.txt. Each is
// bounded, but hundreds may come in one moment. While all of them together take more than
// `most_bytes`, only one goes on, the one that has waited longest, until it has ended.
// Threading: one owner.
#pragma once

#include "pollux/fetch/fetcher.hpp"

#include <cstddef>
#include <deque>
#include <optional>
#include <unordered_map>

namespace pollux::engine {

class TextCredit {
 public:
  explicit TextCredit(std::size_t most_bytes = 16u << 20) : most_bytes_(most_bytes) {}

  // A piece has come and is kept: its credit is given back now or later.
  void took(fetch::Token token, std::size_t bytes, fetch::Fetcher& fetcher) {
    kept_[token] += bytes;
    bytes_ += bytes;
    unpaid_.push_back({token, bytes});
    pay(fetcher);
  }
  // Its text is whole, or is not wanted any more.
  void ended(fetch::Token token, fetch::Fetcher& fetcher) {
    const auto kept = kept_.find(token);
    if (kept == kept_.end()) return;
    bytes_ -= kept->second;
    kept_.erase(kept);
    if (alone_ == token) alone_.reset();
    std::erase_if(unpaid_, [&](const Piece& piece) { return piece.token == token; });
    pay(fetcher);
  }
  std::size_t bytes() const { return bytes_; }

 private:
  struct Piece {
    fetch::Token token;
    std::size_t bytes;
  };
  void pay(fetch::Fetcher& fetcher) {
    while (!unpaid_.empty()) {
      auto next = unpaid_.begin();
      if (bytes_ > most_bytes_) {
        if (!alone_) alone_ = next->token;
        while (next != unpaid_.end() && next->token != *alone_) ++next;
        if (next == unpaid_.end()) return;
      }
      const Piece piece = *next;
      unpaid_.erase(next);
      fetcher.grant(piece.token, piece.bytes);
    }
  }

  std::size_t most_bytes_;
  std::size_t bytes_ = 0;
  std::unordered_map<fetch::Token, std::size_t> kept_;
  std::deque<Piece> unpaid_;           // who came first goes first
  std::optional<fetch::Token> alone_;  // goes on while the others wait
};

}  // namespace pollux::engine

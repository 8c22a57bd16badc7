// Hashes on the spot; the answer comes through the event loop, as from a thread.
#pragma once

#include "engine/hasher.hpp"
#include "pollux/base/event_loop.hpp"

#include <map>
#include <utility>

namespace pollux::simulation {

class InlineHasher final : public engine::Hasher {
 public:
  InlineHasher(EventLoop& loop, Callbacks callbacks)
      : loop_(loop), callbacks_(std::move(callbacks)) {}
  void add_piece(fetch::Token token, std::string piece) override { open_[token].update(piece); }
  void finish(fetch::Token token, std::string last_piece) override {
    detect::Digest& digest = open_[token];
    digest.update(last_piece);
    const detect::Hash hash = digest.finish();
    open_.erase(token);
    ++waiting_;
    loop_.post([this, token, hash] {
      --waiting_;
      callbacks_.served(1, 1e-5);
      callbacks_.hashed(token, hash);
    });
  }
  void abandon(fetch::Token token) override { open_.erase(token); }
  bool full() const override { return false; }
  std::size_t waiting() const override { return waiting_; }

 private:
  EventLoop& loop_;
  Callbacks callbacks_;
  std::map<fetch::Token, detect::Digest> open_;
  std::size_t waiting_ = 0;
};

}  // namespace pollux::simulation

// Hashes and looks on the spot; the answer comes through the event loop, as from a thread.
#pragma once

#include "engine/hasher.hpp"
#include "engine/known_texts.hpp"
#include "pollux/base/event_loop.hpp"

#include <map>
#include <utility>

namespace pollux::simulation {

class InlineHasher final : public engine::Hasher {
 public:
  InlineHasher(EventLoop& loop, Callbacks callbacks)
      : loop_(loop), callbacks_(std::move(callbacks)) {}
  void add_piece(fetch::Token token, std::string piece, engine::Keep) override {
    open_[token] += piece;
  }
  void finish(fetch::Token token, std::string last_piece, engine::Keep keep) override {
    std::string body = std::move(open_[token]) + last_piece;
    open_.erase(token);
    digest_.update(body);
    const detect::Hash hash = digest_.finish();
    std::shared_ptr<CountedBytes> kept;
    if (keep != engine::Keep::no) {
      kept = std::make_shared<CountedBytes>(rooms_.of(keep), static_cast<ByteRoom::Name>(token));
      kept->add(std::move(body));
    }
    ++waiting_;
    loop_.post([this, token, hash, kept] {
      --waiting_;
      callbacks_.served(1, 1e-5);
      callbacks_.hashed(token, {hash, kept});
    });
  }
  void abandon(fetch::Token token) override { open_.erase(token); }
  void look(fetch::Token token, engine::LookTask task) override {
    ++waiting_;
    loop_.post([this, token, task = std::move(task)]() mutable {
      --waiting_;
      callbacks_.looked(token, engine::look(std::move(task), texts_));
    });
  }
  // What was asked for is done at once: nothing waits to be given up.
  std::vector<fetch::Token> drop_looks() override { return {}; }
  void end_programs() override {}
  const std::shared_ptr<ByteRoom>& room(engine::Keep keep) const override {
    return rooms_.of(keep);
  }
  bool full() const override { return false; }
  std::size_t waiting() const override { return waiting_; }

 private:
  EventLoop& loop_;
  Callbacks callbacks_;
  std::map<fetch::Token, std::string> open_;
  detect::Digest digest_;
  engine::KnownTexts texts_;
  engine::BodyRooms rooms_;
  std::size_t waiting_ = 0;
};

}  // namespace pollux::simulation

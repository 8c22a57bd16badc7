#include "bus/nats_core.hpp"

#include "pollux/base/text.hpp"

#include <utility>

#include <spdlog/spdlog.h>

namespace pollux::bus {
namespace {

// What the sending thread may be behind by: a server that takes nothing must not fill our memory.
constexpr std::size_t most_outgoing_bytes = 16u << 20;
// Of one turn of the loop.
constexpr int most_at_once = 256;

std::size_t size_of(const Message& message) {
  return message.subject.size() + message.payload.size() + message.reply.size();
}

}  // namespace

void NatsCore::post_locked(std::function<void()> handler) {
  if (!loop_) return;
  // With the mutex held, because after end() the loop may be gone.
  loop_->post([self = shared_from_this(), handler = std::move(handler)] {
    if (self->alive_) handler();
  });
}

void NatsCore::post(std::function<void()> handler) {
  const std::lock_guard lock(mutex);
  post_locked(std::move(handler));
}

void NatsCore::arrived(const std::shared_ptr<NatsSubject>& subject, Message message) {
  const std::size_t size = size_of(message);
  const std::lock_guard lock(mutex);
  if (subject->waiting + size > subject->most_bytes) {
    ++subject->dropped;
    return;
  }
  subject->waiting += size;
  arrived_.push_back({subject, std::move(message)});
  if (std::exchange(posted_, true)) return;
  post_locked([this] { hand_over(); });
}

void NatsCore::hand_over() {
  for (int count = 0; count < most_at_once && alive_; ++count) {
    Arrived next;
    {
      const std::lock_guard lock(mutex);
      if (arrived_.empty()) {
        posted_ = false;
        return;
      }
      next = std::move(arrived_.front());
      arrived_.pop_front();
      next.subject->waiting -= size_of(next.message);
    }
    if (next.subject->open) next.subject->handler(std::move(next.message));
  }
  if (alive_) post([this] { hand_over(); });
}

void NatsCore::set_trouble(std::string why) {
  why = printable(why);
  {
    const std::lock_guard lock(mutex);
    if (why == trouble_) return;
    trouble_ = why;
  }
  if (!why.empty()) spdlog::warn("bus: {}", why);
}

std::string NatsCore::trouble() const {
  const std::lock_guard lock(mutex);
  return trouble_;
}

void NatsCore::warn_once(std::string_view text) {
  constexpr std::size_t most_texts = 32;  // each may name another subject
  const std::string safe = printable(text);
  {
    const std::lock_guard lock(mutex);
    if (warned_.size() >= most_texts || !warned_.insert(safe).second) return;
  }
  spdlog::warn("bus: the server says: {}", safe);
}

bool NatsCore::up() const {
  const std::lock_guard lock(mutex);
  return up_;
}

NatsConnection NatsCore::connection() const {
  const std::lock_guard lock(mutex);
  return up_ ? connection_ : nullptr;
}

bool NatsCore::stopping() const {
  const std::lock_guard lock(mutex);
  return stopping_;
}

bool NatsCore::send(Outgoing what) {
  const std::size_t size = what.subject.size() + what.payload.size() + what.reply.size();
  const std::lock_guard lock(mutex);
  if (what.what == Outgoing::What::publish) {
    if (!up_ || outgoing_bytes_ + size > most_outgoing_bytes) return false;
  }
  outgoing_bytes_ += size;
  outgoing_.push_back(std::move(what));
  if (outgoing_.size() == 1) wake_.notify_all();
  return true;
}

void NatsCore::end() {
  alive_ = false;
  std::deque<Arrived> never_seen;  // their handlers end without the mutex
  const std::lock_guard lock(mutex);
  loop_ = nullptr;
  never_seen.swap(arrived_);
}

void NatsCore::stop() {
  const std::lock_guard lock(mutex);
  stopping_ = true;
  wake_.notify_all();
}

std::uint64_t NatsCore::next_number() {
  const std::lock_guard lock(mutex);
  lost_ = false;
  // Those that outlive connections are subscribed anew with it.
  outgoing_.clear();
  outgoing_bytes_ = 0;
  return ++number_;
}

void NatsCore::set_up(NatsConnection connection, std::size_t largest) {
  largest_payload = largest;
  const std::lock_guard lock(mutex);
  connection_ = std::move(connection);
  up_ = true;
  trouble_.clear();
  post_locked([this] { tell_connected(); });
}

void NatsCore::set_down() {
  NatsConnection ended;  // destroyed without the mutex: libnats calls back meanwhile
  const std::lock_guard lock(mutex);
  ended.swap(connection_);
  up_ = false;
  post_locked([this] { tell_connected(); });
}

void NatsCore::lost(std::uint64_t number) {
  const std::lock_guard lock(mutex);
  if (number != number_) return;
  lost_ = true;
  up_ = false;
  wake_.notify_all();
}

std::deque<Outgoing> NatsCore::next_outgoing() {
  std::unique_lock lock(mutex);
  wake_.wait(lock, [this] { return !outgoing_.empty() || lost_ || stopping_; });
  if (lost_) return {};
  outgoing_bytes_ = 0;
  return std::exchange(outgoing_, {});
}

void NatsCore::wait(Duration at_most) {
  std::unique_lock lock(mutex);
  wake_.wait_for(lock, at_most, [this] { return stopping_; });
}

void NatsCore::tell_connected() {
  const bool now = up();
  if (std::exchange(told_connected, now) == now) return;
  if (listener) listener(now);
}

}  // namespace pollux::bus

#include "pollux/base/byte_room.hpp"

#include <utility>

namespace pollux {

// Who waits has said so before looking at the bytes, and here the bytes come first: one of the two
// sees the other.
void ByteRoom::give_back(std::size_t bytes) {
  bytes_ -= bytes;
  if (waited_for_ && !full()) tell();
}

bool ByteRoom::may_grow(Name body) {
  if (!full()) return true;
  const std::lock_guard lock(mutex_);
  if (!alone_) alone_ = body;
  pressed_ = true;
  if (*alone_ == body) return true;
  waited_for_ = true;
  return !full();
}

void ByteRoom::ended(Name body) {
  if (!pressed_) return;
  {
    const std::lock_guard lock(mutex_);
    if (alone_ != body) return;
    alone_.reset();
    pressed_ = false;
  }
  if (waited_for_) tell();
}

void ByteRoom::tell() {
  const std::lock_guard lock(mutex_);
  if (!waited_for_.exchange(false)) return;
  for (const auto& listener : listeners_) listener();
}

ByteRoom::Listener ByteRoom::listen(std::function<void()> told) {
  const std::lock_guard lock(mutex_);
  return listeners_.insert(listeners_.end(), std::move(told));
}

void ByteRoom::forget(Listener listener) {
  const std::lock_guard lock(mutex_);
  listeners_.erase(listener);
}

void CountedBytes::add(std::string piece) {
  room_->add(piece.size());
  add_counted(std::move(piece));
}

void CountedBytes::add_counted(std::string piece) {
  size_ += piece.size();
  if (!piece.empty()) pieces_.push_back(std::move(piece));
}

void CountedBytes::count(std::size_t bytes) {
  room_->add(bytes);
  size_ += bytes;
}

std::string CountedBytes::join() {
  std::vector<std::string> pieces = std::exchange(pieces_, {});
  if (pieces.size() == 1) return std::move(pieces.front());
  std::string whole;
  whole.reserve(size_);
  for (std::string& piece : pieces) {
    whole += piece;
    std::string().swap(piece);
  }
  return whole;
}

void CountedBytes::leave(std::size_t bytes) {
  pieces_.clear();
  if (bytes > size_) room_->add(bytes - size_);
  const std::size_t less = size_ > bytes ? size_ - bytes : 0;
  size_ = bytes;
  room_->give_back(less);
  room_->ended(name_);
}

}  // namespace pollux

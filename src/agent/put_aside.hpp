// Content that its brain has not been sent, for the short while in which it may still ask for it.
// What is too old or too much goes first in, first out. Threading: one owner.
#pragma once

#include "pollux/agent/worker.hpp"
#include "pollux/base/time.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <utility>

namespace pollux::agent {

class PutAside {
 public:
  static constexpr std::size_t smallest = 64;      // less is not worth a second message
  static constexpr std::size_t largest = 4 << 20;  // more travels at once

  PutAside(std::size_t most_bytes, Duration longest) : most_(most_bytes), longest_(longest) {}

  void put(std::uint64_t poll, SetAside content, Instant now) {
    drop_old(now);
    const std::size_t bytes = content.bytes.size();
    if (!contents_.emplace(poll, std::move(content)).second) return;
    bytes_ += bytes;
    order_.emplace_back(poll, now);
    while (bytes_ > most_) drop_first();
  }
  // Null: it is gone. It stays: what is sent may be lost on its way.
  const SetAside* find(std::uint64_t poll, Instant now) {
    drop_old(now);
    const auto found = contents_.find(poll);
    return found != contents_.end() ? &found->second : nullptr;
  }
  void clear() {  // of another brain, which counts anew
    contents_.clear();
    order_.clear();
    bytes_ = 0;
  }
  void drop_old(Instant now) {
    while (!order_.empty() && order_.front().second + longest_ <= now) drop_first();
  }
  std::size_t bytes() const { return bytes_; }

 private:
  void drop_first() {
    const auto first = contents_.find(order_.front().first);
    bytes_ -= first->second.bytes.size();
    contents_.erase(first);
    order_.pop_front();
  }

  const std::size_t most_;
  const Duration longest_;
  std::unordered_map<std::uint64_t, SetAside> contents_;  // by poll
  std::deque<std::pair<std::uint64_t, Instant>> order_;
  std::size_t bytes_ = 0;
};

}  // namespace pollux::agent

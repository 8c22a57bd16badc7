// Looks that the policy wants and that have not been made yet, with the hosts they must wait for.
//
// A host that is free is listed with its best look; one that turns out to be busy is taken off the
// list and comes back when it is free again. Bounded: of a host the best are kept, of all hosts so
// many; a look is worth something for a short time only. A page at rest (min_interval) keeps one.
#pragma once

#include "pollux/learn/policy.hpp"
#include "schedule/min_heap.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace pollux::schedule {

class WaitingLooks {
 public:
  static constexpr std::size_t most_of_host = 1024, most = 16384;

  bool any_ready() const { return !free_.empty(); }

  void add(std::uint32_t host, const learn::Look& look) {
    if (count_ >= most) forget_a_host();
    Host& waiting = hosts_[host];
    if (waiting.looks.size() >= most_of_host) {
      count_ -= waiting.looks.size() - most_of_host / 2;
      const auto middle = waiting.looks.begin() + most_of_host / 2;
      std::nth_element(waiting.looks.begin(), middle, waiting.looks.end(),
                       [](const auto& a, const auto& b) { return before(b, a); });
      waiting.looks.erase(middle, waiting.looks.end());
      std::make_heap(waiting.looks.begin(), waiting.looks.end(), before);
    }
    waiting.looks.push_back(look);
    std::push_heap(waiting.looks.begin(), waiting.looks.end(), before);
    ++count_;
    if (waiting.listed) list(host, waiting);  // it may be the best now
  }
  void host_is_free(std::uint32_t host) {
    if (count_ == 0) return;
    const auto found = hosts_.find(host);
    if (found != hosts_.end() && !found->second.listed) list(host, found->second);
  }
  void host_is_busy(std::uint32_t host) {
    if (const auto found = hosts_.find(host); found != hosts_.end()) found->second.listed = false;
  }

  // The free host with the best look; it has one.
  std::optional<std::uint32_t> best_host() {
    while (!free_.empty()) {
      const auto [key, host] = free_.top();
      const auto found = hosts_.find(host);
      if (found != hosts_.end() && found->second.listed && found->second.key == key) return host;
      free_.pop();
    }
    return std::nullopt;
  }
  learn::Look take(std::uint32_t host) {
    const auto found = hosts_.find(host);
    Host& waiting = found->second;
    std::pop_heap(waiting.looks.begin(), waiting.looks.end(), before);
    const learn::Look look = waiting.looks.back();
    waiting.looks.pop_back();
    --count_;
    if (waiting.looks.empty()) {
      hosts_.erase(found);
    } else {
      list(host, waiting);
    }
    return look;
  }

  void put_off(std::uint32_t page, const learn::Look& look) {
    if (put_off_.size() >= most) put_off_.clear();
    put_off_[page] = look;
  }
  std::optional<learn::Look> take_put_off(std::uint32_t page) {
    if (put_off_.empty()) return std::nullopt;
    const auto found = put_off_.find(page);
    if (found == put_off_.end()) return std::nullopt;
    const learn::Look look = found->second;
    put_off_.erase(found);
    return look;
  }

 private:
  struct Host {
    std::vector<learn::Look> looks;  // a heap, the best first
    double key = 0;                  // under which it is listed
    bool listed = false;
  };
  // Trials are few, and nothing is learnt without them: they go first.
  static double rank(const learn::Look& look) { return look.trial ? 1e9 + look.value : look.value; }
  static bool before(const learn::Look& a, const learn::Look& b) { return rank(a) < rank(b); }
  void list(std::uint32_t host, Host& waiting) {
    const double key = -rank(waiting.looks.front());
    if (waiting.listed && waiting.key == key) return;
    waiting.key = key;
    waiting.listed = true;
    free_.push(key, host);
    if (free_.size() > 4 * hosts_.size() + 64) {
      free_.keep_if([&](const auto& entry) {
        const auto found = hosts_.find(entry.value);
        return found != hosts_.end() && found->second.listed && found->second.key == entry.key;
      });
    }
  }
  void forget_a_host() {
    const auto any = hosts_.begin();
    count_ -= any->second.looks.size();
    hosts_.erase(any);
  }

  std::unordered_map<std::uint32_t, Host> hosts_;
  MinHeap<double> free_;
  std::unordered_map<std::uint32_t, learn::Look> put_off_;
  std::size_t count_ = 0;
};

}  // namespace pollux::schedule

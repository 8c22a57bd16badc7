// Looks that the policy wants and that have not been made yet, with the hosts they must wait for.
//
// A host that is free is listed with its best look; one that turns out to be busy is taken off the
// list and comes back when it is free again. Bounded: of a host the best are kept, of all hosts so
// many; a look is worth something for a short time only. A page at rest (min_interval) keeps one.
// Slots are used again: what was wanted of a page, or because of one, ends when that page is gone;
// all of it when very many are.
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

  void add(std::uint32_t host, const learn::Look& look) { add(host, Waiting{look, heard_++}); }
  // The page is gone, and what has its slot next is another one.
  void forget(std::uint32_t page) {
    if (gone_.size() >= most) {
      hosts_.clear();
      put_off_.clear();
      count_ = 0;
    }
    if (count_ == 0 && put_off_.empty()) {
      gone_.clear();
    } else {
      gone_[page] = heard_;
    }
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
  // The host whose looks were made or heard of last, if some wait.
  std::optional<std::uint32_t> followed() const {
    return hosts_.contains(followed_) ? std::optional(followed_) : std::nullopt;
  }
  // Its best look; nothing if that has become pointless meanwhile.
  std::optional<learn::Look> take(std::uint32_t host) {
    followed_ = host;
    const auto found = hosts_.find(host);
    Host& waiting = found->second;
    std::pop_heap(waiting.looks.begin(), waiting.looks.end(), before);
    const Waiting best = waiting.looks.back();
    waiting.looks.pop_back();
    --count_;
    if (waiting.looks.empty()) {
      hosts_.erase(found);
    } else {
      list(host, waiting);
    }
    return is_pointless(best) ? std::nullopt : std::optional(best.look);
  }

  // The look that would be taken next; null: none of this host.
  const learn::Look* best(std::uint32_t host) const {
    const auto found = hosts_.find(host);
    return found == hosts_.end() ? nullptr : &found->second.looks.front().look;
  }

  // The page is at rest; when that is over it is told.
  void put_off(const learn::Look& look) {
    if (put_off_.size() >= most) put_off_.clear();
    put_off_[index(look.page)] = {look, heard_++};
  }
  // True: a look is waiting again, with its host.
  bool rest_is_over(std::uint32_t page, std::uint32_t host) {
    if (put_off_.empty()) return false;
    const auto found = put_off_.find(page);
    if (found == put_off_.end()) return false;
    const Waiting waiting = found->second;
    put_off_.erase(found);
    add(host, waiting);
    return true;
  }

 private:
  struct Waiting {
    learn::Look look;
    std::uint64_t nth = 0;  // that was heard of
  };
  struct Host {
    std::vector<Waiting> looks;  // a heap, the best first
    double key = 0;              // under which it is listed
    bool listed = false;
  };
  // Trials are few, and nothing is learnt without them: they go first.
  static double rank(const learn::Look& look) { return look.trial ? 1e9 + look.value : look.value; }
  static bool before(const Waiting& a, const Waiting& b) { return rank(a.look) < rank(b.look); }
  bool is_pointless(const Waiting& waiting) const {
    if (gone_.empty()) return false;
    const auto gone_since = [&](PageSlot page) {
      const auto found = gone_.find(index(page));
      return found != gone_.end() && found->second > waiting.nth;
    };
    return gone_since(waiting.look.page) || gone_since(waiting.look.because);
  }
  void add(std::uint32_t host, const Waiting& look) {
    if (count_ >= most) forget_a_host();
    followed_ = host;
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
  void list(std::uint32_t host, Host& waiting) {
    const double key = -rank(waiting.looks.front().look);
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
  std::unordered_map<std::uint32_t, Waiting> put_off_;
  std::unordered_map<std::uint32_t, std::uint64_t> gone_;  // pages: what had been heard by then
  std::size_t count_ = 0;
  std::uint64_t heard_ = 0;
  std::uint32_t followed_ = 0;
};

}  // namespace pollux::schedule

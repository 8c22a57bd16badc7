// A four-way heap of (key, value), smallest key first. Four children share a cache line, which
// halves the misses of a binary heap at a million entries. Entries cannot be found again: owners
// recognise an outdated one when it comes to the top. When too many have gathered they call
// keep_if, or sweep, which takes a few steps at a time: a heap of a million must not be cleared in
// one.
#pragma once

#include "pollux/base/huge_pages.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace pollux::schedule {

template <typename Key>
class MinHeap {
 public:
  struct Entry {
    Key key;
    std::uint32_t value;
  };

  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  const Entry& top() const { return entries_.front(); }
  std::size_t memory_bytes() const { return entries_.capacity() * sizeof(Entry); }

  // The smallest and those that may be the next.
  std::span<const Entry> candidates() const {
    return {entries_.data(), std::min<std::size_t>(entries_.size(), 2 * group)};
  }

  void push(Key key, std::uint32_t value) {
    entries_.push_back({key, value});
    sift_up(entries_.size() - 1, {key, value});
  }

  void pop() {
    const Entry last = entries_.back();
    entries_.pop_back();
    if (!entries_.empty()) sift_down(0, last);
  }

  // Looks at the next few entries, round and round, and drops those that are not wanted.
  template <typename Predicate>
  void sweep(int steps, Predicate wanted) {
    for (; steps > 0 && !entries_.empty(); --steps) {
      if (cursor_ >= entries_.size()) cursor_ = 0;
      if (wanted(entries_[cursor_])) {
        ++cursor_;
      } else {
        erase(cursor_);
      }
    }
  }
  // Room for so many: growing copies everything, which should not happen in a decision.
  void reserve(std::size_t count) {
    if (count > entries_.capacity()) entries_.reserve(count + count / 8);
  }

  template <typename Predicate>
  void keep_if(Predicate wanted) {
    std::erase_if(entries_, [&](const Entry& entry) { return !wanted(entry); });
    for (std::size_t i = entries_.size() / group + 1; i-- > 0;) {
      if (i < entries_.size()) sift_down(i, entries_[i]);
    }
  }

 private:
  // Four children each, and the four that share a parent share a cache line: the children of i
  // begin at 4·(i + 1). The three entries beside the root are its children, too.
  static constexpr std::size_t group = 4;
  static std::size_t parent_of(std::size_t i) { return i < group ? 0 : i / group - 1; }
  static std::size_t children_of(std::size_t i) { return (i + 1) * group; }

  std::size_t least(std::size_t first, std::size_t end, std::size_t best) const {
    for (; first < end; ++first) best = entries_[first].key < entries_[best].key ? first : best;
    return best;
  }

  void erase(std::size_t at) {
    const Entry last = entries_.back();
    entries_.pop_back();
    if (at == entries_.size()) return;
    if (at > 0 && last.key < entries_[parent_of(at)].key) {
      sift_up(at, last);
    } else {
      sift_down(at, last);
    }
  }

  void sift_up(std::size_t hole, Entry entry) {
    while (hole > 0) {
      const std::size_t parent = parent_of(hole);
      if (!(entry.key < entries_[parent].key)) break;
      entries_[hole] = entries_[parent];
      hole = parent;
    }
    entries_[hole] = entry;
  }

  void sift_down(std::size_t hole, Entry entry) {
    const std::size_t count = entries_.size();
    for (;;) {
      const std::size_t first = hole == 0 ? 1 : children_of(hole);
      if (first >= count) break;
      // The grandchildren are in a row; all of them are fetched while these are compared.
      const std::size_t below = children_of(first);
      for (std::size_t at = below; at < std::min(below + group * group, count); at += group) {
        __builtin_prefetch(&entries_[at], 1);
      }
      const std::size_t end = std::min(hole == 0 ? 2 * group : first + group, count);
      const std::size_t best = least(first + 1, end, first);
      if (!(entries_[best].key < entry.key)) break;
      entries_[hole] = entries_[best];
      hole = best;
    }
    entries_[hole] = entry;
  }

  HugeVector<Entry> entries_;
  std::size_t cursor_ = 0;  // of sweep()
};

}  // namespace pollux::schedule

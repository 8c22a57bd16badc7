// Poll results that wait for the disk, in order of arrival.
//
// As long as the disk works a result is kept as it came, or takes the place of one of the same page
// that came lately and waits, unless both bring a change. When the disk does not work,
// keep_one_a_page() makes them one entry a page: the newest state counts, every change stays.
// Memory is bounded: from half of it on, results without a change are let go (the next poll of the
// page writes the same and more) and a page's further changes are joined to the one that waits,
// whose window then holds them all. Both are counted: nothing is lost silently. Entries are
// numbered; joining never renumbers the end. Not thread-safe.
#pragma once

#include "pollux/store/writer.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

namespace pollux::store {

class Backlog {
 public:
  explicit Backlog(std::size_t memory) : memory_(memory) {}

  void push(PollRecord&& record);
  // One entry a page from now on, until the queue has been empty once.
  void keep_one_a_page();
  std::vector<PollRecord> take(std::size_t most);

  bool is_one_a_page() const { return one_a_page_; }
  std::size_t size() const { return entries_.size(); }
  std::size_t bytes() const { return bytes_; }  // about
  std::size_t changes() const;
  std::uint64_t first() const { return first_; }  // number of the oldest entry
  std::uint64_t end() const { return first_ + entries_.size(); }
  const Squeezed& squeezed() const { return squeezed_; }
  void forget_squeezed() { squeezed_ = {}; }

 private:
  // By a part of its page's id: where the page's newest entry is, if nobody else's is there.
  std::uint64_t& lately(PageId page) {
    return lately_[static_cast<std::uint64_t>(page) % lately_.size()];
  }
  void append(PollRecord&& record);
  bool join_lately(PollRecord& record);
  void join(PollRecord& entry, PollRecord&& later);
  bool tight() const { return bytes_ >= memory_ / 2; }

  const std::size_t memory_;
  std::deque<PollRecord> entries_;
  std::unordered_map<PageId, std::uint64_t> where_;  // page → number of its entry, when one a page
  std::array<std::uint64_t, 4096> lately_{};         // numbers of entries
  std::uint64_t first_ = 0;
  std::size_t bytes_ = 0;
  bool one_a_page_ = false;
  Squeezed squeezed_;
};

// One record a page: the newest state counts, every change stays.
std::vector<PollRecord> one_a_page(std::vector<PollRecord>&& records);

}  // namespace pollux::store

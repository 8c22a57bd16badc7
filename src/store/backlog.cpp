#include "store/backlog.hpp"

#include "pollux/store/page_columns.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace pollux::store {
namespace {

constexpr std::size_t bookkeeping = 96;  // of the allocator and the index, for each entry

std::size_t bytes_of(const ChangeRow& change) {
  return sizeof change + change.old_hash.size() + change.new_hash.size() + change.url.size() +
         (change.notice ? change.notice->bytes() : 0);
}

std::size_t bytes_of(const PollRecord& record) {
  std::size_t bytes = sizeof record + bookkeeping;
  for_each_page_column([&]<typename Column>(const Column& column) {
    if constexpr (Column::of_progress && Column::is_text) {
      bytes += (record.progress.*column.member).size();
    }
  });
  if (record.note) bytes += record.note->last_error.size();
  if (record.change) bytes += bytes_of(*record.change);
  for (const ChangeRow& change : record.earlier) bytes += bytes_of(change);
  return bytes;
}

// What a note says of a page, on top of what its last poll said.
void apply(PageNote&& note, PageProgress& progress) {
  progress.errors = note.errors;
  progress.error_streak = note.error_streak;
  progress.last_error = std::move(note.last_error);
  progress.retry_at = note.retry_at;
  progress.next_due_at = note.next_due_at;
}

std::size_t changes_of(const PollRecord& record) {
  return record.earlier.size() + (record.change ? 1 : 0);
}

}  // namespace

void Backlog::append(PollRecord&& record) {
  bytes_ += bytes_of(record);
  lately(record.page) = end();
  if (one_a_page_) where_.emplace(record.page, end());
  entries_.push_back(std::move(record));
}

void Backlog::join(PollRecord& entry, PollRecord&& later) {
  const bool short_of_memory = tight();
  bytes_ -= bytes_of(entry);
  if (!later.note) {
    entry.progress = std::move(later.progress);
    entry.note.reset();
  } else if (entry.note) {
    entry.note = std::move(later.note);
  } else {
    apply(std::move(*later.note), entry.progress);
  }
  if (later.change) {
    if (entry.change && short_of_memory) {
      later.change->old_hash = std::move(entry.change->old_hash);
      later.change->previous_poll_at = entry.change->previous_poll_at;
      ++squeezed_.changes;
    } else if (entry.change) {
      entry.earlier.push_back(std::move(*entry.change));
    }
    entry.change = std::move(later.change);
  }
  bytes_ += bytes_of(entry);
}

// An entry has one change at most as long as the disk works, so that their number bounds them.
bool Backlog::join_lately(PollRecord& record) {
  const std::uint64_t number = lately(record.page);
  if (number < first_ || number >= end()) return false;
  PollRecord& entry = entries_[number - first_];
  if (entry.page != record.page || (entry.change && record.change)) return false;
  join(entry, std::move(record));
  return true;
}

void Backlog::push(PollRecord&& record) {
  if (!one_a_page_) {
    if (!join_lately(record)) append(std::move(record));
    return;
  }
  if (const auto found = where_.find(record.page); found != where_.end()) {
    return join(entries_[found->second - first_], std::move(record));
  }
  if (tight() && changes_of(record) == 0) {
    ++squeezed_.polls;
    return;
  }
  append(std::move(record));
}

void Backlog::keep_one_a_page() {
  if (std::exchange(one_a_page_, true)) return;
  const std::uint64_t end_before = end();
  std::deque<PollRecord> all;
  all.swap(entries_);
  bytes_ = 0;
  for (PollRecord& record : all) {
    // Numbers are given at the end: what matters here is only who comes first.
    if (const auto found = where_.find(record.page); found != where_.end()) {
      join(entries_[found->second - first_], std::move(record));
    } else {
      append(std::move(record));
    }
  }
  const std::uint64_t shift = end_before - end();
  first_ += shift;
  for (auto& [page, number] : where_) number += shift;
}

std::vector<PollRecord> Backlog::take(std::size_t most) {
  std::vector<PollRecord> taken;
  taken.reserve(std::min(most, entries_.size()));
  // An entry with many changes fills a batch by itself.
  for (std::size_t rows = 0; rows < most && !entries_.empty();) {
    PollRecord& record = entries_.front();
    rows += 1 + record.earlier.size();
    bytes_ -= bytes_of(record);
    if (one_a_page_) where_.erase(record.page);
    taken.push_back(std::move(record));
    entries_.pop_front();
    ++first_;
  }
  if (entries_.empty()) one_a_page_ = false;
  return taken;
}

std::vector<PollRecord> one_a_page(std::vector<PollRecord>&& records) {
  constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
  Backlog pages(all);
  pages.keep_one_a_page();
  for (PollRecord& record : records) pages.push(std::move(record));
  return pages.take(all);
}

std::size_t Backlog::changes() const {
  std::size_t count = 0;
  for (const PollRecord& record : entries_) count += changes_of(record);
  return count;
}

}  // namespace pollux::store

#include "simulation/memory_store.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace pollux::simulation {
namespace {

std::size_t row_of(PageId id) {
  return static_cast<std::size_t>(id) - 1;
}

}  // namespace

PageSlot MemoryStore::free_slot() {
  const auto found = std::find(slots_.begin(), slots_.end(), false);
  const auto slot = static_cast<std::uint32_t>(found - slots_.begin());
  if (found == slots_.end()) slots_.push_back(false);
  slots_[slot] = true;
  return PageSlot{slot};
}

void MemoryStore::list(const std::vector<store::PageSpec>& specs) {
  std::unordered_set<std::string> wanted;
  for (const store::PageSpec& spec : specs) wanted.insert(spec.url);
  for (store::PageRow& row : rows_) {
    if (row.state == "removed" || wanted.contains(row.spec.url)) continue;
    if (row.state == "active") slots_[index(row.slot)] = false;
    row.state = "removed";
  }
  for (const store::PageSpec& spec : specs) {
    const auto [known, is_new] = by_url_.try_emplace(spec.url, rows_.size());
    if (is_new) {
      store::PageRow row;
      row.id = PageId{static_cast<std::int64_t>(rows_.size() + 1)};
      rows_.push_back(std::move(row));
    }
    store::PageRow& row = rows_[known->second];
    row.spec = spec;
    if (row.state == "paused") continue;
    if (row.state != "active") row.slot = free_slot();
    row.state = "active";
  }
}

bool MemoryStore::is_listed(const std::string& url) const {
  const auto found = by_url_.find(url);
  return found != by_url_.end() && rows_[found->second].state == "active";
}

const store::PageRow* MemoryStore::row(const std::string& url) const {
  const auto found = by_url_.find(url);
  return found == by_url_.end() ? nullptr : &rows_[found->second];
}

void MemoryStore::pause(const std::string& url) {
  store::PageRow& row = rows_[by_url_.at(url)];
  row.state = "paused";
  slots_[index(row.slot)] = false;
}

store::PageRow MemoryStore::resume(const std::string& url) {
  store::PageRow& row = rows_[by_url_.at(url)];
  row.state = "active";
  row.slot = free_slot();
  return row;
}

void MemoryStore::submit(store::PollRecord&& record) {
  store::PageRow& row = rows_[row_of(record.page)];
  if (record.note) {
    row.progress.last_error = record.note->last_error;
    row.progress.retry_at = record.note->retry_at;
    return;
  }
  if (on_poll) on_poll(row.spec.url, record);
  row.progress = std::move(record.progress);
}

void MemoryStore::tell(std::vector<store::ShareRow> shares) {
  for (const store::ShareRow& row : shares) {
    rows_[row_of(row.page)].progress.share = row.share;
    rows_[row_of(row.page)].progress.next_due_at = row.next_due_at;
  }
}

void MemoryStore::reconcile(std::weak_ptr<engine::ReadConfig> read, Done done) {
  const std::shared_ptr<engine::ReadConfig> mine = read.lock();
  if (!mine) return;
  list(mine->wanted.specs);
  const engine::LoadPages load = [this](const auto& take) {
    for_each_listed([&](const store::PageRow& row) { take(store::PageRow(row)); });
    return success();
  };
  auto change = engine::read_change(load, mine->wanted, mine->known);
  loop_.post([done = std::move(done), found = std::make_shared<Result<engine::PageListChange>>(
                                          std::move(change))] { done(std::move(*found)); });
}

}  // namespace pollux::simulation

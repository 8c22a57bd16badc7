// The calls of a Store about pages that are steered while the daemon runs.
#include "store/live_pages.hpp"
#include "store/store_state.hpp"

namespace pollux::store {

Result<std::vector<ChosenPage>> Store::choose_pages(const PageChoice& choice) {
  state_->owner.check();
  return state_->seen(store::choose_pages(state_->connection, choice));
}

Result<std::vector<LiveRow>> Store::load_live() {
  state_->owner.check();
  return state_->seen(store::load_live(state_->connection));
}

Result<AddedLive> Store::add_live_pages(const std::vector<LivePageSpec>& pages, WallTime now,
                                        std::size_t most, Keep keep) {
  return state_->transact(
      keep, [&] { return store::add_live_pages(state_->connection, pages, now, most); });
}

Status Store::remove_live_pages(std::span<const PageId> pages, Keep keep) {
  return state_->transact(keep,
                          [&] { return store::remove_live_pages(state_->connection, pages); });
}

Status Store::pause_pages(std::span<const PageId> pages, std::optional<WallTime> until, Keep keep) {
  return state_->transact(keep,
                          [&] { return store::pause_pages(state_->connection, pages, until); });
}

Result<std::vector<PageRow>> Store::resume_pages(std::span<const PageId> pages, Keep keep) {
  return state_->transact(keep, [&] { return store::resume_pages(state_->connection, pages); });
}

Result<std::vector<PageId>> Store::due_pauses(WallTime now) {
  state_->owner.check();
  return state_->seen(store::due_pauses(state_->connection, now));
}

Result<std::optional<WallTime>> Store::next_pause_end() {
  state_->owner.check();
  return state_->seen(store::next_pause_end(state_->connection));
}

Status Store::set_pages(const std::vector<std::pair<PageId, LivePageSpec>>& pages, std::size_t most,
                        Keep keep) {
  return state_->transact(keep, [&] { return store::set_pages(state_->connection, pages, most); });
}

Result<DecidedMask> Store::decide_mask(std::int64_t mask, MaskRow::State state) {
  return state_->transact(Keep::yes,
                          [&] { return store::decide_mask(state_->connection, mask, state); });
}

Result<std::size_t> Store::mark_read(std::span<const std::int64_t> changes, WallTime now) {
  return state_->transact(Keep::yes,
                          [&] { return store::mark_read(state_->connection, changes, now); });
}

}  // namespace pollux::store

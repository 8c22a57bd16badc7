// Statements about pages that are steered while the daemon runs. Inside a transaction of the
// caller's. See Store.
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/store/live.hpp"
#include "store/sqlite.hpp"

#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace pollux::store {

inline constexpr char end_due_pauses[] =
    "UPDATE page SET state = 'active', paused_until = NULL WHERE state = 'paused' AND "
    "paused_until <= ?1";

Result<std::vector<ChosenPage>> choose_pages(const Connection& connection,
                                             const PageChoice& choice);
Result<std::vector<LiveRow>> load_live(const Connection& connection);
Result<AddedLive> add_live_pages(const Connection& connection,
                                 const std::vector<LivePageSpec>& pages, WallTime now,
                                 std::size_t most);
Status remove_live_pages(const Connection& connection, std::span<const PageId> pages);
Status pause_pages(const Connection& connection, std::span<const PageId> pages,
                   std::optional<WallTime> until);
Result<std::vector<PageRow>> resume_pages(const Connection& connection,
                                          std::span<const PageId> pages);
Result<std::vector<PageId>> due_pauses(const Connection& connection, WallTime now);
Result<std::optional<WallTime>> next_pause_end(const Connection& connection);
Status set_pages(const Connection& connection,
                 const std::vector<std::pair<PageId, LivePageSpec>>& pages, std::size_t most);
Result<DecidedMask> decide_mask(const Connection& connection, std::int64_t mask,
                                MaskRow::State state);
Result<std::size_t> mark_read(const Connection& connection, std::span<const std::int64_t> changes,
                              WallTime now);
// What was set of this page; for the Reader, too.
Result<std::optional<OverrideRow>> override_of(const Connection& connection,
                                               const std::string& url);

}  // namespace pollux::store

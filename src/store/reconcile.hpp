// Makes the page table follow the list of the configuration.
#pragma once

#include "pollux/store/store.hpp"
#include "store/sqlite.hpp"

#include <functional>

namespace pollux::store {

struct ReconcileHooks {
  const Store::EachPage* each = nullptr;  // hears of every active page, unless there is none
  std::function<Status()> before_commit = {};
  Shrinking allowed = {};
};

// One transaction; see Store::reconcile. bad_data: rows that cannot be used, and nothing else.
Result<Reconciled> reconcile_pages(const Connection& connection, const std::vector<PageSpec>& pages,
                                   WallTime now, const ReconcileHooks& hooks);

}  // namespace pollux::store

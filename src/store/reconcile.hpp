// Makes the page table follow the list of the configuration.
#pragma once

#include "pollux/store/store.hpp"
#include "store/sqlite.hpp"

namespace pollux::store {

// One transaction; see Store::reconcile.
Result<Reconciled> reconcile_pages(const Connection& connection, const std::vector<PageSpec>& pages,
                                   WallTime now, const Shrinking& allowed);

}  // namespace pollux::store

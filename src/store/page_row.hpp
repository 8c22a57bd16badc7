// How a page's row travels between SQL and PageRow: one list of columns, one reader, one binder.
#pragma once

#include "pollux/store/rows.hpp"
#include "store/sqlite.hpp"

namespace pollux::store {

// "id, url, …": every column of a PageRow, in the order that read_page expects.
extern const char* const page_columns;
PageRow read_page(const Statement& row);

// "UPDATE page SET …": everything a poll changes. Parameters as bind_progress gives them.
extern const char* const update_progress;
// The progress must live until the statement is reset.
void bind_progress(Statement& update, PageId page, const PageProgress& progress);

}  // namespace pollux::store

// How a page's row travels between SQL and PageRow. All of it is made from page_columns.hpp.
#pragma once

#include "pollux/store/rows.hpp"
#include "store/sqlite.hpp"

#include <string>

namespace pollux::store {

// "id, slot, url, …": every column, in the order that read_page expects.
const std::string& page_column_list();
PageRow read_page(const Statement& row);
// Into one that has been used before.
void read_page(const Statement& row, PageRow& page);
void read_page(const Cells& row, PageRow& page);

// What a daemon must remember of a page's polls over a restart: the progress without share, rate
// and forecasts. Its columns, and how they are read from the first one on.
const std::string& remembered_list();
void read_remembered(const Cells& row, int first, PageProgress& progress);

// "UPDATE page SET …": everything a poll changes. Parameters as bind_progress gives them.
const std::string& update_progress();
// The progress must live until the statement is reset.
void bind_progress(Statement& update, PageId page, const PageProgress& progress);

// The options of a page: what the configuration says of it, but for its URL.
const std::string& option_list();  // "host, importance, …"
int option_count();
std::string option_parameters(int first);   // "?2, ?3, …"
std::string option_assignments(int first);  // "host = ?2, importance = ?3, …"
// The spec must live until the statement is reset.
void bind_options(Statement& statement, int first, const PageSpec& spec);
bool same_options(const Cells& row, int first, const PageSpec& spec);

}  // namespace pollux::store

// What is set and added while the daemon runs, between the database, which keeps it, and the
// configuration, which resolves it. Pure but for what is logged. Threading: any.
#pragma once

#include "engine/page_list.hpp"
#include "pollux/config/live.hpp"
#include "pollux/store/live.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace pollux::engine {

// ["news","shop"], as tags are stored; empty for none.
std::string json_list(const std::vector<std::string>& texts);
std::vector<std::string> from_json_list(std::string_view list);

store::OverrideRow row_of(const std::string& url, const config::LiveSettings& settings);
config::LiveSettings settings_of(const store::OverrideRow& row);
// `over` laid over `under`.
config::LiveSettings merged(config::LiveSettings under, const config::LiveSettings& over);

// A list of its own with what these pages are given, in their order. What was taken once and no
// longer does, because the configuration is another one, is left out and logged: a page is polled
// whatever was set of it, unless its URL no longer is one.
struct Resolved {
  config::Config list;
  std::vector<std::size_t> entries;  // which of them are its pages, in order
};
Resolved resolved(const std::shared_ptr<const config::PageBook>& book,
                  const std::vector<config::LiveEntry>& entries);

// Lays what the database has of its own over the files' list: pages that no file lists are added,
// and settings replace what a file says. `config` is the one that `wanted` was made from.
void apply_live(const std::vector<store::LiveRow>& rows, config::Config& config,
                WantedPages& wanted);

}  // namespace pollux::engine

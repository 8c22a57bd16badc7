// Readers of what is more than a single value: mappings by the table of keys, lists of pages, the
// pages file. Keys of one mapping are read in the order of the table, so that defaults come before
// pages whatever their order in the file. Null counts as empty. What is wrong inside goes to
// LoadContext::problems, and reading goes on.
#pragma once

#include "config/keys.hpp"
#include "pollux/config/document.hpp"

namespace pollux::config {

void read_configuration(LoadContext& r, const Node& root);

// A mapping whose keys are the rows directly below `prefix`; true: all of it is right.
bool read_keys(LoadContext& r, std::string_view prefix, const Node& mapping);
Status read_section(LoadContext& r, const Key& key, const Node& value);
Status read_defaults(LoadContext& r, const Key& key, const Node& value);
Status read_hosts(LoadContext& r, const Key& key, const Node& value);
Status read_overrides(LoadContext& r, const Key& key, const Node& value);
Status read_pages(LoadContext& r, const Key& key, const Node& value);
Status read_pages_file(LoadContext& r, const Key& key, const Node& value);

}  // namespace pollux::config

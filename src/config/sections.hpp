// Readers of what is more than a single value: mappings by the table of keys, lists of pages, the
// pages file. Keys of one mapping are read in the order of the table, so that defaults come before
// pages whatever their order in the file. Null counts as empty.
#pragma once

#include "config/document.hpp"
#include "config/keys.hpp"

namespace pollux::config {

Status read_whole_file(Reading& r, const Node& root);

// A mapping whose keys are the rows directly below `prefix`.
Status read_keys(Reading& r, std::string_view prefix, const Node& mapping);
Status read_section(Reading& r, const Key& key, const Node& value);
Status read_defaults(Reading& r, const Key& key, const Node& value);
Status read_hosts(Reading& r, const Key& key, const Node& value);
Status read_overrides(Reading& r, const Key& key, const Node& value);
Status read_pages(Reading& r, const Key& key, const Node& value);
Status read_pages_file(Reading& r, const Key& key, const Node& value);

}  // namespace pollux::config

// The one table of configuration keys: what is not in it is refused, and config/pollux.yaml
// documents each row (a test compares). A new key is a new row; a new section is a row that reads
// with read_section (section_readers.hpp) and rows for its keys below.
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/config/document.hpp"

#include <span>
#include <string_view>

namespace pollux::config {

struct LoadContext;

struct Key {
  // "hosts.delay"; "pages[].url": of each entry of a list; "hosts.overrides.*.delay": of each value
  // of a mapping with free keys.
  std::string_view path;
  std::string_view type;      // for people: "duration", "list of networks"
  std::string_view fallback;  // used when the key is absent, as it would be written; "" for none
  std::string_view help;
  Status (*read)(LoadContext&, const Key&, const Node& value);
};

// Keys of one mapping are read in the order of the table, whatever their order in the file.
std::span<const Key> keys();
// The last of them: of pages and what counts as their content.
std::span<const Key> page_keys();

// The path as people write it: without "[]" and "*".
std::string_view name_of(const Key& key);

}  // namespace pollux::config

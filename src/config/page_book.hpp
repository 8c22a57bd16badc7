// What a configuration says of pages in general, and of those that say something of their own: kept
// after it was read, so that pages which are added or set while the daemon runs are treated as if
// they stood in its list. Pages that say nothing cost nothing. Never changes: read from any thread.
#pragma once

#include "config/content_layer.hpp"
#include "pollux/config/config.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pollux::config {

struct PageBook {
  struct Own {
    std::uint64_t url = 0;  // its hash
    std::uint32_t settings = 0, label = 0;
    std::uint32_t layer = 0;  // its own `content:`, from 1; 0: none
  };

  std::vector<PageSettings> settings =
      {};  // [0] = the defaults; their `content` means nothing here
  std::vector<std::shared_ptr<const HeaderLines>> header_sets = {};
  extract::SharedRules default_rules = {};
  ContentLayer defaults = {};
  std::vector<ContentRule> rules = {};
  std::map<std::string, std::uint32_t> host_headers = {};
  std::vector<Label> labels = {};
  std::vector<ContentLayer> layers = {};
  std::vector<Own> own = {};  // by `url`

  static std::uint64_t hash_of(std::string_view url) { return std::hash<std::string_view>{}(url); }
  // What the page with this normalised URL says of its own; null: nothing, or no file lists it.
  const Own* find(std::string_view url) const {
    const std::uint64_t wanted = hash_of(url);
    const auto at =
        std::ranges::lower_bound(own, wanted, {}, [](const Own& entry) { return entry.url; });
    return at != own.end() && at->url == wanted ? &*at : nullptr;
  }
};

}  // namespace pollux::config

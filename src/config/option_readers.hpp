// Readers of the keys that a page and the defaults share, and of those that a host and all hosts
// share.
#pragma once

#include "config/keys.hpp"

namespace pollux::config {

// Into LoadContext::page.
Status read_importance(LoadContext& r, const Key& key, const Node& value);
Status read_min_interval(LoadContext& r, const Key& key, const Node& value);
Status read_max_interval(LoadContext& r, const Key& key, const Node& value);
Status read_timeout(LoadContext& r, const Key& key, const Node& value);
Status read_max_body(LoadContext& r, const Key& key, const Node& value);
Status read_user_agent(LoadContext& r, const Key& key, const Node& value);
Status read_respect_cache(LoadContext& r, const Key& key, const Node& value);
Status read_cookies(LoadContext& r, const Key& key, const Node& value);
Status read_page_url(LoadContext& r, const Key& key, const Node& value);

// Into LoadContext::host.
Status read_delay(LoadContext& r, const Key& key, const Node& value);
Status read_connections(LoadContext& r, const Key& key, const Node& value);
Status read_robots(LoadContext& r, const Key& key, const Node& value);
Status read_max_crawl_delay(LoadContext& r, const Key& key, const Node& value);
Status read_adaptive_delay(LoadContext& r, const Key& key, const Node& value);
Status read_max_adaptive_delay(LoadContext& r, const Key& key, const Node& value);
Status read_probe(LoadContext& r, const Key& key, const Node& value);

}  // namespace pollux::config

// Readers of the keys below `content:`, of `rules:`, and of what a page is called.
#pragma once

#include "config/keys.hpp"

namespace pollux::config {

// Into LoadContext::content.
Status read_content(LoadContext& r, const Key& key, const Node& value);
Status read_content_as(LoadContext& r, const Key& key, const Node& value);
// select, +select and so on: which one, the key says.
Status read_content_list(LoadContext& r, const Key& key, const Node& value);
Status read_sort_lines(LoadContext& r, const Key& key, const Node& value);
Status read_unique_lines(LoadContext& r, const Key& key, const Node& value);
Status read_min_change(LoadContext& r, const Key& key, const Node& value);
Status read_alert(LoadContext& r, const Key& key, const Node& value);
Status read_alert_pattern(LoadContext& r, const Key& key, const Node& value);
Status read_number_rule(LoadContext& r, const Key& key, const Node& value);
Status read_number_amount(LoadContext& r, const Key& key, const Node& value);
Status read_pipe(LoadContext& r, const Key& key, const Node& value);
Status read_render(LoadContext& r, const Key& key, const Node& value);

// Into LoadContext::rule, and from there into the PageList's rules.
Status read_rules(LoadContext& r, const Key& key, const Node& value);
Status read_rule_match(LoadContext& r, const Key& key, const Node& value);
Status read_rule_tag(LoadContext& r, const Key& key, const Node& value);

// Into LoadContext::label.
Status read_page_name(LoadContext& r, const Key& key, const Node& value);
Status read_page_tags(LoadContext& r, const Key& key, const Node& value);

}  // namespace pollux::config

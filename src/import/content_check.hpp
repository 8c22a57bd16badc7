// What a page may say, checked as the configuration checks it: what would be refused there is left
// out here, and named.
#pragma once

#include "import/collector.hpp"

#include <string>
#include <string_view>

namespace pollux::import {

// A selector by its looks: XPath starts with / or a parenthesis.
extract::Selector selector_from(std::string_view text);

// Rules that do not compile are left out one by one; the rest stays.
void keep_what_compiles(extract::Rules& rules, const Place& place, Collector& out);
// Why these rules do not compile; empty: they do.
std::string complaint_of(const extract::Rules& rules);

void set_user_agent(Page& page, std::string_view agent, const Place& place, Collector& out);
void set_timeout(Page& page, Duration timeout, const Place& place, Collector& out);
// Any header that a request may carry; what the fetcher writes itself is left out.
void add_header(Page& page, std::string_view name, std::string_view value, const Place& place,
                Collector& out);

}  // namespace pollux::import

// RSS, Atom and RDF → what their entries say: for each its title, link, id, date of publication and
// text, as visible text. What changes without anything new (lastBuildDate, ttl, generator, updated)
// is left out.
#pragma once

#include "extract/xml.hpp"

#include <string>
#include <string_view>
#include <variant>

namespace pollux::extract {

bool is_feed_root(std::string_view name);  // rss, feed or RDF

// In the order of the document, an empty line between any two.
std::variant<std::string, Unreadable, TooComplex> feed_entries(std::string_view utf8,
                                                               const Limits& limits);

}  // namespace pollux::extract

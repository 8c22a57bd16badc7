// Filters of urlwatch (and of its sibling webchanges) → rules for the content of a page. There they
// run one after the other; here there is one order: program, selection, form, patterns, lines. What
// would mean something else in that order is not taken and named; what is kept is then more than
// there, never less.
#pragma once

#include "import/collector.hpp"
#include "pollux/config/document.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace pollux::import {

struct UrlwatchFilter {
  std::string kind;  // with - for _
  std::uint32_t line = 0;
  std::string value;  // given without a name
  bool has_value = false;
  std::vector<std::pair<std::string, std::string>> options;
  bool has_inner = false;  // an option is no single value

  // By its name, or the one that needs none.
  std::string option(std::string_view name, std::string_view fallback = "") const;
  bool has(std::string_view name) const;
};

// As they stand below `filter:`, a list or the old form "css:h2,html2text".
std::vector<UrlwatchFilter> urlwatch_filters(const config::Node& filter);

// `place` is of the job; each note gets the line of its filter.
extract::Rules rules_of_urlwatch(const std::vector<UrlwatchFilter>& filters, const Place& place,
                                 Collector& out);

}  // namespace pollux::import

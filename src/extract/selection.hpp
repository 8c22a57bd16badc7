// What selectors take of a document, and how it reads.
#pragma once

#include "extract/compiled_rules.hpp"
#include "pollux/extract/extract.hpp"
#include "pollux/extract/html_tree.hpp"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace pollux::extract {

struct Selected {
  std::string content;
  std::vector<std::size_t> matched;  // for each `select`
};

// CSS and XPath on HTML, in document order; `as` is text or html. No `select`: all of it.
std::variant<Selected, Failure> select_html(const HtmlTree& tree, const CompiledRules& rules, As as,
                                            const Limits& limits);

// XPath on XML: the text of each node on a line.
std::variant<Selected, Failure> select_xml(std::string_view utf8, const CompiledRules& rules,
                                           const Limits& limits);

// jq on JSON, whose text is known to be that.
std::variant<Selected, Failure> select_json(std::string_view utf8, const CompiledRules& rules,
                                            const Limits& limits);

}  // namespace pollux::extract

#include "pollux/extract/css.hpp"

#include "extract/css_selector.hpp"

#include <utility>

namespace pollux::extract {

CssSelector::CssSelector(std::shared_ptr<const List> list) : list_(std::move(list)) {}

Result<CssSelector> CssSelector::parse(std::string_view text) {
  auto list = parse_css(text);
  if (!list) return list.error();
  return CssSelector(*list);
}

std::variant<std::vector<NodeIndex>, TooComplex> CssSelector::match(const HtmlTree& tree,
                                                                    const Limits& limits) const {
  return match_css(*list_, tree, limits);
}

}  // namespace pollux::extract

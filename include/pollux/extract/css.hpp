// CSS selectors, level 3 with :is, :where, :not, :has, :nth-child and the attribute operators, on
// the flat tree. The same nodes as querySelectorAll in a browser. A compiled selector is immutable
// and may be shared by threads.
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/extract/html_tree.hpp"

#include <memory>
#include <string_view>
#include <variant>
#include <vector>

namespace pollux::extract {

class CssSelector {
 public:
  // An error says what is not understood or not supported, and where: `unknown pseudo-class :hover
  // at 3`.
  static Result<CssSelector> parse(std::string_view text);

  // In document order, each once. Steps are counted, so that no selector takes longer than the
  // deadline.
  std::variant<std::vector<NodeIndex>, TooComplex> match(const HtmlTree& tree,
                                                         const Limits& limits) const;

  struct List;  // src/extract/css_selector.hpp

 private:
  explicit CssSelector(std::shared_ptr<const List> list);
  std::shared_ptr<const List> list_;
};

}  // namespace pollux::extract

// A selector, and behind the first line the document it is matched in.
#include "pollux/extract/css.hpp"

#include "fuzz/fuzz.hpp"

#include <variant>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pollux;
  using namespace pollux::extract;
  const std::string_view text = fuzz::text(data, size);
  const std::size_t line = text.find('\n');
  const auto selector = CssSelector::parse(text.substr(0, line));
  if (!selector) {
    fuzz::check(fuzz::is_inert(selector.error().message), "an error that can be shown");
    return 0;
  }
  Limits limits;
  limits.max_nodes = 2'000;
  const auto parsed =
      HtmlTree::parse(line == std::string_view::npos ? "" : text.substr(line + 1), limits);
  if (std::holds_alternative<TooComplex>(parsed)) return 0;
  const HtmlTree& tree = std::get<HtmlTree>(parsed);
  const auto found = selector->match(tree, limits);
  NodeIndex last = 0;
  for (const NodeIndex i : std::get<0>(found)) {
    fuzz::check(i > last && i < tree.nodes().size(), "in document order, each once");
    fuzz::check(tree[i].kind == Node::Kind::element && !tree[i].in_template, "elements");
    last = i;
  }
  return 0;
}

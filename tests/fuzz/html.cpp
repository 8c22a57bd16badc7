// An HTML document: whatever it is, there is a sound tree within the bounds, and text and markup of
// it.
#include "extract/ascii.hpp"
#include "fuzz/fuzz.hpp"
#include "pollux/extract/html_tree.hpp"
#include "pollux/extract/visible_text.hpp"

#include <array>
#include <variant>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pollux;
  using namespace pollux::extract;
  Limits limits;
  limits.max_nodes = 5'000;
  limits.max_depth = 64;
  const auto parsed = HtmlTree::parse(fuzz::text(data, size), limits);
  if (const auto* refused = std::get_if<TooComplex>(&parsed)) {
    fuzz::check(fuzz::is_inert(refused->reason) && !refused->reason.empty(), "a reason");
    return 0;
  }
  const HtmlTree& tree = std::get<HtmlTree>(parsed);
  const auto count = static_cast<NodeIndex>(tree.nodes().size());
  fuzz::check(count > 0 && count <= limits.max_nodes + 1, "within the bounds");
  fuzz::check(tree[0].kind == Node::Kind::document && tree[0].end == count, "one document");
  for (NodeIndex i = 1; i < count; ++i) {
    const Node& node = tree[i];
    fuzz::check(node.parent < i && node.end > i && node.end <= tree[node.parent].end, "nested");
    fuzz::check(node.kind != Node::Kind::document, "one document");
    if (node.next_element != no_node)
      fuzz::check(tree[node.next_element].previous_element == i &&
                      tree[node.next_element].parent == node.parent &&
                      node.next_element >= node.end,
                  "siblings");
    for (std::uint32_t a = 0; a < node.attributes; ++a) {
      const Attribute& attribute = tree.attributes_of(i)[a];
      fuzz::check(tree.attribute(i, attribute.name) == &attribute, "each attribute once");
    }
  }
  const std::array<NodeIndex, 1> all = {0};
  const std::string seen = visible_text(tree, all, {});
  fuzz::check(seen.empty() || (seen.back() != ' ' && seen.back() != '\n'), "no space at the end");
  std::size_t words = 0;
  for (std::size_t i = 0; i < seen.size(); ++i)
    words += !is_space(seen[i]) && (i == 0 || is_space(seen[i - 1])) ? 1 : 0;
  fuzz::check(visible_words(tree) == words, "as many words as were counted");
  std::vector<bool> removed(count);
  for (NodeIndex i = 7; i < count; i += 7) removed[i] = true;
  visible_text(tree, all, removed);
  fuzz::check(markup(tree, all, removed).size() <= markup(tree, all, {}).size(), "less is left");
  return 0;
}

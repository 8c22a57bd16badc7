#include "extract/traits.hpp"

#include "extract/ascii_text.hpp"
#include "pollux/base/text.hpp"
#include "pollux/extract/visible_text.hpp"

#include <algorithm>
#include <array>

namespace pollux::extract {
namespace {

constexpr std::size_t longest_title = 200;
constexpr std::size_t most_markers = 8;
// A challenge is a small page.
constexpr std::size_t searched = std::size_t{256} << 10U;

// Of Cloudflare, Imperva, PerimeterX, DataDome and AWS. Not "/cdn-cgi/challenge-platform/": pages
// that are no challenge carry it, too.
constexpr auto known_markers =
    std::to_array<std::string_view>({"_cf_chl_opt", "/_Incapsula_Resource", "px-captcha",
                                     "captcha-delivery.com", "AwsWafIntegration", "gokuProps"});

std::string title_of(const HtmlTree& tree) {
  const std::vector<Node>& nodes = tree.nodes();
  std::string title;
  for (NodeIndex i = 0; i < nodes.size(); ++i) {
    const Node& node = nodes[i];
    if (node.kind != Node::Kind::element || node.space != Node::Space::html ||
        node.name != "title" || node.in_template)
      continue;
    for (NodeIndex below = i + 1; below < node.end; ++below) {
      if (nodes[below].kind != Node::Kind::text) continue;
      for (const char c : nodes[below].name) {
        if (!is_space(c)) {
          title += c;
        } else if (!title.empty() && !title.ends_with(' ')) {
          title += ' ';
        }
        if (title.size() > longest_title + 4) break;
      }
    }
    break;
  }
  title.resize(beginning_of(title, longest_title).size());
  if (title.ends_with(' ')) title.pop_back();
  return title;
}

std::size_t password_fields_of(const HtmlTree& tree) {
  std::size_t fields = 0;
  for (NodeIndex i = 0; i < tree.nodes().size(); ++i) {
    const Node& node = tree[i];
    if (node.kind != Node::Kind::element || node.name != "input" || node.in_template) continue;
    const Attribute* const type = tree.attribute(i, "type");
    if (type != nullptr && same_letters(type->value, "password")) ++fields;
  }
  return fields;
}

}  // namespace

Traits traits_of(const HtmlTree& tree, std::string_view utf8) {
  Traits traits;
  traits.title = title_of(tree);
  traits.words = visible_words(tree);
  traits.password_fields = password_fields_of(tree);
  constexpr std::size_t end_searched = 4096;
  const std::string_view rest = utf8.substr(utf8.size() - std::min(utf8.size(), end_searched));
  if (lowered(rest).find("</html") != std::string::npos) traits.markers.emplace_back(end_of_html);
  const std::string_view start = utf8.substr(0, searched);
  for (const std::string_view marker : known_markers) {
    if (traits.markers.size() < most_markers && start.find(marker) != std::string_view::npos)
      traits.markers.emplace_back(marker);
  }
  return traits;
}

}  // namespace pollux::extract

// An HTML document as a flat tree: nodes in document order, each with the index behind its last
// descendant. Built by a real HTML5 parser, iteratively, within bounds. Immutable after parse().
#pragma once

#include "pollux/extract/limits.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace pollux::extract {

using NodeIndex = std::uint32_t;
inline constexpr NodeIndex no_node = ~NodeIndex{0};

struct Attribute {
  std::string_view name;  // lower case in HTML elements
  std::string_view value;
};

struct Node {
  enum class Kind : std::uint8_t { document, element, text };
  enum class Space : std::uint8_t { html, svg, mathml };
  Kind kind = Kind::element;
  Space space = Space::html;
  bool in_template = false;  // below a <template>: no selector matches it, nobody sees it
  std::string_view name;     // of an element; of a text: its characters
  NodeIndex parent = no_node;
  NodeIndex end = 0;                     // one behind the last descendant
  NodeIndex previous_element = no_node;  // sibling
  NodeIndex next_element = no_node;
  std::uint32_t first_attribute = 0, attributes = 0;
};

class HtmlTree {
 public:
  // `utf8` is copied as far as needed. Comments and doctypes are left out.
  static std::variant<HtmlTree, TooComplex> parse(std::string_view utf8, const Limits& limits);

  HtmlTree(HtmlTree&&) noexcept;
  HtmlTree& operator=(HtmlTree&&) noexcept;
  ~HtmlTree();

  const std::vector<Node>& nodes() const { return nodes_; }  // [0] is the document
  const Node& operator[](NodeIndex i) const { return nodes_[i]; }
  const Attribute* attribute(NodeIndex element, std::string_view name) const;  // null: it has none
  const Attribute* attributes_of(NodeIndex element) const {
    return attributes_.data() + nodes_[element].first_attribute;
  }
  bool quirks() const { return quirks_; }

 private:
  HtmlTree();
  std::vector<Node> nodes_;
  std::vector<Attribute> attributes_;
  std::vector<std::string> blocks_;  // what the views point into
  bool quirks_ = false;
};

}  // namespace pollux::extract

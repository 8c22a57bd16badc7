#include "pollux/extract/html_tree.hpp"

#include "extract/grouped.hpp"
#include "extract/html_parser.hpp"
#include "pollux/base/keyed_hash.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace pollux::extract {
namespace {

constexpr std::size_t block_size = std::size_t{64} << 10U;
constexpr std::size_t most_text = std::size_t{24} << 20U;
// Up to here a name is sought among the others one by one.
constexpr std::size_t few_attributes = 16;
constexpr std::size_t nodes_a_clock = 1'024;

// Texts one behind the other, in blocks that never move.
class Texts {
 public:
  explicit Texts(std::vector<std::string>& blocks) : blocks_(blocks) {}

  std::string_view keep(std::string_view text) {
    if (text.empty()) return {};
    if (blocks_.empty() || blocks_.back().capacity() - blocks_.back().size() < text.size()) {
      blocks_.emplace_back();
      blocks_.back().reserve(std::max(text.size(), block_size));
    }
    std::string& block = blocks_.back();
    const std::size_t start = block.size();
    block.append(text);
    size_ += text.size();
    return std::string_view(block).substr(start);
  }
  std::size_t size() const { return size_; }

 private:
  std::vector<std::string>& blocks_;
  std::size_t size_ = 0;
};

std::string_view text_in(const mycore_string_t& text) {
  return text.data == nullptr ? std::string_view() : std::string_view(text.data, text.length);
}

// MyHTML takes the prefix off those of foreign elements that have a namespace.
std::string name_of(const myhtml_token_attr_t& attribute) {
  std::string name(text_in(attribute.key));
  if (attribute.ns == MyHTML_NAMESPACE_XLINK) return "xlink:" + name;
  if (attribute.ns == MyHTML_NAMESPACE_XML) return "xml:" + name;
  if (attribute.ns == MyHTML_NAMESPACE_XMLNS && name != "xmlns") return "xmlns:" + name;
  return name;
}

Node::Space space_of(const myhtml_tree_node_t& node) {
  if (node.ns == MyHTML_NAMESPACE_SVG) return Node::Space::svg;
  return node.ns == MyHTML_NAMESPACE_MATHML ? Node::Space::mathml : Node::Space::html;
}

// From MyHTML's nodes to the flat ones, along their links, with a stack of its own: what a parser
// with a flaw could make of the links costs no more than a tree of the largest size.
class Copy {
 public:
  Copy(const HtmlParser& parser, const Limits& limits, std::vector<Node>& nodes,
       std::vector<Attribute>& attributes, std::vector<std::string>& blocks)
      : tree_(parser.tree()),
        limits_(limits),
        nodes_(nodes),
        attributes_(attributes),
        texts_(blocks) {
    nodes_.reserve(parser.nodes() + 1);
  }

  std::optional<TooComplex> run() {
    Node& document = nodes_.emplace_back();
    document.kind = Node::Kind::document;
    open_.push_back({0, no_node});
    const myhtml_tree_node_t* at = tree_->document->child;
    while (true) {
      while (at == nullptr) {
        nodes_[open_.back().index].end = static_cast<NodeIndex>(nodes_.size());
        open_.pop_back();
        if (open_.empty()) return std::nullopt;
        at = siblings_.back();
        siblings_.pop_back();
      }
      if (std::optional<TooComplex> stopped = check()) return stopped;
      const bool below = add(*at);
      if (below) {
        siblings_.push_back(at->next);
        at = at->child;
      } else {
        at = at->next;
      }
    }
  }

 private:
  struct Open {
    NodeIndex index, last_element;
  };

  std::optional<TooComplex> check() {
    if (nodes_.size() > limits_.max_nodes)
      return TooComplex{"more than " + grouped(limits_.max_nodes) + " nodes"};
    if (open_.size() > limits_.max_depth + 1)
      return TooComplex{"deeper than " + grouped(limits_.max_depth) + " elements"};
    if (texts_.size() > most_text) return TooComplex{"more than 24 MiB of text"};
    if (nodes_.size() % nodes_a_clock == 0 && std::chrono::steady_clock::now() >= limits_.deadline)
      return TooComplex{"took too long"};
    return std::nullopt;
  }

  // Whether it is an element: its children follow.
  bool add(const myhtml_tree_node_t& from) {
    if (from.tag_id == MyHTML_TAG__COMMENT || from.tag_id == MyHTML_TAG__DOCTYPE) return false;
    const auto index = static_cast<NodeIndex>(nodes_.size());
    Open& above = open_.back();
    const Node& parent = nodes_[above.index];
    Node node;
    node.parent = above.index;
    node.in_template =
        parent.in_template || (parent.kind == Node::Kind::element &&
                               parent.space == Node::Space::html && parent.name == "template");
    node.space = space_of(from);
    node.end = index + 1;
    if (from.tag_id == MyHTML_TAG__TEXT) {
      node.kind = Node::Kind::text;
      if (from.token != nullptr) node.name = texts_.keep(text_in(from.token->str));
      if (!node.name.empty()) nodes_.push_back(node);
      return false;
    }
    node.name = name(from.tag_id);
    node.first_attribute = static_cast<std::uint32_t>(attributes_.size());
    if (from.token != nullptr) add_attributes(*from.token);
    node.attributes = static_cast<std::uint32_t>(attributes_.size()) - node.first_attribute;
    node.previous_element = above.last_element;
    if (above.last_element != no_node) nodes_[above.last_element].next_element = index;
    above.last_element = index;
    nodes_.push_back(node);
    open_.push_back({index, no_node});
    return true;
  }

  std::string_view name(myhtml_tag_id_t tag) {
    std::string_view& kept = names_[tag];
    if (kept.empty()) {
      const myhtml_tag_context_t* context = myhtml_tag_get_by_id(tree_->tags, tag);
      if (context != nullptr) kept = texts_.keep({context->name, context->name_length});
    }
    return kept;
  }

  // Of several of one name the first counts.
  void add_attributes(const myhtml_token_node_t& token) {
    const std::size_t first = attributes_.size();
    std::unordered_set<std::string_view, KeyedHash> seen;
    for (const auto* from = token.attr_first; from != nullptr; from = from->next) {
      const std::string name = name_of(*from);
      if (name.empty()) continue;
      const std::size_t count = attributes_.size() - first;
      if (count < few_attributes) {
        const auto start = attributes_.begin() + static_cast<std::ptrdiff_t>(first);
        if (std::any_of(start, attributes_.end(),
                        [&](const Attribute& other) { return other.name == name; }))
          continue;
      } else {
        if (seen.empty())
          for (std::size_t i = first; i < attributes_.size(); ++i) seen.insert(attributes_[i].name);
        if (seen.contains(name)) continue;
      }
      attributes_.push_back({texts_.keep(name), texts_.keep(text_in(from->value))});
      if (!seen.empty()) seen.insert(attributes_.back().name);
    }
  }

  myhtml_tree_t* tree_;
  const Limits& limits_;
  std::vector<Node>& nodes_;
  std::vector<Attribute>& attributes_;
  Texts texts_;
  std::vector<Open> open_;
  std::vector<const myhtml_tree_node_t*> siblings_;  // where to go on behind each open element
  std::unordered_map<myhtml_tag_id_t, std::string_view> names_;
};

}  // namespace

HtmlTree::HtmlTree() = default;
HtmlTree::HtmlTree(HtmlTree&&) noexcept = default;
HtmlTree& HtmlTree::operator=(HtmlTree&&) noexcept = default;
HtmlTree::~HtmlTree() = default;

std::variant<HtmlTree, TooComplex> HtmlTree::parse(std::string_view utf8, const Limits& limits) {
  // 10 MiB of an encoding with one byte a character can be 30 MiB here.
  if (utf8.size() > most_text) return TooComplex{"more than 24 MiB of text"};
  HtmlParser parser(limits);
  if (std::optional<TooComplex> given_up = parser.parse(utf8)) return *given_up;
  HtmlTree tree;
  tree.quirks_ = parser.quirks();
  if (auto given_up = Copy(parser, limits, tree.nodes_, tree.attributes_, tree.blocks_).run())
    return *given_up;
  return tree;
}

const Attribute* HtmlTree::attribute(NodeIndex element, std::string_view name) const {
  const Attribute* const first = attributes_of(element);
  const Attribute* const end = first + nodes_[element].attributes;
  const Attribute* const found =
      std::find_if(first, end, [&](const Attribute& one) { return one.name == name; });
  return found == end ? nullptr : found;
}

}  // namespace pollux::extract

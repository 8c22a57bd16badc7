// Every part of a selector is decided for every element in one pass over the tree, as a bit of a
// word: from the first node to the last for what stands left of a combinator, from the last to the
// first for :has(). So a selector takes time in proportion to the nodes and its own length,
// whatever the two are.
#include "extract/ascii_text.hpp"
#include "extract/css_selector.hpp"
#include "extract/form_state.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstring>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>

namespace pollux::extract {
namespace {

using Kind = CssSimple::Kind;
using Operator = CssSimple::Operator;
using Bits = std::uint64_t;

constexpr NodeIndex nodes_a_clock = 256;
constexpr std::size_t bytes_a_clock = std::size_t{1} << 20U;  // of values that were looked through

// Their values compare without regard to case in HTML, unless a selector asks for it.
constexpr std::array<std::string_view, 46> caseless_attributes = {
    "accept",     "accept-charset", "align",     "alink",    "axis",     "bgcolor", "charset",
    "checked",    "clear",          "codetype",  "color",    "compact",  "declare", "defer",
    "dir",        "direction",      "disabled",  "enctype",  "face",     "frame",   "hreflang",
    "http-equiv", "lang",           "language",  "link",     "media",    "method",  "multiple",
    "nohref",     "noresize",       "noshade",   "nowrap",   "readonly", "rel",     "rev",
    "rules",      "scope",          "scrolling", "selected", "shape",    "target",  "text",
    "type",       "valign",         "valuetype", "vlink"};

bool same(std::string_view a, std::string_view b, bool any_case) {
  return any_case ? same_letters(a, b) : a == b;
}

// memmem: in linear time, whatever the two are.
bool contains(std::string_view text, std::string_view part, bool any_case) {
  if (any_case) return contains(lowered(text), lowered(part), false);
  return ::memmem(text.data(), text.size(), part.data(), part.size()) != nullptr;
}

bool has_word(std::string_view text, std::string_view word, bool any_case) {
  for (std::size_t at = 0; at < text.size();) {
    while (at < text.size() && is_space(text[at])) ++at;
    const std::size_t start = at;
    while (at < text.size() && !is_space(text[at])) ++at;
    if (at > start && same(text.substr(start, at - start), word, any_case)) return true;
  }
  return false;
}

bool compare(Operator op, std::string_view text, std::string_view value, bool any_case) {
  const std::size_t size = value.size();
  switch (op) {
    case Operator::exists:
      return true;
    case Operator::equals:
      return same(text, value, any_case);
    case Operator::word:
      return has_word(text, value, any_case);
    case Operator::dash:
      return same(text.substr(0, size), value, any_case) &&
             (text.size() == size || text[size] == '-');
    case Operator::prefix:
      return size > 0 && same(text.substr(0, size), value, any_case);
    case Operator::suffix:
      return size > 0 && text.size() >= size &&
             same(text.substr(text.size() - size), value, any_case);
    case Operator::contains:
      return size > 0 && contains(text, value, any_case);
  }
  return false;
}

class Matcher {
 public:
  Matcher(const HtmlTree& tree, const Limits& limits)
      : tree_(tree), nodes_(tree.nodes()), limits_(limits), form_(tree) {}

  std::variant<std::vector<NodeIndex>, TooComplex> run(const CssSelector::List& list) {
    const std::vector<bool>& found = matched(list);
    if (late_) return TooComplex{"took too long"};
    std::vector<NodeIndex> out;
    for (NodeIndex i = 1; i < nodes_.size(); ++i)
      if (found[i]) out.push_back(i);
    return out;
  }

 private:
  using Set = std::vector<bool>;
  using Ranks = std::vector<std::uint32_t>;

  bool is_matchable(NodeIndex i) const {
    return nodes_[i].kind == Node::Kind::element && !nodes_[i].in_template;
  }

  bool out_of_time(NodeIndex i) {
    if (!late_ && i % nodes_a_clock == 0)
      late_ = std::chrono::steady_clock::now() >= limits_.deadline;
    return late_;
  }

  // One value may be as long as a document, and be asked for again and again.
  std::string_view looked_through(std::string_view value) {
    looked_through_ += value.size();
    if (looked_through_ < bytes_a_clock) return value;
    looked_through_ = 0;
    late_ = late_ || std::chrono::steady_clock::now() >= limits_.deadline;
    return late_ ? std::string_view() : value;
  }

  // Each list once; what comes out late is not used.
  const Set& matched(const CssSelector::List& list) {
    const auto known = sets_.find(&list);
    if (known != sets_.end()) return known->second;
    Set out(nodes_.size());
    for (const CssComplex& complex : list.complexes) match(complex, out);
    return sets_[&list] = std::move(out);
  }

  void match(const CssComplex& complex, Set& out) {
    const std::size_t count = complex.compounds.size();
    if (count == 1) {
      for (NodeIndex i = 1; i < nodes_.size() && !out_of_time(i); ++i)
        if (!out[i] && is_matchable(i) && matches(complex.compounds[0], i)) out[i] = true;
      return;
    }
    std::array<Bits, 4> joined{};  // by combinator: which compounds have it behind them
    for (std::size_t k = 1; k < count; ++k)
      joined[static_cast<std::size_t>(complex.combinators[k])] |= Bits{1} << (k - 1);
    // Which compounds each element ends, and those that its ancestors and its earlier siblings do.
    std::vector<Bits> here(nodes_.size()), above(nodes_.size()), before(nodes_.size());
    for (NodeIndex i = 1; i < nodes_.size() && !out_of_time(i); ++i) {
      if (!is_matchable(i)) continue;
      const NodeIndex parent = nodes_[i].parent, previous = nodes_[i].previous_element;
      above[i] = above[parent] | here[parent];
      if (previous != no_node) before[i] = before[previous] | here[previous];
      const Bits left = (above[i] & joined[0]) | (here[parent] & joined[1]) |
                        (previous == no_node ? 0 : here[previous] & joined[2]) |
                        (before[i] & joined[3]);
      for (Bits open = left << 1U | 1U; open != 0; open &= open - 1) {
        const auto k = static_cast<std::size_t>(std::countr_zero(open));
        if (k < count && matches(complex.compounds[k], i)) here[i] |= Bits{1} << k;
      }
      if ((here[i] >> (count - 1) & 1U) != 0) out[i] = true;
    }
  }

  // Elements from which a relative selector of the list leads somewhere.
  const Set& having(const CssSelector::List& list) {
    const auto known = sets_.find(&list);
    if (known != sets_.end()) return known->second;
    Set out(nodes_.size());
    for (const CssComplex& complex : list.complexes) match_backwards(complex, out);
    return sets_[&list] = std::move(out);
  }

  void match_backwards(const CssComplex& complex, Set& out) {
    const std::size_t count = complex.compounds.size();
    if (count == 0) return;
    std::array<Bits, 4> joined{};  // by combinator: which compounds have it before them
    for (std::size_t k = 0; k < count; ++k)
      joined[static_cast<std::size_t>(complex.combinators[k])] |= Bits{1} << k;
    // Which compounds each element begins, with all that follows, and those that its descendants,
    // children and later siblings do.
    std::vector<Bits> here(nodes_.size()), below(nodes_.size()), children(nodes_.size()),
        behind(nodes_.size());
    for (auto i = static_cast<NodeIndex>(nodes_.size()); --i > 0 && !out_of_time(i);) {
      if (!is_matchable(i)) continue;
      const NodeIndex parent = nodes_[i].parent, next = nodes_[i].next_element;
      if (next != no_node) behind[i] = behind[next] | here[next];
      const Bits right = (below[i] & joined[0]) | (children[i] & joined[1]) |
                         (next == no_node ? 0 : here[next] & joined[2]) | (behind[i] & joined[3]);
      if ((right & 1U) != 0) out[i] = true;
      for (Bits open = right >> 1U | Bits{1} << (count - 1); open != 0; open &= open - 1) {
        const auto k = static_cast<std::size_t>(std::countr_zero(open));
        if (matches(complex.compounds[k], i)) here[i] |= Bits{1} << k;
      }
      children[parent] |= here[i];
      below[parent] |= here[i] | below[i];
    }
  }

  bool matches(const CssCompound& compound, NodeIndex i) {
    return std::all_of(compound.simples.begin(), compound.simples.end(),
                       [&](const CssSimple& simple) { return matches(simple, i); });
  }

  bool matches(const CssSimple& simple, NodeIndex i) {
    const Node& node = nodes_[i];
    switch (simple.kind) {
      case Kind::nothing:
        return false;
      case Kind::type:
        return node.name == simple.name ||
               (node.space != Node::Space::html && same_letters(node.name, simple.name));
      case Kind::id: {
        const Attribute* id = tree_.attribute(i, "id");
        return id != nullptr && same(id->value, simple.name, tree_.quirks());
      }
      case Kind::class_name: {
        const Attribute* classes = tree_.attribute(i, "class");
        return classes != nullptr &&
               has_word(looked_through(classes->value), simple.name, tree_.quirks());
      }
      case Kind::attribute:
        return matches_attribute(simple, i);
      case Kind::is:
        return matched(*simple.list)[i];
      case Kind::is_not:
        return !matched(*simple.list)[i];
      case Kind::has:
        return having(*simple.list)[i];
      case Kind::nth:
        return matches_nth(simple, i);
      case Kind::root:
        return node.parent == 0;
      case Kind::empty:
        return node.end == i + 1 || tree_[i + 1].in_template;  // the content is not its child
      case Kind::only_child:
        return node.previous_element == no_node && node.next_element == no_node;
      case Kind::only_of_type:
        return ranks(false, true, nullptr)[i] == 1 && ranks(true, true, nullptr)[i] == 1;
      case Kind::checked:
        return form_.checked(i);
      case Kind::disabled:
        return form_.disabled(i);
      case Kind::enabled:
        return form_.enabled(i);
      case Kind::required:
        return form_.required(i);
      case Kind::optional:
        return form_.optional(i);
      case Kind::link:
        return is_link(i);
      case Kind::language:
        return matches_language(simple, i);
    }
    return false;
  }

  bool matches_attribute(const CssSimple& simple, NodeIndex i) {
    const Node& node = nodes_[i];
    const bool html = node.space == Node::Space::html;
    const Attribute* const first = tree_.attributes_of(i);
    for (const Attribute* at = first; at != first + node.attributes; ++at) {
      std::string_view name = at->name;
      if (!html) {
        const std::size_t colon = name.find(':');
        const bool spaced =
            colon != std::string_view::npos &&
            (name.starts_with("xlink:") || name.starts_with("xml:") || name.starts_with("xmlns:"));
        if (spaced && !simple.any_namespace) continue;
        if (spaced) name.remove_prefix(colon + 1);
      }
      if (!same_letters(name, simple.name)) continue;
      const bool any_case =
          simple.letters == CssSimple::Case::ignored ||
          (simple.letters == CssSimple::Case::by_name && html && is_caseless(name));
      if (compare(simple.op, looked_through(at->value), simple.value, any_case)) return true;
    }
    return false;
  }

  static bool is_caseless(std::string_view name) {
    return std::find(caseless_attributes.begin(), caseless_attributes.end(), name) !=
           caseless_attributes.end();
  }

  bool is_link(NodeIndex i) const {
    const Node& node = nodes_[i];
    if (node.space == Node::Space::svg)
      return node.name == "a" &&
             (tree_.attribute(i, "href") != nullptr || tree_.attribute(i, "xlink:href") != nullptr);
    return node.space == Node::Space::html && (node.name == "a" || node.name == "area") &&
           tree_.attribute(i, "href") != nullptr;
  }

  bool matches_nth(const CssSimple& simple, NodeIndex i) {
    if (simple.list && !matched(*simple.list)[i]) return false;
    if (!simple.list && !simple.of_type && simple.step == 0 && simple.offset == 1)
      return (simple.from_end ? nodes_[i].next_element : nodes_[i].previous_element) == no_node;
    const auto rank =
        static_cast<long>(ranks(simple.from_end, simple.of_type, simple.list.get())[i]);
    const long rest = rank - simple.offset;
    if (simple.step == 0) return rest == 0;
    return rest % simple.step == 0 && rest / simple.step >= 0;
  }

  // The how manieth of its siblings each element is, from 1 on; of its type, or of those in a list.
  const Ranks& ranks(bool from_end, bool of_type, const CssSelector::List* list) {
    const auto known = ranks_.find({from_end, of_type, list});
    if (known != ranks_.end()) return known->second;
    const Set* const counted = list == nullptr ? nullptr : &matched(*list);
    Ranks out(nodes_.size());
    std::map<std::tuple<NodeIndex, const char*, Node::Space>, std::uint32_t> types;
    const auto count = static_cast<NodeIndex>(nodes_.size());
    for (NodeIndex step = 1; step < count && !out_of_time(step); ++step) {
      const NodeIndex i = from_end ? count - step : step;
      if (!is_matchable(i)) continue;
      const Node& node = nodes_[i];
      const NodeIndex other = from_end ? node.next_element : node.previous_element;
      if (of_type)
        out[i] = ++types[{node.parent, node.name.data(), node.space}];
      else
        out[i] =
            (other == no_node ? 0 : out[other]) + (counted == nullptr || (*counted)[i] ? 1 : 0);
    }
    return ranks_[{from_end, of_type, list}] = std::move(out);
  }

  bool matches_language(const CssSimple& simple, NodeIndex i) {
    if (languages_.empty()) find_languages();
    return std::any_of(simple.languages.begin(), simple.languages.end(),
                       [&](const std::string& range) {
                         return compare(Operator::dash, languages_[i], range, true);
                       });
  }

  void find_languages() {
    languages_.resize(nodes_.size());
    for (NodeIndex i = 1; i < nodes_.size(); ++i) {
      languages_[i] = languages_[nodes_[i].parent];
      if (nodes_[i].kind != Node::Kind::element) continue;
      for (const std::string_view name : {"lang", "xml:lang"})
        if (const Attribute* own = tree_.attribute(i, name)) languages_[i] = own->value;
    }
  }

  const HtmlTree& tree_;
  const std::vector<Node>& nodes_;
  const Limits& limits_;
  FormState form_;
  bool late_ = false;
  std::size_t looked_through_ = 0;
  std::unordered_map<const CssSelector::List*, Set> sets_;
  std::map<std::tuple<bool, bool, const CssSelector::List*>, Ranks> ranks_;
  std::vector<std::string_view> languages_;
};

}  // namespace

std::variant<std::vector<NodeIndex>, TooComplex> match_css(const CssSelector::List& list,
                                                           const HtmlTree& tree,
                                                           const Limits& limits) {
  return Matcher(tree, limits).run(list);
}

}  // namespace pollux::extract

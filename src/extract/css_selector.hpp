// A selector as css_parse reads it and css_match uses it.
#pragma once

#include "pollux/extract/css.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pollux::extract {

// A compound is one bit of a 64-bit word in the matcher.
inline constexpr std::size_t most_compounds = 64;

struct CssSimple {
  enum class Kind : std::uint8_t {
    nothing,  // valid, and no element of a document is it: ::before, |a
    type,
    id,
    class_name,
    attribute,
    is,  // :is and :where
    is_not,
    has,
    nth,
    root,
    empty,
    only_child,
    only_of_type,
    checked,
    disabled,
    enabled,
    link,
    required,
    optional,
    language
  };
  enum class Operator : std::uint8_t { exists, equals, word, dash, prefix, suffix, contains };
  enum class Case : std::uint8_t { by_name, ignored, kept };

  Kind kind = Kind::nothing;
  std::string name;   // of a type, id, class or attribute
  std::string value;  // of an attribute
  Operator op = Operator::exists;
  Case letters = Case::by_name;
  bool any_namespace = false;              // [*|href]
  bool from_end = false, of_type = false;  // nth
  int step = 0, offset = 0;                // nth: step·n + offset
  std::shared_ptr<const CssSelector::List>
      list;  // :is, :not, :has; `of` in nth, where it may be null
  std::vector<std::string> languages;
};

struct CssCompound {
  std::vector<CssSimple> simples;  // none: *
};

enum class CssCombinator : std::uint8_t { descendant, child, next, subsequent };

// Compounds from left to right; combinators[i] stands before compounds[i]. The first one counts in
// :has alone.
struct CssComplex {
  std::vector<CssCompound> compounds;
  std::vector<CssCombinator> combinators;
};

struct CssSelector::List {
  std::vector<CssComplex> complexes;
};

Result<std::shared_ptr<const CssSelector::List>> parse_css(std::string_view text);
std::variant<std::vector<NodeIndex>, TooComplex> match_css(const CssSelector::List& list,
                                                           const HtmlTree& tree,
                                                           const Limits& limits);

}  // namespace pollux::extract

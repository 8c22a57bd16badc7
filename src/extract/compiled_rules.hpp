// Rules that have been checked, ready for any number of documents.
#pragma once

#include "extract/patterns.hpp"
#include "pollux/extract/css.hpp"
#include "pollux/extract/extract.hpp"

#include <optional>
#include <string>
#include <vector>

namespace pollux::extract {

struct CompiledSelector {
  Selector source;
  std::optional<CssSelector> css;  // of this language; libxml2 compiles for each document anew
};

class CompiledRules {
 public:
  Rules rules;
  std::vector<CompiledSelector> select, remove;
  Patterns patterns;
  std::optional<Pattern> alert;
  std::string jq;  // one program for all selectors of this language; empty: there are none
  std::vector<std::string> pipe;  // with the path of the program

  bool has(Selector::Language language) const;
  // Something looks at words, lines or numbers, so bytes are decoded wherever they are text.
  bool need_text() const;
};

}  // namespace pollux::extract

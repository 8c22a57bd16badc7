// JSON in one form: keys sorted, one value a line, numbers exact and in their shortest form. Pure.
#pragma once

#include "pollux/extract/limits.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace pollux::extract {

struct NoJson {
  std::string reason;  // "syntax error at byte 17"
};

// Ends without a line feed. Of equal keys the last counts, as in browsers.
std::variant<std::string, NoJson, TooComplex> canonical_json(std::string_view utf8,
                                                             const Limits& limits);
// Whether it would be, without the writing.
std::variant<std::monostate, NoJson, TooComplex> check_json(std::string_view utf8,
                                                            const Limits& limits);

// The same for what jq printed: one array for each selector. Its elements, a line feed between any
// two.
struct JsonResults {
  std::string text;
  std::vector<std::size_t> counts;  // elements of each array
};
std::variant<JsonResults, NoJson, TooComplex> json_results(std::string_view arrays,
                                                           const Limits& limits);

}  // namespace pollux::extract

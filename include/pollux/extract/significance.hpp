// Whether content that differs is a change by the rules min_change, alert and number. Pure.
#pragma once

#include "pollux/diff/diff.hpp"
#include "pollux/extract/extract.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pollux::extract {

// The first number of a text: the last . or , that one or two digits follow is the decimal sign, or
// that cannot group thousands. "1.299,50 €" and "1 299,50" are 1299.5; "1,299" is 1299; "1.0845"
// and "0,999" are what they say; "-3" is negative where the sign touches the digits and no digit or
// letter precedes it.
std::optional<double> first_number(std::string_view text);

struct Significance {
  bool significant = true;
  std::string reason;  // of an insignificant one: "1 % of the words, less than 2 %"; of a firing:
                       // "below 100: 94.9"
  // below, above and alert hold now, all of them; nothing: there are none, or it cannot be told.
  std::optional<bool> holds = {};
  // What becomes true must have been false before: the next content is compared with this one.
  bool base_follows = false;
};

// Of one content alone, as Significance::holds.
std::optional<bool> holds(const CompiledRules& rules, std::string_view now);
// Where the content of the base is lost. `held`: whether it held there, if that is known. What
// cannot be told is not significant, and what comes next is compared with `now`.
Significance significance_alone(const CompiledRules& rules, std::optional<bool> held,
                                std::string_view now);

// What a rule says of one content, and of the one before it where there is one.
struct Condition {
  std::string rule;           // number, alert or min_change
  std::string wanted;         // "below 100", "appears \"sold out\"", "2 % of the words"
  std::optional<bool> holds;  // nothing: it cannot be told
  std::string reason;         // "94.9", "no number in the content", "nothing to compare with"
};
// Of number, alert and min_change, as far as the rules have them. `before`: may be missing.
std::vector<Condition> conditions(const CompiledRules& rules,
                                  std::optional<std::string_view> before, std::string_view now);

// `before` is the content of the base: the last that counted. Without rules of this kind everything
// counts.
Significance significance(const CompiledRules& rules, std::string_view before,
                          std::string_view now);
// `pieces` is diff::words() of the two.
Significance significance(const CompiledRules& rules, std::string_view before, std::string_view now,
                          const std::vector<diff::Piece>& pieces);

}  // namespace pollux::extract

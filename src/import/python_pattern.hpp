// Regular expressions of Python's `re` in RE2's syntax, with the meaning that they have there: \w,
// \s and their opposites know all letters and blanks of Unicode, ^ and $ are the ends of the whole
// text unless (?m) says otherwise. What RE2 does not have (look-around, back-references) is passed
// on as it is, to be refused by whoever compiles it. Pure.
#pragma once

#include <string>
#include <string_view>

namespace pollux::import {

// What the pattern is held against there: one line after the other, or the text as a whole.
enum class Against { lines, text };
std::string re2_of_python(std::string_view pattern, Against against);

// A pattern for this text and nothing else.
std::string re2_of_text(std::string_view text);

}  // namespace pollux::import

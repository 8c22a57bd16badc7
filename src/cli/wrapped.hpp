// Prose on a screen: lines end between words.
#pragma once

#include "pollux/report/text.hpp"

#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pollux::cli {

// Lines of at most `width` columns, the second and the following ones indented by `hang`. A word
// that is wider than that has a line of its own: what people copy stays whole. Line feeds stay, and
// what a line begins with, too. Without a width as it is.
std::string word_wrapped(std::string_view text, std::optional<std::size_t> width,
                         std::size_t hang = 0);

// Topics in a column `column` wide, what is said of each behind it. Ends with a line feed.
std::string lines_text(const std::vector<report::Line>& lines, std::size_t column,
                       std::optional<std::size_t> width);
void print_lines(const std::vector<report::Line>& lines, std::size_t column, std::FILE* stream);

}  // namespace pollux::cli

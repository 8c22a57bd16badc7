// A diff on a screen or in a pipe: colours, columns and marks.
#pragma once

#include "pollux/report/diff.hpp"

#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

namespace pollux::cli {

class CommandLine;

// Where it is shown.
struct Screen {
  std::optional<std::size_t> width;  // nullopt: it is no terminal
  bool colour = false;
};
// Obeys NO_COLOR and TERM=dumb.
Screen screen_of(std::FILE* stream);

enum class DiffStyle {
  automatic,  // side by side on wide terminals, words on others, unified in a pipe
  word,
  unified,
  side
};
void add_style_option(CommandLine& line, DiffStyle& style);

// What changed between two texts, in words or, on wide terminals, side by side.
std::string change_text(std::string_view old_text, std::string_view new_text, const Screen& screen);
// The same of two versions, with a heading. Ends with a line feed. The texts differ.
std::string diff_text(const report::DiffFacts& facts, DiffStyle style, const Screen& screen);

}  // namespace pollux::cli

// A diff on a screen or in a pipe: colours, columns and marks.
#pragma once

#include "pollux/report/diff.hpp"

#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>

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

// Ends with a line feed. The texts differ.
std::string diff_text(const report::DiffFacts& facts, DiffStyle style, const Screen& screen);

}  // namespace pollux::cli

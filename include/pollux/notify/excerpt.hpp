// What differs between two texts, short enough to be told: a few lines, each marked by its first
// character: '-' gone, '+' new, ' ' unchanged, '@' words about what is left out. Control characters
// are visible, so a line is a line. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pollux::notify {

struct ExcerptBounds {
  std::size_t lines = 60;
  std::size_t bytes = 6000;
  std::size_t line_bytes = 400;  // of one line; where more differs, words around what differs
  std::size_t context = 1;       // unchanged lines around a changed one
};

std::string excerpt(std::string_view old_text, std::string_view new_text,
                    const ExcerptBounds& bounds = {});

struct ExcerptLine {
  char mark = ' ';
  std::string_view text;
};
std::vector<ExcerptLine> lines_of(std::string_view excerpt);

// The first lines of it, and a word about the rest.
std::string shortened_excerpt(std::string_view excerpt, std::size_t lines, std::size_t bytes);

}  // namespace pollux::notify

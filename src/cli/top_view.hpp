// `pollux top` as lines: what a screen of this size shows. Pure; ncurses only paints them.
#pragma once

#include "cli/top_model.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace pollux::cli {

struct TopCanvas {
  std::size_t width = 80, height = 24;
  bool unicode = true;  // false: only ASCII, each character as wide as before
};

// Exactly `height` lines, none wider than `width`. Tells the model how many rows a page has, and
// keeps its scrolling inside of the text.
std::vector<TopLine> draw(TopModel& model, const TopCanvas& canvas, WallTime now);

// All lists one below the other, for who has no terminal; ends with a line feed.
std::string print_once(const TopSnapshot& snapshot, const TopCanvas& canvas);

// Of a diff, before it is wrapped.
std::vector<TopLine> diff_lines(std::string_view old_text, std::string_view new_text);

// As many lines as it needs at this width, the rest of a long one indented by `hang`.
std::vector<TopLine> wrapped_lines(const std::vector<TopLine>& lines, std::size_t width,
                                   std::size_t hang = 0);

// ASCII that takes as many columns: "█" becomes "#", what has no likeness "?".
std::string as_ascii(std::string_view text);

}  // namespace pollux::cli

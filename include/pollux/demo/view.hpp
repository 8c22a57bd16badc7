// A demonstration in a terminal. Pure: values in, text out.
#pragma once

#include "pollux/demo/progress.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace pollux::demo {

struct Canvas {
  std::size_t width = 80, height = 24;
  bool unicode = true;  // false: bars of ASCII characters
  bool colour = true;   // false: no escape sequences at all
};

// The whole picture: at most height - 1 lines (the cursor needs the last one), each at most `width`
// cells wide, without line ends.
std::vector<std::string> draw(const Progress& progress, const Canvas& canvas);

// The same in one line, for logs and pipes.
std::string plain_line(const Progress& progress);

// The end of the story, several lines: what was found, the pages that got the most polls
// (`progress.watched` in order), and how to look into the database.
std::string summary(const Progress& progress, const Canvas& canvas);

}  // namespace pollux::demo

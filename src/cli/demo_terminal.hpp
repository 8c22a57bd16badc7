// The terminal of `pollux demo`: what it can do, and drawing in place on it.
#pragma once

#include "pollux/demo/view.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace pollux::cli {

bool stdout_is_terminal();
// Its present size and abilities; 80 × 24 without colour when standard output is no terminal.
// Obeys NO_COLOR, TERM=dumb and the locale's character set.
demo::Canvas stdout_canvas();

// Draws over its last frame. The cursor is hidden meanwhile and comes back at the end, with the
// frame removed, so that a summary can follow.
class LiveScreen {
 public:
  LiveScreen();
  ~LiveScreen();
  LiveScreen(const LiveScreen&) = delete;
  LiveScreen& operator=(const LiveScreen&) = delete;
  void show(const std::vector<std::string>& lines);

 private:
  std::size_t shown_ = 0;
};

}  // namespace pollux::cli

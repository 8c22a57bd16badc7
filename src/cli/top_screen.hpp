// The terminal of `pollux top`. The only user of ncurses; one at a time, on one thread.
#pragma once

#include "cli/top_view.hpp"
#include "pollux/base/result.hpp"

#include <memory>
#include <vector>

namespace pollux::cli {

// Takes the terminal over; it is as it was when this goes.
class TopScreen {
 public:
  // unavailable: this is no terminal, or one that is not known.
  static Result<std::unique_ptr<TopScreen>> open(bool ascii);
  ~TopScreen();
  TopScreen(const TopScreen&) = delete;
  TopScreen& operator=(const TopScreen&) = delete;

  TopCanvas canvas() const;  // its present size
  void show(const std::vector<TopLine>& lines);
  // Waits a tenth of a second at most; `none`: nothing was pressed, or the size has changed.
  TopKey key();

 private:
  explicit TopScreen(bool unicode) : unicode_(unicode) {}
  bool unicode_, colour_ = false;
};

// Whether this locale, or C.UTF-8 in place of C, can show more than ASCII. Sets it.
bool use_utf8_locale();

}  // namespace pollux::cli

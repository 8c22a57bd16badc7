#include "cli/demo_terminal.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <sys/ioctl.h>
#include <unistd.h>

namespace pollux::cli {
namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody changes it
  return value == nullptr ? "" : value;
}

// After the rules of setlocale: the first of the three that is set decides.
bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string value(environment(name));
    if (value.empty()) continue;
    std::transform(value.begin(), value.end(), value.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return value.find("utf-8") != std::string::npos || value.find("utf8") != std::string::npos;
  }
  return false;
}

void write(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

std::string back_to_top(std::size_t lines) {
  std::string text = "\r";
  if (lines > 0) text += "\x1b[" + std::to_string(lines) + 'A';
  return text;
}

}  // namespace

bool stdout_is_terminal() {
  return isatty(STDOUT_FILENO) == 1 && environment("TERM") != "dumb";
}

demo::Canvas stdout_canvas() {
  demo::Canvas canvas;
  canvas.unicode = locale_is_utf8();
  canvas.colour = stdout_is_terminal() && environment("NO_COLOR").empty();
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0) {
    canvas.width = size.ws_col;
    canvas.height = size.ws_row;
  }
  return canvas;
}

LiveScreen::LiveScreen() {
  write("\x1b[?25l");
}

LiveScreen::~LiveScreen() {
  write(back_to_top(shown_) + "\x1b[J\x1b[?25h");
}

void LiveScreen::show(const std::vector<std::string>& lines) {
  std::string text = back_to_top(shown_);
  for (const std::string& line : lines) text += line + "\x1b[K\n";
  text += "\x1b[J";
  write(text);
  shown_ = lines.size();
}

}  // namespace pollux::cli

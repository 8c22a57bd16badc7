#include "cli/top_screen.hpp"

#include "cli/demo_terminal.hpp"
#include "pollux/base/text.hpp"

#include <clocale>
#include <cstdlib>
#include <string_view>

#define NCURSES_WIDECHAR 1
#define NCURSES_NOMACROS 1  // `erase`, `move` and `timeout` are words of others, too
#include <curses.h>
#include <langinfo.h>
#include <unistd.h>

namespace pollux::cli {
namespace {

enum Pair : short { red_pair = 1, green_pair, yellow_pair };

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody changes it
  return value == nullptr ? "" : value;
}

attr_t attributes(TopStyle style, bool colour) {
  const auto pair = [&](Pair one) {
    return colour ? static_cast<attr_t>(COLOR_PAIR(one)) : A_NORMAL;
  };
  switch (style) {
    case TopStyle::plain:
      return A_NORMAL;
    case TopStyle::bold:
      return A_BOLD;
    case TopStyle::dim:
      return A_DIM;
    case TopStyle::good:
      return pair(green_pair);
    case TopStyle::bad:
      return pair(red_pair) | A_BOLD;
    case TopStyle::warning:
      return pair(yellow_pair) | A_BOLD;
    case TopStyle::title:
    case TopStyle::chosen:
      return A_REVERSE;
  }
  return A_NORMAL;
}

std::string utf8_of(wint_t code) {
  std::string out;
  const auto byte = [&](wint_t bits) { out += static_cast<char>(bits); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0 | code >> 6), byte(0x80 | (code & 63));
  } else if (code < 0x10000) {
    byte(0xE0 | code >> 12), byte(0x80 | (code >> 6 & 63)), byte(0x80 | (code & 63));
  } else {
    byte(0xF0 | code >> 18), byte(0x80 | (code >> 12 & 63));
    byte(0x80 | (code >> 6 & 63)), byte(0x80 | (code & 63));
  }
  return out;
}

TopKey function_key(wint_t code) {
  using What = TopKey::What;
  switch (code) {
    case KEY_UP:
      return {What::up};
    case KEY_DOWN:
      return {What::down};
    case KEY_LEFT:
      return {What::left};
    case KEY_RIGHT:
      return {What::right};
    case KEY_PPAGE:
      return {What::page_up};
    case KEY_NPAGE:
      return {What::page_down};
    case KEY_HOME:
      return {What::home};
    case KEY_END:
      return {What::end};
    case KEY_ENTER:
      return {What::enter};
    case KEY_BACKSPACE:
      return {What::backspace};
    case KEY_BTAB:
      return {What::back_tab};
    default:
      return {};
  }
}

TopKey plain_key(wint_t code) {
  using What = TopKey::What;
  if (code == '\n' || code == '\r') return {What::enter};
  if (code == '\t') return {What::tab};
  if (code == 27) return {What::escape};
  if (code == 127 || code == 8) return {What::backspace};
  if (code < 32) return {};
  return {What::character, utf8_of(code)};
}

}  // namespace

bool use_utf8_locale() {
  // NOLINTBEGIN(concurrency-mt-unsafe): one thread yet
  const char* name = std::setlocale(LC_CTYPE, "");
  if (name != nullptr && std::string_view(nl_langinfo(CODESET)) == "UTF-8") return true;
  const std::string_view told = name == nullptr ? "C" : name;
  if (told != "C" && told != "POSIX") return false;  // somebody's own choice
  return std::setlocale(LC_CTYPE, "C.UTF-8") != nullptr;
  // NOLINTEND(concurrency-mt-unsafe)
}

Result<std::unique_ptr<TopScreen>> TopScreen::open(bool ascii) {
  if (isatty(STDIN_FILENO) != 1 || !stdout_is_terminal())
    return Error{"pollux top wants a terminal; `pollux top --once` prints its lists without any",
                 ExitCode::unavailable};
  const bool unicode = use_utf8_locale() && !ascii;
  if (newterm(nullptr, stdout, stdin) == nullptr)
    return Error{"the terminal '" + printable(variable("TERM"), 60) +
                     "' is not known; set TERM, or use `pollux top --once`",
                 ExitCode::unavailable};
  std::unique_ptr<TopScreen> screen(new TopScreen(unicode));
  set_escdelay(25);
  cbreak();
  noecho();
  nonl();
  curs_set(0);
  keypad(stdscr, TRUE);
  wtimeout(stdscr, 100);
  if (variable("NO_COLOR").empty() && has_colors()) {
    start_color();
    use_default_colors();
    init_pair(red_pair, COLOR_RED, -1);
    init_pair(green_pair, COLOR_GREEN, -1);
    init_pair(yellow_pair, COLOR_YELLOW, -1);
    screen->colour_ = true;
  }
  return screen;
}

TopScreen::~TopScreen() {
  endwin();
}

TopCanvas TopScreen::canvas() const {
  return {static_cast<std::size_t>(getmaxx(stdscr)), static_cast<std::size_t>(getmaxy(stdscr)),
          unicode_};
}

void TopScreen::show(const std::vector<TopLine>& lines) {
  werase(stdscr);
  for (std::size_t y = 0; y < lines.size(); ++y) {
    wmove(stdscr, static_cast<int>(y), 0);
    for (const TopSpan& span : lines[y]) {
      wattrset(stdscr, static_cast<int>(attributes(span.style, colour_)));
      waddnstr(stdscr, span.text.data(), static_cast<int>(span.text.size()));
    }
  }
  wattrset(stdscr, A_NORMAL);
  wrefresh(stdscr);
}

TopKey TopScreen::key() {
  wint_t code = 0;
  const int what = wget_wch(stdscr, &code);
  if (what == ERR) return {};
  return what == KEY_CODE_YES ? function_key(code) : plain_key(code);
}

}  // namespace pollux::cli

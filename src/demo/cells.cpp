#include "demo/cells.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace pollux::demo {
namespace {

bool starts_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
}

std::string_view escape(Style style) {
  switch (style) {
    case Style::bold:
      return "\x1b[1m";
    case Style::dim:
      return "\x1b[2m";
    case Style::ours:
      return "\x1b[32m";
    case Style::theirs:
      return "\x1b[33m";
    case Style::plain:
      break;
  }
  return "";
}

// The longest beginning of `text` with at most `cells` cells.
std::string_view clip(std::string_view text, std::size_t cells) {
  std::size_t seen = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (starts_character(text[i]) && ++seen > cells) return text.substr(0, i);
  }
  return text;
}

}  // namespace

std::size_t cell_count(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts_character));
}

Line& Line::add(std::string_view text, Style style) {
  text = clip(text, room());
  if (text.empty()) return *this;
  used_ += cell_count(text);
  const bool styled = colour_ && style != Style::plain;
  if (styled) text_ += escape(style);
  text_ += text;
  if (styled) text_ += "\x1b[0m";
  return *this;
}

Line& Line::left(std::string_view text, std::size_t cells, Style style) {
  const std::size_t column = used_ + cells;
  return add(clip(text, cells), style).move_to(column);
}

Line& Line::right(std::string_view text, std::size_t cells, Style style) {
  const std::size_t length = cell_count(text);
  if (length < cells) move_to(used_ + cells - length);
  return add(text, style);
}

Line& Line::move_to(std::size_t column) {
  column = std::min(column, width_);
  if (column > used_) {
    text_.append(column - used_, ' ');
    used_ = column;
  }
  return *this;
}

std::string bar(double fraction, std::size_t cells, bool unicode) {
  static constexpr std::array<std::string_view, 8> parts{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  fraction = fraction > 0 ? std::min(fraction, 1.0) : 0;
  const auto eighths =
      static_cast<std::size_t>(std::lround(fraction * static_cast<double>(cells) * 8));
  if (!unicode) return std::string((eighths + 4) / 8, '#');
  std::string text;
  for (std::size_t i = 0; i < eighths / 8; ++i) text += "█";
  text += parts[eighths % 8];
  return text;
}

std::string sparkline(const std::vector<double>& values, double top, bool unicode) {
  static constexpr std::array<std::string_view, 8> blocks{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  static constexpr std::string_view ascii = "_.-=+*%#";
  std::string text;
  for (const double value : values) {
    const double part = top > 0 && value > 0 ? std::min(value / top, 1.0) : 0;
    const auto level = static_cast<std::size_t>(std::lround(part * 7));
    if (unicode) {
      text += blocks[level];
    } else {
      text += ascii[level];
    }
  }
  return text;
}

std::string grouped(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (std::size_t i = text.size(); i > 3;) {
    i -= 3;
    text.insert(i, 1, ' ');
  }
  return text;
}

std::string fixed(double value, int decimals) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  return text.data();
}

std::string shortest(double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return text.data();
}

std::string rate_text(double value) {
  return fixed(value, value >= 100 ? 0 : value >= 10 ? 1 : value >= 0.1 ? 2 : 3);
}

}  // namespace pollux::demo

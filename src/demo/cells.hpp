// Terminal cells: lines of known width, bars and numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pollux::demo {

enum class Style { plain, bold, dim, ours, theirs };

// Builds one line and never lets it grow past its width. Text is UTF-8 of one cell per code point.
class Line {
 public:
  Line(std::size_t width, bool colour) : width_(width), colour_(colour) {}
  Line& add(std::string_view text, Style style = Style::plain);
  Line& left(std::string_view text, std::size_t cells, Style style = Style::plain);
  Line& right(std::string_view text, std::size_t cells, Style style = Style::plain);
  Line& move_to(std::size_t column);  // with spaces; no effect when it is already behind
  std::size_t room() const { return width_ - used_; }
  std::string take() { return std::move(text_); }

 private:
  std::size_t width_, used_ = 0;
  bool colour_;
  std::string text_;
};

std::size_t cell_count(std::string_view text);
// A bar of `fraction` (clamped to 0…1) of `cells`, in eighths of a cell, without padding.
std::string bar(double fraction, std::size_t cells, bool unicode);
// One cell per value, 0…`top`.
std::string sparkline(const std::vector<double>& values, double top, bool unicode);
// 12345 → "12 345"
std::string grouped(std::uint64_t value);
std::string fixed(double value, int decimals);
// As few digits as it needs: "60", "0.5".
std::string shortest(double value);
// Three significant digits or so: "11.2", "0.31", "0.004".
std::string rate_text(double value);

}  // namespace pollux::demo

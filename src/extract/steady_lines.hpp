// The lines of texts, and those that stay in all looks at a page. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pollux::extract {

using Lines = std::vector<std::string_view>;  // without their line feeds
Lines lines_of(std::string_view text);
std::string joined_lines(const Lines& lines);
bool says_something(std::string_view line);  // not only white space

// What stands for lines that are not compared.
inline constexpr std::string_view mark_of_lines = "‹lines›";

// The lines that all looks have in the same order. A row is one of them; the first and the last row
// stand for what is before and behind the text.
class SteadyLines {
 public:
  explicit SteadyLines(const std::vector<Lines>& looks);

  std::size_t size() const { return rows_.size(); }
  std::string_view line(std::size_t row) const { return looks_.front()[rows_[row].front()]; }
  // Where it is in a look.
  std::size_t place(std::size_t row, std::size_t look) const { return rows_[row][look]; }
  // What lies between two of them in a look.
  Lines between(std::size_t from, std::size_t to, std::size_t look) const {
    const Lines& lines = looks_[look];
    return {lines.begin() + static_cast<std::ptrdiff_t>(rows_[from][look] + 1),
            lines.begin() + static_cast<std::ptrdiff_t>(rows_[to][look])};
  }
  std::size_t count_between(std::size_t from, std::size_t to, std::size_t look) const {
    return rows_[to][look] - rows_[from][look] - 1;
  }
  // Nothing stands between this one and the next, in any look.
  bool adjacent(std::size_t row) const;

 private:
  const std::vector<Lines>& looks_;
  std::vector<std::vector<std::size_t>> rows_;  // for each, its place in each look
};

}  // namespace pollux::extract

#include "extract/steady_lines.hpp"

#include "pollux/diff/diff.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace pollux::extract {

Lines lines_of(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string joined_lines(const Lines& lines) {
  std::string text;
  for (const std::string_view line : lines) {
    text += line;
    text += '\n';
  }
  if (!text.empty()) text.pop_back();
  return text;
}

bool says_something(std::string_view line) {
  return line.find_first_not_of(" \t\r") != std::string_view::npos;
}

SteadyLines::SteadyLines(const std::vector<Lines>& looks) : looks_(looks) {
  constexpr std::size_t before_the_first = static_cast<std::size_t>(-1);
  std::map<std::string_view, std::uint32_t> ids;
  std::vector<std::vector<std::uint32_t>> numbered;
  for (const Lines& lines : looks) {
    std::vector<std::uint32_t>& list = numbered.emplace_back();
    for (const std::string_view line : lines)
      list.push_back(ids.try_emplace(line, static_cast<std::uint32_t>(ids.size())).first->second);
  }
  const std::size_t first_lines = looks.front().size();
  std::vector<std::vector<std::size_t>> places(first_lines);
  for (std::size_t i = 0; i < first_lines; ++i) places[i].push_back(i);
  for (std::size_t look = 1; look < looks.size(); ++look) {
    for (const diff::Common& run : diff::align(numbered.front(), numbered[look])) {
      for (std::size_t i = 0; i < run.length; ++i) {
        if (places[run.old_at + i].size() == look) places[run.old_at + i].push_back(run.new_at + i);
      }
    }
  }
  rows_.push_back(std::vector<std::size_t>(looks.size(), before_the_first));
  for (std::size_t i = 0; i < first_lines; ++i) {
    if (says_something(looks.front()[i]) && places[i].size() == looks.size())
      rows_.push_back(std::move(places[i]));
  }
  std::vector<std::size_t> behind;
  behind.reserve(looks.size());
  for (const Lines& lines : looks) behind.push_back(lines.size());
  rows_.push_back(std::move(behind));
}

bool SteadyLines::adjacent(std::size_t row) const {
  for (std::size_t look = 0; look < looks_.size(); ++look) {
    if (rows_[row][look] + 1 != rows_[row + 1][look]) return false;
  }
  return true;
}

}  // namespace pollux::extract

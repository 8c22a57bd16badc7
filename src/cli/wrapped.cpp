#include "cli/wrapped.hpp"

#include "cli/output.hpp"

#include <algorithm>

namespace pollux::cli {
namespace {

constexpr std::size_t least_room = 20;  // for words; a narrower screen gets long lines

void wrap_line(std::string_view line, std::size_t width, std::size_t hang, std::string& out) {
  const std::size_t lead = std::min(line.find_first_not_of(' '), line.size());
  std::string now(line.substr(0, lead));
  std::size_t used = lead;
  bool begun = false;
  line.remove_prefix(lead);
  while (!line.empty()) {
    const std::size_t spaces = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t end = std::min(line.find(' ', spaces), line.size());
    const std::string_view word = line.substr(spaces, end - spaces);
    const std::size_t wide = display_width(word);
    if (begun && used + spaces + wide > width) {
      out += now + "\n";
      now.assign(hang, ' ');
      used = hang;
    } else {
      now.append(line.substr(0, spaces));
      used += spaces;
    }
    now.append(word);
    used += wide;
    begun = true;
    line.remove_prefix(end);
  }
  out += now;
}

}  // namespace

std::string word_wrapped(std::string_view text, std::optional<std::size_t> width,
                         std::size_t hang) {
  if (!width || *width < hang + least_room) return std::string(text);
  std::string out;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    if (start > 0) out += '\n';
    wrap_line(text.substr(start, end - start), *width, hang, out);
    start = end + 1;
  }
  return out;
}

std::string lines_text(const std::vector<report::Line>& lines, std::size_t column,
                       std::optional<std::size_t> width) {
  std::string text;
  for (const report::Line& line : lines) {
    const std::size_t wide = display_width(line.topic);
    const std::string gap(wide < column ? column - wide : 1, ' ');
    text += word_wrapped(line.topic + gap + line.text, width, column) + "\n";
  }
  return text;
}

void print_lines(const std::vector<report::Line>& lines, std::size_t column, std::FILE* stream) {
  std::fputs(lines_text(lines, column, terminal_width(stream)).c_str(), stream);
}

}  // namespace pollux::cli

#include "pollux/base/units.hpp"
#include "pollux/diff/diff.hpp"
#include "pollux/notify/excerpt.hpp"
#include "pollux/notify/render.hpp"

#include <algorithm>

#include <spdlog/fmt/fmt.h>

namespace pollux::notify {
namespace {

void add_words(std::string& html, const std::string& gone, const std::string& come) {
  const auto coloured = [&](std::string_view tag, std::string_view colour, std::string_view text) {
    html += fmt::format("<{} style=\"background:{};text-decoration:{}\">{}</{}>", tag, colour,
                        tag == "del" ? "line-through" : "none", html_escaped(text), tag);
  };
  for (const diff::Piece& piece : diff::words(gone, come)) {
    if (piece.edit == diff::Edit::keep) html += html_escaped(piece.text);
    if (piece.edit == diff::Edit::remove) coloured("del", "#ffd7d5", piece.text);
    if (piece.edit == diff::Edit::add) coloured("ins", "#d1f4cf", piece.text);
  }
}

}  // namespace

std::string html_escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string html_diff(std::string_view excerpt) {
  std::string html, gone, come;
  const auto flush = [&] {
    if (!gone.empty() || !come.empty()) add_words(html, gone, come);
    gone.clear();
    come.clear();
  };
  for (const ExcerptLine& line : lines_of(excerpt)) {
    if (line.mark == '-' && !come.empty()) flush();
    if (line.mark == '-') {
      gone.append(line.text).push_back('\n');
    } else if (line.mark == '+') {
      come.append(line.text).push_back('\n');
    } else {
      flush();
      const std::string text = html_escaped(line.text);
      html += line.mark == '@' ? "<i>…" + text + "</i>\n" : text + "\n";
    }
  }
  flush();
  return html;
}

std::string text_of(const Message& message, const TextBounds& bounds) {
  std::string text = title_of(message) + "\n";
  std::size_t listed = 0;
  for (const Item& item : message.items) {
    std::string part = "\n";
    for (const std::string& line : lines_of(item)) part += line + "\n";
    if (!item.diff.empty()) {
      const std::string diff = shortened_excerpt(item.diff, bounds.diff_lines, bounds.bytes / 2);
      if (text.size() + part.size() + diff.size() < bounds.bytes) part += diff + "\n";
    }
    if (listed == bounds.items || (listed > 0 && text.size() + part.size() > bounds.bytes)) break;
    text += part;
    ++listed;
  }
  if (const auto more = message.count - static_cast<std::int64_t>(listed); more > 0)
    text += fmt::format("\nand {}\n", count_of(more, "more event"));
  text.pop_back();
  return text;
}

}  // namespace pollux::notify

#include "pollux/diff/diff.hpp"

#include <algorithm>

namespace pollux::diff {
namespace {

constexpr std::string_view white = " \n\t\r";

// The first `most` bytes, up to the end of a word.
std::string_view head(std::string_view text, std::size_t most) {
  return most < text.size() ? text.substr(0, text.find_first_of(white, most)) : text;
}
std::string_view tail(std::string_view text, std::size_t most) {
  if (most >= text.size()) return text;
  const std::size_t before = text.find_last_of(white, text.size() - most);
  return before == std::string_view::npos ? text : text.substr(before + 1);
}

}  // namespace

Excerpts excerpts(const std::vector<Piece>& pieces, std::size_t around) {
  Excerpts found;
  const auto add = [&](std::string_view text) {
    found.old_text += text;
    found.new_text += text;
  };
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const std::string_view text = pieces[i].text;
    if (pieces[i].edit == Edit::remove) {
      found.old_text += text;
    } else if (pieces[i].edit == Edit::add) {
      found.new_text += text;
    } else {
      const std::string_view behind = i == 0 ? std::string_view() : head(text, around);
      const std::string_view ahead =
          i + 1 == pieces.size() ? std::string_view() : tail(text, around);
      if (behind.size() + ahead.size() >= text.size()) {
        add(text);
      } else {
        add(behind);
        add("\n");
        add(ahead);
      }
    }
  }
  return found;
}

}  // namespace pollux::diff

#include "diff/whole_lines.hpp"

namespace pollux::diff {
namespace {

// The same bytes further on, or further back, in the text that it is a part of.
std::string_view moved(std::string_view text, std::ptrdiff_t by) {
  return {text.data() + by, text.size()};
}

// A line feed that stands before what differs may as well stand behind it.
void move_behind_line_feed(std::string_view& before, std::string_view& text,
                           std::string_view& after) {
  while (text.front() == '\n' && after.size() > 1 && after.front() == '\n') {
    before = {before.data(), before.size() + 1};
    text = moved(text, 1);
    after.remove_prefix(1);
  }
}

// What stands before it in its line, and once more at its end, may as well be its beginning.
void move_to_line_begin(std::string_view& before, std::string_view& text, std::string_view& after,
                        bool first) {
  const std::size_t feed = before.rfind('\n');
  if (feed == std::string_view::npos && !first) return;  // its line begins with another difference
  const std::string_view head = before.substr(feed == std::string_view::npos ? 0 : feed + 1);
  if (head.empty() || !text.ends_with(head) || text.find('\n') == std::string_view::npos) return;
  const auto by = static_cast<std::ptrdiff_t>(head.size());
  before.remove_suffix(head.size());
  text = moved(text, -by);
  after = {after.data() - by, after.size() + head.size()};
}

}  // namespace

void prefer_whole_lines(std::vector<Piece>& pieces) {
  // What took the place of something else stays where it is.
  for (std::size_t i = 1; i + 1 < pieces.size(); ++i) {
    if (pieces[i].edit == Edit::keep || pieces[i - 1].edit != Edit::keep ||
        pieces[i + 1].edit != Edit::keep)
      continue;
    move_behind_line_feed(pieces[i - 1].text, pieces[i].text, pieces[i + 1].text);
    move_to_line_begin(pieces[i - 1].text, pieces[i].text, pieces[i + 1].text, i == 1);
  }
  if (!pieces.empty() && pieces.front().text.empty()) pieces.erase(pieces.begin());
}

}  // namespace pollux::diff

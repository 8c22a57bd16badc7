#include "pollux/base/text.hpp"
#include "pollux/report/diff.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace pollux::report {
namespace {

using diff::Edit;

// Of a stretch without a change inside of a line, bytes that stay beside what changed, and the
// length from which on it is cut.
constexpr std::size_t ends_kept = 60;
constexpr std::size_t longest_kept = 160;

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n\f\v") == std::string_view::npos;
}

bool continues(char c) {  // a character of UTF-8 that began before
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

std::string head_of(const std::string& text) {
  std::size_t end = std::min(ends_kept, text.size());
  while (end > 0 && end < text.size() && continues(text[end])) --end;
  return text.substr(0, end);
}

std::string tail_of(const std::string& text) {
  std::size_t begin = text.size() - std::min(ends_kept, text.size());
  while (begin < text.size() && continues(text[begin])) ++begin;
  return text.substr(begin);
}

bool is_changed(const Spans& spans) {
  return std::any_of(spans.begin(), spans.end(),
                     [](const Span& span) { return span.edit != Edit::keep; });
}

// Leaves of each long stretch what is near a change.
void shorten(Spans& spans) {
  for (std::size_t i = 0; i < spans.size(); ++i) {
    std::string& text = spans[i].text;
    if (spans[i].edit != Edit::keep || text.size() <= longest_kept) continue;
    const bool first = i == 0, last = i + 1 == spans.size();
    const std::string head = first && !last ? "" : head_of(text);
    const std::string tail = last ? "" : tail_of(text);
    text = head + (head.empty() || tail.empty() ? "…" : " … ") + tail;
  }
}

// Which rows are shown: those that changed and their neighbours. One row alone is not worth
// folding.
std::vector<bool> shown_rows(const std::vector<bool>& changed) {
  const std::size_t size = changed.size();
  std::vector<bool> shown(size);
  std::size_t until = 0;  // shown up to here because of what stands before
  for (std::size_t i = 0; i < size; ++i) {
    if (changed[i]) {
      until = i + context_lines + 1;
      const std::size_t from = i - std::min(i, context_lines);
      for (std::size_t near = from; near <= i; ++near) shown[near] = true;
    }
    if (i < until) shown[i] = true;
  }
  for (std::size_t i = 0; i < size; ++i) {
    const bool alone = !shown[i] && (i == 0 || shown[i - 1]) && (i + 1 == size || shown[i + 1]);
    if (alone) shown[i] = true;
  }
  return shown;
}

// Rows with the unchanged stretches folded.
template <typename Row>
std::vector<Row> folded(std::vector<Row> rows, const std::vector<bool>& changed) {
  const std::vector<bool> shown = shown_rows(changed);
  std::vector<Row> out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (shown[i]) {
      out.push_back(std::move(rows[i]));
    } else if (i > 0 && !shown[i - 1]) {
      ++out.back().folded;
    } else {
      out.emplace_back().folded = 1;
    }
  }
  return out;
}

// Takes pieces in order and cuts them into lines.
class Lines {
 public:
  void take(const diff::Piece& piece) {
    std::string_view rest = piece.text;
    while (true) {
      const std::size_t feed = rest.find('\n');
      if (const std::string_view part = rest.substr(0, feed); !part.empty()) {
        current_.push_back({piece.edit, visible_line(part)});
      }
      if (feed == std::string_view::npos) return;
      if (piece.edit != Edit::keep) {
        // A line break alone would change without being seen.
        changed_ = true;
        if (is_blank(piece.text)) current_.push_back({piece.edit, "↵"});
      }
      end_line();
      rest.remove_prefix(feed + 1);
    }
  }
  std::vector<WordLine> finish() {
    if (!current_.empty()) end_line();
    return folded(std::move(lines_), lines_changed_);
  }

 private:
  void end_line() {
    lines_changed_.push_back(changed_ || is_changed(current_));
    shorten(current_);
    lines_.push_back({.spans = std::exchange(current_, {})});
    changed_ = false;
  }

  Spans current_;
  bool changed_ = false;
  std::vector<WordLine> lines_;
  std::vector<bool> lines_changed_;
};

// Two lines of which one took the other's place.
SideRow replaced(std::string_view before, std::string_view after) {
  SideRow row{.left = Spans{}, .right = Spans{}};
  for (const diff::Piece& piece : diff::words(before, after)) {
    const Span span{piece.edit, visible_line(piece.text)};
    if (piece.edit != Edit::add) row.left->push_back(span);
    if (piece.edit != Edit::remove) row.right->push_back(span);
  }
  shorten(*row.left);
  shorten(*row.right);
  return row;
}

Spans whole(Edit edit, std::string_view line) {
  Spans spans{{edit, visible_line(line)}};
  shorten(spans);
  return spans;
}

}  // namespace

bool looks_binary(std::string_view content) {
  return content.find('\0') != std::string_view::npos;
}

std::string visible_line(std::string_view line) {
  std::string out;
  constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();
  while (true) {
    const std::size_t tab = line.find('\t');
    out += printable(line.substr(0, tab), no_limit);
    if (tab == std::string_view::npos) return out;
    out += "    ";
    line.remove_prefix(tab + 1);
  }
}

std::vector<WordLine> word_lines(std::string_view old_text, std::string_view new_text) {
  Lines lines;
  for (const diff::Piece& piece : diff::words(old_text, new_text)) lines.take(piece);
  return lines.finish();
}

std::vector<SideRow> side_rows(std::string_view old_text, std::string_view new_text) {
  const std::vector<diff::Line> lines = diff::lines(old_text, new_text);
  std::vector<SideRow> rows;
  std::vector<bool> changed;
  for (std::size_t at = 0; at < lines.size();) {
    if (lines[at].edit == Edit::keep) {
      const Spans same = whole(Edit::keep, lines[at++].text);
      rows.push_back({.left = same, .right = same});
      changed.push_back(false);
      continue;
    }
    std::size_t removed_end = at;
    while (removed_end < lines.size() && lines[removed_end].edit == Edit::remove) ++removed_end;
    std::size_t added_end = removed_end;
    while (added_end < lines.size() && lines[added_end].edit == Edit::add) ++added_end;
    const std::size_t removed = removed_end - at, added = added_end - removed_end;
    for (std::size_t i = 0; i < std::max(removed, added); ++i) {
      if (i < removed && i < added) {
        rows.push_back(replaced(lines[at + i].text, lines[removed_end + i].text));
      } else if (i < removed) {
        rows.push_back({.left = whole(Edit::remove, lines[at + i].text), .right = {}});
      } else {
        rows.push_back({.left = {}, .right = whole(Edit::add, lines[removed_end + i].text)});
      }
      changed.push_back(true);
    }
    at = added_end;
  }
  return folded(std::move(rows), changed);
}

}  // namespace pollux::report

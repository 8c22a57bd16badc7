#include "pollux/notify/excerpt.hpp"

#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"
#include "pollux/diff/diff.hpp"
#include "pollux/report/diff.hpp"

#include <algorithm>
#include <utility>

namespace pollux::notify {
namespace {

constexpr std::size_t bytes_around = 80;  // a word that differs, in a long line

std::string line_text(std::string_view line, std::size_t most) {
  std::string text = report::visible_line(line);
  if (text.size() <= most) return text;
  text.resize(beginning_of(text, most).size());
  return text + "…";
}

class Writing {
 public:
  explicit Writing(const ExcerptBounds& bounds) : bounds_(bounds) {}

  void line(char mark, std::string_view text) {
    if (lines_ >= bounds_.lines || text_.size() >= bounds_.bytes) {
      if (mark != ' ') ++left_out_;
      return;
    }
    ++lines_;
    text_ += mark;
    text_ += line_text(text, bounds_.line_bytes);
    text_ += '\n';
  }
  void gap(std::size_t unchanged) {
    if (lines_ < bounds_.lines && text_.size() < bounds_.bytes)
      text_ += "@ " + count_of(static_cast<std::int64_t>(unchanged), "line") + " unchanged\n";
  }
  std::string finish() {
    if (left_out_ > 0)
      text_ += "@ " + count_of(static_cast<std::int64_t>(left_out_), "more line") + "\n";
    if (!text_.empty()) text_.pop_back();
    return std::move(text_);
  }

 private:
  const ExcerptBounds bounds_;
  std::string text_;
  std::size_t lines_ = 0, left_out_ = 0;
};

void each_line(std::string_view text, const auto& visit) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    visit(text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

// Lines that took each other's place. Of long ones the words that differ are told.
struct Block {
  std::string gone, come;
  bool is_long = false;
  bool empty() const { return gone.empty() && come.empty(); }
  void add(const diff::Line& line, std::size_t long_line) {
    std::string& side = line.edit == diff::Edit::remove ? gone : come;
    side.append(line.text).push_back('\n');
    is_long = is_long || line.text.size() > long_line;
  }
  void write(Writing& out) {
    if (is_long && !gone.empty() && !come.empty()) {
      const diff::Excerpts words = diff::excerpts(diff::words(gone, come), bytes_around);
      gone = words.old_text;
      come = words.new_text;
    }
    each_line(gone, [&](std::string_view line) { out.line('-', line); });
    each_line(come, [&](std::string_view line) { out.line('+', line); });
    *this = {};
  }
};

// Lines that did not change, of which the ends may be told.
void write_kept(const std::vector<std::string_view>& kept, std::size_t context, bool first,
                bool last, Writing& out) {
  const std::size_t before = first ? 0 : std::min(context, kept.size());
  const std::size_t after = last ? 0 : std::min(context, kept.size() - before);
  for (std::size_t i = 0; i < before; ++i) out.line(' ', kept[i]);
  const std::size_t hidden = kept.size() - before - after;
  if (hidden > 0 && !first && !last) out.gap(hidden);
  for (std::size_t i = kept.size() - after; i < kept.size(); ++i) out.line(' ', kept[i]);
}

}  // namespace

std::string excerpt(std::string_view old_text, std::string_view new_text,
                    const ExcerptBounds& bounds) {
  Writing out(bounds);
  Block block;
  std::vector<std::string_view> kept;
  bool any = false;
  for (const diff::Line& line : diff::lines(old_text, new_text)) {
    if (line.edit == diff::Edit::keep) {
      block.write(out);
      kept.push_back(line.text);
      continue;
    }
    if (!kept.empty()) write_kept(kept, bounds.context, !std::exchange(any, true), false, out);
    any = true;
    kept.clear();
    block.add(line, bounds.line_bytes);
  }
  block.write(out);
  if (any) write_kept(kept, bounds.context, false, true, out);
  return out.finish();
}

std::vector<ExcerptLine> lines_of(std::string_view excerpt) {
  std::vector<ExcerptLine> lines;
  each_line(excerpt, [&](std::string_view line) {
    if (!line.empty()) lines.push_back({line.front(), line.substr(1)});
  });
  return lines;
}

std::string shortened_excerpt(std::string_view excerpt, std::size_t lines, std::size_t bytes) {
  Writing out({.lines = lines, .bytes = bytes, .line_bytes = bytes / 2});
  for (const ExcerptLine& line : lines_of(excerpt)) out.line(line.mark, line.text);
  return out.finish();
}

}  // namespace pollux::notify

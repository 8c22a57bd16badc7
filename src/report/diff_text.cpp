#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"
#include "pollux/report/diff.hpp"
#include "pollux/report/json.hpp"

#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>
#include <spdlog/fmt/fmt.h>

namespace pollux::report {
namespace {

using diff::Edit;

struct UnifiedLine {
  Edit edit = Edit::keep;
  std::string_view text;
  bool cut = false;  // the text ends here, without a line feed
};

bool is_cut(std::string_view text) {
  return !text.empty() && text.back() != '\n';
}

// A last line without a line feed is another line than the same with one.
std::vector<UnifiedLine> lines_of(std::string_view old_text, std::string_view new_text) {
  const std::vector<diff::Line> all = diff::lines(old_text, new_text);
  std::size_t old_left = 0, new_left = 0;
  for (const diff::Line& line : all) {
    old_left += line.edit != Edit::add ? 1 : 0;
    new_left += line.edit != Edit::remove ? 1 : 0;
  }
  std::vector<UnifiedLine> lines;
  for (const diff::Line& line : all) {
    if (line.edit != Edit::add) --old_left;
    if (line.edit != Edit::remove) --new_left;
    const bool old_cut = line.edit != Edit::add && old_left == 0 && is_cut(old_text);
    const bool new_cut = line.edit != Edit::remove && new_left == 0 && is_cut(new_text);
    if (line.edit == Edit::keep && old_cut != new_cut) {
      lines.push_back({Edit::remove, line.text, old_cut});
      lines.push_back({Edit::add, line.text, new_cut});
    } else {
      lines.push_back({line.edit, line.text, old_cut || new_cut});
    }
  }
  return lines;
}

// "12,3": a part of a file. Of an empty one the line before it is named.
std::string range(std::size_t first, std::size_t count) {
  if (count == 1) return std::to_string(first);
  return fmt::format("{},{}", count == 0 ? first - 1 : first, count);
}

void append_hunk(std::string& out, const std::vector<UnifiedLine>& lines, std::size_t begin,
                 std::size_t end, std::size_t old_first, std::size_t new_first, Controls controls) {
  std::size_t old_count = 0, new_count = 0;
  std::string body;
  for (std::size_t i = begin; i < end; ++i) {
    const UnifiedLine& line = lines[i];
    old_count += line.edit != Edit::add ? 1 : 0;
    new_count += line.edit != Edit::remove ? 1 : 0;
    body += line.edit == Edit::keep ? ' ' : line.edit == Edit::add ? '+' : '-';
    body += controls == Controls::visible ? visible_line(line.text) : std::string(line.text);
    body += '\n';
    if (line.cut) body += "\\ No newline at end of file\n";
  }
  out += fmt::format("@@ -{} +{} @@\n", range(old_first, old_count), range(new_first, new_count)) +
         body;
}

std::string end_name(const DiffFacts& facts, const DiffEnd& end) {
  return fmt::format("{} (version {})\t{}\n", printable_url(facts.url), end.number,
                     format_time(end.at));
}

const char* name_of(Edit edit) {
  switch (edit) {
    case Edit::keep:
      return "keep";
    case Edit::remove:
      return "remove";
    case Edit::add:
      return "add";
  }
  return "";
}

boost::json::object end_json(const DiffEnd& end) {
  return {{"number", end.number}, {"at", json_time(end.at)}, {"hash", end.hash}};
}

}  // namespace

std::string unified_diff(const DiffFacts& facts, Controls controls) {
  const std::vector<UnifiedLine> lines = lines_of(facts.old_text, facts.new_text);
  std::string out;
  std::size_t old_at = 1, new_at = 1;  // the number of the line at `at` in each text
  const auto advance = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      old_at += lines[i].edit != Edit::add ? 1 : 0;
      new_at += lines[i].edit != Edit::remove ? 1 : 0;
    }
  };
  for (std::size_t at = 0; at < lines.size();) {
    std::size_t change = at;
    while (change < lines.size() && lines[change].edit == Edit::keep) ++change;
    if (change == lines.size()) break;
    const std::size_t begin = std::max(at, change - std::min(change, context_lines));
    // Changes so near to each other that their neighbours touch are one hunk.
    std::size_t last = change;
    for (std::size_t i = change; i < lines.size() && i <= last + 2 * context_lines + 1; ++i) {
      if (lines[i].edit != Edit::keep) last = i;
    }
    const std::size_t end = std::min(lines.size(), last + context_lines + 1);
    advance(at, begin);
    append_hunk(out, lines, begin, end, old_at, new_at, controls);
    advance(begin, end);
    at = end;
  }
  if (out.empty()) return out;
  return "--- " + end_name(facts, facts.from) + "+++ " + end_name(facts, facts.to) + out;
}

std::vector<std::string> diff_heading(const DiffFacts& facts) {
  const auto end = [](const DiffEnd& version) {
    return fmt::format("version {} of {}", version.number, format_time(version.at));
  };
  const diff::Counts counts = diff::count(diff::words(facts.old_text, facts.new_text));
  return {printable_url(facts.url), end(facts.from) + " → " + end(facts.to),
          fmt::format("+{} −{} words", counts.words_added, counts.words_removed)};
}

boost::json::object diff_json(const DiffFacts& facts) {
  const std::vector<diff::Piece> pieces = diff::words(facts.old_text, facts.new_text);
  const diff::Counts counts = diff::count(pieces);
  boost::json::array all;
  for (const diff::Piece& piece : pieces) {
    all.push_back(
        boost::json::object{{"edit", name_of(piece.edit)}, {"text", json_utf8(piece.text)}});
  }
  return {{"url", facts.url},
          {"from", end_json(facts.from)},
          {"to", end_json(facts.to)},
          {"words_added", counts.words_added},
          {"words_removed", counts.words_removed},
          {"summary", json_text_or_null(
                          diff::summary(facts.old_text, facts.new_text, diff::form_of(facts.as)))},
          {"pieces", std::move(all)}};
}

}  // namespace pollux::report

#include "cli/diff_output.hpp"

#include "cli/output.hpp"
#include "pollux/base/units.hpp"
#include "pollux/cli/command_line.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

#include <spdlog/fmt/fmt.h>

namespace pollux::cli {
namespace {

using diff::Edit;
using report::Spans;

constexpr std::size_t side_width = 160;   // columns from which on two texts stand side by side
constexpr std::size_t paper_width = 160;  // of two texts side by side in a pipe

constexpr std::string_view red = "\x1b[31m", green = "\x1b[32m", dim = "\x1b[2m", bold = "\x1b[1m",
                           plain = "\x1b[0m";

std::string painted(std::string_view text, std::string_view colour, const Screen& screen) {
  if (!screen.colour || text.empty()) return std::string(text);
  return std::string(colour) + std::string(text) + std::string(plain);
}

std::string painted(const report::Span& span, const Screen& screen) {
  switch (span.edit) {
    case Edit::keep:
      return span.text;
    case Edit::remove:
      return painted(span.text, red, screen);
    case Edit::add:
      return painted(span.text, green, screen);
  }
  return span.text;
}

// Without colours brackets tell: [-removed-]{+added+}.
std::string marked(const report::Span& span, const Screen& screen) {
  if (screen.colour || span.edit == Edit::keep) return painted(span, screen);
  return span.edit == Edit::remove ? "[-" + span.text + "-]" : "{+" + span.text + "+}";
}

std::string fold_text(std::size_t lines, const Screen& screen) {
  return painted("⋯ " + count_of(static_cast<std::int64_t>(lines), "line") + " as before", dim,
                 screen);
}

std::string in_words(std::string_view old_text, std::string_view new_text, const Screen& screen) {
  std::string out;
  for (const report::WordLine& line : report::word_lines(old_text, new_text)) {
    if (line.folded > 0) out += fold_text(line.folded, screen);
    for (const report::Span& span : line.spans) out += marked(span, screen);
    out += '\n';
  }
  return out;
}

// A line of one column, cut where it is full: each row with its colours, and the columns it takes.
struct Row {
  std::string text;
  std::size_t width = 0;
};
std::vector<Row> wrapped(const Spans& spans, std::size_t width, const Screen& screen) {
  std::vector<Row> rows(1);
  for (const report::Span& span : spans) {
    for (std::string_view rest = span.text; !rest.empty();) {
      const std::size_t bytes = fitting(rest, width - rows.back().width);
      if (bytes == 0 && rows.back().width > 0) {
        rows.emplace_back();
        continue;
      }
      const std::string_view part = rest.substr(0, std::max<std::size_t>(bytes, 1));
      rows.back().text += painted(report::Span{span.edit, std::string(part)}, screen);
      rows.back().width += display_width(part);
      rest.remove_prefix(part.size());
    }
  }
  return rows;
}

bool differ(const report::SideRow& row) {
  return !row.left || !row.right || *row.left != *row.right ||
         std::any_of(row.left->begin(), row.left->end(),
                     [](const report::Span& span) { return span.edit != Edit::keep; });
}

std::string in_columns(std::string_view old_text, std::string_view new_text, const Screen& screen) {
  const std::size_t width = (std::max<std::size_t>(screen.width.value_or(paper_width), 23) - 3) / 2;
  std::string out;
  for (const report::SideRow& row : report::side_rows(old_text, new_text)) {
    if (row.folded > 0) {
      out += fold_text(row.folded, screen) + '\n';
      continue;
    }
    // As sdiff: | differs, < only on the left, > only on the right.
    const char* gutter = !row.right ? " < " : !row.left ? " > " : differ(row) ? " | " : "   ";
    const std::vector<Row> left = wrapped(row.left.value_or(Spans{}), width, screen);
    const std::vector<Row> right = wrapped(row.right.value_or(Spans{}), width, screen);
    for (std::size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
      const Row a = i < left.size() ? left[i] : Row{}, b = i < right.size() ? right[i] : Row{};
      std::string line = a.text + std::string(width - std::min(width, a.width), ' ') + gutter;
      if (b.text.empty()) line.erase(line.find_last_not_of(' ') + 1);
      out += line + b.text + '\n';
    }
  }
  return out;
}

std::string in_unified(const report::DiffFacts& facts, const Screen& screen) {
  // In a pipe the bytes are what they are: patch reads them.
  const auto controls = screen.width ? report::Controls::visible : report::Controls::as_they_are;
  std::string text = report::unified_diff(facts, controls);
  if (!screen.colour) return text;
  std::string out;
  std::size_t number = 0;
  for (std::string_view rest = text; !rest.empty(); ++number) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    out += number < 2              ? painted(line, bold, screen)
           : line.starts_with('@') ? painted(line, dim, screen)
           : line.starts_with('-') ? painted(line, red, screen)
           : line.starts_with('+') ? painted(line, green, screen)
                                   : std::string(line);
    out += '\n';
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}

DiffStyle chosen(DiffStyle style, const Screen& screen) {
  if (style != DiffStyle::automatic) return style;
  if (!screen.width) return DiffStyle::unified;
  return *screen.width >= side_width ? DiffStyle::side : DiffStyle::word;
}

bool no_texts(std::string_view old_text, std::string_view new_text) {
  return report::looks_binary(old_text) || report::looks_binary(new_text);
}

std::string sizes(std::string_view old_text, std::string_view new_text) {
  return "No text: " + format_bytes(old_text.size()) + " → " + format_bytes(new_text.size()) + '\n';
}

std::string heading(const report::DiffFacts& facts, const Screen& screen) {
  std::string out;
  for (const std::string& line : report::diff_heading(facts)) {
    out += painted(line, out.empty() ? bold : dim, screen) + '\n';
  }
  return out + '\n';
}

}  // namespace

Screen screen_of(std::FILE* stream) {
  const auto environment = [](const char* name) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): one thread
    return std::string_view(value == nullptr ? "" : value);
  };
  Screen screen{.width = terminal_width(stream)};
  screen.colour = screen.width && environment("NO_COLOR").empty() && environment("TERM") != "dumb";
  return screen;
}

void add_style_option(CommandLine& line, DiffStyle& style) {
  line.choice<DiffStyle>(
      "--style", style,
      {{"word", DiffStyle::word}, {"unified", DiffStyle::unified}, {"side", DiffStyle::side}},
      "word, unified or side (default: unified in a pipe, side from 160 columns on, else word)",
      "STYLE");
}

std::string change_text(std::string_view old_text, std::string_view new_text,
                        const Screen& screen) {
  if (no_texts(old_text, new_text)) return sizes(old_text, new_text);
  const bool side = screen.width && *screen.width >= side_width;
  return side ? in_columns(old_text, new_text, screen) : in_words(old_text, new_text, screen);
}

std::string diff_text(const report::DiffFacts& facts, DiffStyle style, const Screen& screen) {
  if (no_texts(facts.old_text, facts.new_text))
    return heading(facts, screen) + sizes(facts.old_text, facts.new_text);
  switch (chosen(style, screen)) {
    case DiffStyle::automatic:
    case DiffStyle::unified:
      return in_unified(facts, screen);
    case DiffStyle::word:
      return heading(facts, screen) + in_words(facts.old_text, facts.new_text, screen);
    case DiffStyle::side:
      return heading(facts, screen) + in_columns(facts.old_text, facts.new_text, screen);
  }
  return "";
}

}  // namespace pollux::cli

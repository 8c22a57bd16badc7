// What changed between two versions of a page: as lines with the words that differ, as two columns,
// as a unified diff and as JSON. Pure; who shows it knows colours and the width of the screen.
#pragma once

#include "pollux/base/time.hpp"
#include "pollux/diff/diff.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

namespace pollux::report {

// One of the two versions.
struct DiffEnd {
  std::int64_t number = 0;
  WallTime at{};
  std::string hash;
};

struct DiffFacts {
  std::string url;
  DiffEnd from, to;
  std::string_view old_text, new_text;
  std::string as = {};  // what the newer one was kept as
};

// A part of a line, printable: no control character of a page reaches a terminal.
struct Span {
  diff::Edit edit = diff::Edit::keep;
  std::string text;
  bool operator==(const Span&) const = default;
};
using Spans = std::vector<Span>;

inline constexpr std::size_t context_lines = 3;  // that stand around a changed one

// The old and the new text in one: what was removed stands where it was. Of long stretches without
// a change inside of a line the ends are left.
struct WordLine {
  Spans spans;
  std::size_t folded = 0;  // above 0: it stands for so many lines that did not change
};
std::vector<WordLine> word_lines(std::string_view old_text, std::string_view new_text);

// The old text on the left, the new one on the right, lines that belong together side by side.
struct SideRow {
  std::optional<Spans> left, right;  // nullopt: the other one has no partner
  std::size_t folded = 0;
};
std::vector<SideRow> side_rows(std::string_view old_text, std::string_view new_text);

// By lines, as diff -u prints it and patch reads it. Empty for equal texts.
enum class Controls { as_they_are, visible };
std::string unified_diff(const DiffFacts& facts, Controls controls);

// "https://…", "version 3 of 2026-11-15T08:30:00.000Z → version 4 of …", "+2 −1 words: …"
std::vector<std::string> diff_heading(const DiffFacts& facts);

boost::json::object diff_json(const DiffFacts& facts);

// Bytes that are no text, which nobody wants on a screen.
bool looks_binary(std::string_view content);
// A line of content for a screen: a tab is four spaces, other control characters are made visible.
std::string visible_line(std::string_view line);

}  // namespace pollux::report

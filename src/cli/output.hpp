// How the commands that show things print: aligned tables for people, JSON for programs.
//
// Text in cells is made printable here, so no page can forge a line or send escapes to a terminal.
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/report/table.hpp"

#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

namespace pollux::cli {

// Columns of a terminal that this (valid, printable) UTF-8 text takes.
std::size_t display_width(std::string_view text);
// Bytes at its beginning that take at most `width` columns.
std::size_t fitting(std::string_view text, std::size_t width);
// At most `width` columns of it; what is cut off at the end is replaced by "…".
std::string shortened(std::string_view text, std::size_t width);
// The same, cut in the middle.
std::string shortened_middle(std::string_view text, std::size_t width);
// nullopt when the stream is no terminal.
std::optional<std::size_t> terminal_width(std::FILE* stream);

using report::Align;

// Lays a table out. Cells are made printable.
class Table {
 public:
  using Column = report::Column;
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  explicit Table(report::Table table);
  void add(std::vector<std::string> cells);
  // Only these columns, in this order, by their titles in any spelling: "last_change". Refused with
  // ExitCode::usage and the known ones.
  Status keep(const std::vector<std::string>& titles);
  // Leaves out what only shows when it is asked for, and what has nothing to say in any row.
  void drop_idle();
  // Leaves columns out until the rest fits, the least telling first; the titles of those left out.
  std::vector<std::string> fit(std::size_t width);
  // Lines as wide as they need to be; with a width, the columns that may be shortened share what is
  // left, or the last one gives way; on any screen of 20 columns or more no line is wider.
  std::string text(std::optional<std::size_t> width) const;
  // What there is to say, as much of it as fits.
  void print(std::FILE* stream) const;

 private:
  std::vector<std::size_t> giving_way() const;  // indices of the columns
  std::size_t natural_width(std::size_t column) const;
  void drop(std::size_t column);
  std::vector<std::size_t> widths(std::optional<std::size_t> width) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

void show_json(const boost::json::value& value);

// "CHANGES/DAY" → "changes_day": a title as it is written on a command line.
std::string title_key(std::string_view title);

// Prints "pollux: message" to standard error; the result is the exit code.
int report(const Error& error);

// For options that count: "" when the text is a whole number from 0, else what to write.
std::string whole_number(const std::string& text);

}  // namespace pollux::cli

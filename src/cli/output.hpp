// How the commands that show things print: aligned tables for people, JSON for programs.
//
// Text in cells is made printable here, so no page can forge a line or send escapes to a terminal.
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/base/time.hpp"

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
// At most `width` columns of it; what is cut off is replaced by "…".
std::string shortened(std::string_view text, std::size_t width);
// nullopt when the stream is no terminal.
std::optional<std::size_t> terminal_width(std::FILE* stream);

enum class Align { left, right };

class Table {
 public:
  struct Column {
    std::string title;
    Align align = Align::left;
  };
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<std::string> cells);
  // Lines as wide as they need to be; with a width, the last column gives way.
  std::string text(std::optional<std::size_t> width) const;
  void print(std::FILE* stream) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// JSON as people would write it: short numbers, one element of a top-level array a line.
std::string json_text(const boost::json::value& value);
void show_json(const boost::json::value& value);

// ISO-8601, or null.
boost::json::value json_time(const std::optional<WallTime>& time);
// A number, or null when it is infinite.
boost::json::value json_number(double number);
// The text, or null when it is empty.
boost::json::value json_text_or_null(const std::string& text);

// "3 min ago", "in 5 s", "never".
std::string ago(const std::optional<WallTime>& time, WallTime now);
std::string until(const std::optional<WallTime>& time, WallTime now);

// Prints "pollux: message" to standard error; the result is the exit code.
int report(const Error& error);

}  // namespace pollux::cli

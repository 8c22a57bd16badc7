// A table as data: whoever shows it knows how wide the screen is, the table does not.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <boost/json/value.hpp>

namespace pollux::report {

enum class Align { left, right };
enum class Fit { whole, shortened };  // shortened: this column gives way where room is short

struct Column {
  std::string title;
  Align align = Align::left;
  Fit fit = Fit::whole;
};

struct Cell {
  std::string text;          // for people; may quote a stranger's bytes: make it printable
  boost::json::value value;  // the same to sort and compute by, null when unknown

  Cell(std::string words) : text(std::move(words)), value(text) {}
  Cell(std::string words, boost::json::value what)
      : text(std::move(words)), value(std::move(what)) {}
};

struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;  // each as long as `columns`
};

}  // namespace pollux::report

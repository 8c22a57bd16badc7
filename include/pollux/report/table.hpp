// A table as data: whoever shows it knows how wide the screen is, the table does not.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <boost/json/value.hpp>

namespace pollux::report {

enum class Align { left, right };
// What becomes of a column where room is short: shortened, it gives way, in the middle of its text
// (the ends of URLs tell them apart); cut, it gives way at the end; capped, it is cut at a few
// words.
enum class Fit { whole, shortened, cut, capped };
// Who sees a column: everybody, whoever has something in it, or whoever asks for it by its name.
enum class Show { always, if_any, asked };

struct Column {
  std::string title;
  Align align = Align::left;
  Fit fit = Fit::whole;
  int rank = 0;  // where room is short the highest are left out first; 0: never
  Show show = Show::always;
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

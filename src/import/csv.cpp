// Tables: RFC 4180 with any of , ; tab and | between the cells. Columns are known by their names in
// the first row; without such a row the first column that holds a URL is the one.
#include "import/content_check.hpp"
#include "import/readers.hpp"
#include "import/words.hpp"
#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include <spdlog/fmt/fmt.h>

namespace pollux::import {
namespace {

enum class Column {
  unknown,
  url,
  name,
  tags,
  importance,
  interval,
  min_interval,
  timeout,
  user_agent,
  select
};

struct ColumnName {
  std::string_view name;
  Column column;
};
constexpr ColumnName column_names[] = {
    {"url", Column::url},
    {"urls", Column::url},
    {"uri", Column::url},
    {"link", Column::url},
    {"address", Column::url},
    {"loc", Column::url},
    {"page", Column::url},
    {"website", Column::url},
    {"name", Column::name},
    {"title", Column::name},
    {"label", Column::name},
    {"tag", Column::tags},
    {"tags", Column::tags},
    {"group", Column::tags},
    {"groups", Column::tags},
    {"category", Column::tags},
    {"categories", Column::tags},
    {"folder", Column::tags},
    {"importance", Column::importance},
    {"weight", Column::importance},
    {"interval", Column::interval},
    {"max_interval", Column::interval},
    {"every", Column::interval},
    {"min_interval", Column::min_interval},
    {"timeout", Column::timeout},
    {"user_agent", Column::user_agent},
    {"select", Column::select},
    {"selector", Column::select},
    {"css", Column::select},
    {"xpath", Column::select},
};

Column column_of(std::string_view title) {
  std::string name = lowered(trimmed(title));
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == ' ' || c == '-'; }, '_');
  for (const ColumnName& known : column_names) {
    if (known.name == name) return known.column;
  }
  return Column::unknown;
}

bool is_url(std::string_view cell) {
  const std::string start = lowered(trimmed(cell).substr(0, 8));
  return start.starts_with("http://") || start.starts_with("https://");
}

// Cell by cell, in one pass. A quote that nothing closes is a character like any other, and so are
// those after it: no row is swallowed by it.
class CsvRows {
 public:
  CsvRows(std::string_view text, char separator) : text_(text), separator_(separator) {}

  // False: there is no further row. `line` is where it begins.
  bool next(std::vector<std::string>& cells, std::uint32_t& line) {
    constexpr std::size_t most_cells = 1000;
    if (at_ >= text_.size()) return false;
    cells.clear();
    line = line_;
    for (bool more = true; more;) {
      std::string cell;
      more = take_cell(cell);
      if (cells.size() < most_cells) cells.push_back(std::move(cell));
    }
    return true;
  }
  // The line of a quote that nothing closes; 0: there was none.
  std::uint32_t open_quote() const { return open_quote_; }

 private:
  // True: another one follows in this row.
  bool take_cell(std::string& cell) {
    if (open_quote_ == 0 && at_ < text_.size() && text_[at_] == '"') take_quoted(cell);
    while (at_ < text_.size() && text_[at_] != separator_ && text_[at_] != '\n')
      cell += text_[at_++];
    if (cell.ends_with('\r')) cell.pop_back();
    if (at_ >= text_.size()) return false;
    const bool more = text_[at_] == separator_;
    if (!more) ++line_;
    ++at_;
    return more;
  }
  void take_quoted(std::string& cell) {
    const std::size_t start = at_;
    const std::uint32_t start_line = line_;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\n') ++line_;
      if (text_[at_] != '"') {
        cell += text_[at_];
      } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
        cell += text_[at_++];
      } else {
        ++at_;
        return;
      }
    }
    cell.clear();
    at_ = start;
    open_quote_ = line_ = start_line;
  }

  std::string_view text_;
  char separator_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1, open_quote_ = 0;
};

// Of , ; tab and |, the one that the first line has most of.
char separator_of(std::string_view text) {
  const std::string_view first = take_line(text);
  char best = ',';
  for (const char c : {',', ';', '\t', '|'}) {
    if (std::count(first.begin(), first.end(), c) > std::count(first.begin(), first.end(), best))
      best = c;
  }
  return best;
}

class CsvReader {
 public:
  CsvReader(const TextFile& file, Collector& out) : file_(file), out_(out) {}

  Status read() {
    CsvRows rows(file_.text, separator_of(file_.text));
    std::vector<std::string> cells;
    std::uint32_t line = 1;
    if (!rows.next(cells, line)) return success();
    const bool header = take_header(cells);
    if (!header && !guess_column(cells)) {
      return Error{fmt::format("{}:1: no column holds URLs; name one 'url' in the first row",
                               printable(file_.name)),
                   ExitCode::bad_data};
    }
    if (header && !rows.next(cells, line)) return success();
    do {
      read_row(cells, line);
    } while (rows.next(cells, line));
    if (rows.open_quote() != 0)
      out_.changed({file_.name, rows.open_quote()},
                   "a quote that nothing closes is taken as it stands");
    return success();
  }

 private:
  // Whether the first row names the columns.
  bool take_header(const std::vector<std::string>& cells) {
    if (std::any_of(cells.begin(), cells.end(), is_url)) return false;
    for (const std::string& cell : cells) {
      Column column = column_of(cell);
      const bool taken = std::find(columns_.begin(), columns_.end(), column) != columns_.end();
      if (column != Column::unknown && column != Column::tags && taken) column = Column::unknown;
      columns_.push_back(column);
      if (column == Column::unknown && !trimmed(cell).empty()) {
        out_.left_out({file_.name, 1}, fmt::format("the column '{}'", printable(cell, 60)));
      }
    }
    const bool found = std::find(columns_.begin(), columns_.end(), Column::url) != columns_.end();
    if (!found) columns_.clear();
    return found;
  }
  bool guess_column(const std::vector<std::string>& cells) {
    const auto url = std::find_if(cells.begin(), cells.end(), is_url);
    if (url == cells.end()) return false;
    columns_.assign(cells.size(), Column::unknown);
    columns_[static_cast<std::size_t>(url - cells.begin())] = Column::url;
    if (cells.size() > 1) {
      out_.left_out({file_.name, 1},
                    "all columns but that of the URLs: nothing names them; a first row with url, "
                    "name, tags, importance, interval does");
    }
    return true;
  }

  void read_row(const std::vector<std::string>& cells, std::uint32_t line) {
    const auto cell = [&](Column column) -> std::string_view {
      const auto at = std::find(columns_.begin(), columns_.end(), column) - columns_.begin();
      return static_cast<std::size_t>(at) < cells.size()
                 ? trimmed(cells[static_cast<std::size_t>(at)])
                 : std::string_view();
    };
    const bool empty = std::all_of(cells.begin(), cells.end(),
                                   [](const std::string& one) { return trimmed(one).empty(); });
    if (empty) return;
    Place place{file_.name, line};
    if (cell(Column::url).empty()) {
      out_.left_out(place, "a row without a URL");
      return;
    }
    std::optional<Page> page = out_.page(cell(Column::url), place, Scheme::may_be_missing);
    if (!page) return;
    place.url = printable_url(page->url);
    Collector::set_name(*page, cell(Column::name));
    for (std::size_t i = 0; i < std::min(columns_.size(), cells.size()); ++i) {
      if (columns_[i] == Column::tags) Collector::add_tags(*page, cells[i]);
    }
    set_importance(*page, cell(Column::importance), place);
    set_durations(*page, cell(Column::interval), cell(Column::min_interval), cell(Column::timeout),
                  place);
    if (const std::string_view agent = cell(Column::user_agent); !agent.empty())
      set_user_agent(*page, agent, place, out_);
    if (const std::string_view select = cell(Column::select); !select.empty()) {
      page->content.select.push_back(selector_from(select));
      keep_what_compiles(page->content, place, out_);
    }
    out_.add(std::move(*page), place);
  }

  void set_importance(Page& page, std::string_view text, const Place& place) {
    if (text.empty()) return;
    double number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem == std::errc{} && end == text.data() + text.size() && number >= 0.001 &&
        number <= 1000) {
      page.importance = number;
      return;
    }
    out_.left_out(place, fmt::format("importance '{}': write a number from 0.001 to 1000",
                                     printable(text, 40)));
  }
  std::optional<Duration> duration(std::string_view text, const Place& place) {
    if (text.empty()) return std::nullopt;
    const Result<Duration> parsed = parse_duration(text);
    if (parsed) return *parsed;
    out_.left_out(place, parsed.error().message);
    return std::nullopt;
  }
  void set_durations(Page& page, std::string_view interval, std::string_view least,
                     std::string_view timeout, const Place& place) {
    if (const auto longest = duration(interval, place)) out_.set_interval(page, *longest, place);
    if (const auto shortest = duration(least, place)) {
      const Duration longest = page.max_interval.value_or(std::chrono::hours(24));
      if (*shortest <= longest) {
        page.min_interval = *shortest;
      } else {
        out_.left_out(place, "min_interval: it is longer than the interval");
      }
    }
    if (const auto limit = duration(timeout, place)) set_timeout(page, *limit, place, out_);
  }

  const TextFile& file_;
  Collector& out_;
  std::vector<Column> columns_;
};

}  // namespace

bool looks_like_csv(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  const char separator = separator_of(text);
  std::vector<std::string> cells;
  std::uint32_t line = 0;
  if (!CsvRows(text, separator).next(cells, line) || cells.size() < 2) return false;
  const auto is_column = [](const std::string& cell) { return column_of(cell) == Column::url; };
  return std::any_of(cells.begin(), cells.end(), is_column) ||
         (std::any_of(cells.begin(), cells.end(), is_url) && separator != ',');
}

Status read_csv(const TextFile& file, Collector& out) {
  return CsvReader(file, out).read();
}

}  // namespace pollux::import

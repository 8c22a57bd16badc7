#include "cli/output.hpp"

#include "pollux/base/text.hpp"
#include "pollux/report/json.hpp"
#include "pollux/report/text.hpp"

#include <algorithm>
#include <clocale>
#include <cwchar>

#include <sys/ioctl.h>
#include <unistd.h>

namespace pollux::cli {
namespace {

// Columns of a terminal: the least that a column that gives way keeps, what it should keep before
// others are left out, and the most of one that is capped.
constexpr std::size_t least_width = 10;
constexpr std::size_t comfortable_width = 36;
constexpr std::size_t capped_width = 24;
constexpr std::size_t narrowest = 20;  // that lines are cut for

// Widths of characters come from the C library, which asks the locale; ours is always UTF-8.
class Utf8Locale {
 public:
  Utf8Locale() : locale_(newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)) {
    if (locale_ != nullptr) before_ = uselocale(locale_);
  }
  ~Utf8Locale() {
    if (locale_ == nullptr) return;
    uselocale(before_);
    freelocale(locale_);
  }
  Utf8Locale(const Utf8Locale&) = delete;
  Utf8Locale& operator=(const Utf8Locale&) = delete;

 private:
  locale_t locale_;
  locale_t before_ = nullptr;
};

struct Character {
  std::size_t bytes = 1;
  std::size_t columns = 1;
};

Character first_character(std::string_view text) {
  wchar_t code = 0;
  std::mbstate_t state{};
  // NOLINTNEXTLINE(concurrency-mt-unsafe): it has a state of its own
  const std::size_t length = std::mbrtowc(&code, text.data(), text.size(), &state);
  if (length == 0 || length > text.size()) return {};
  const int columns = wcwidth(code);
  return {length, columns < 0 ? 1 : static_cast<std::size_t>(columns)};
}

std::size_t width_in_locale(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const Character character = first_character(text);
    width += character.columns;
    text.remove_prefix(character.bytes);
  }
  return width;
}

void append_cell(std::string& line, const std::string& cell, std::size_t width, Align align) {
  const std::string padding(width - std::min(width, display_width(cell)), ' ');
  line += align == Align::right ? padding + cell : cell + padding;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  const Utf8Locale locale;
  return width_in_locale(text);
}

std::size_t fitting(std::string_view text, std::size_t width) {
  const Utf8Locale locale;
  std::size_t bytes = 0, used = 0;
  while (bytes < text.size()) {
    const Character character = first_character(text.substr(bytes));
    if (used + character.columns > width) break;
    used += character.columns;
    bytes += character.bytes;
  }
  return bytes;
}

std::string shortened(std::string_view text, std::size_t width) {
  const Utf8Locale locale;
  if (width_in_locale(text) <= width) return std::string(text);
  if (width == 0) return "";
  std::string kept;
  std::size_t used = 0;
  while (true) {
    const Character character = first_character(text);
    if (used + character.columns > width - 1) return kept + "…";
    kept.append(text.substr(0, character.bytes));
    used += character.columns;
    text.remove_prefix(character.bytes);
  }
}

std::string shortened_middle(std::string_view text, std::size_t width) {
  const Utf8Locale locale;
  const std::size_t whole = width_in_locale(text);
  if (whole <= width) return std::string(text);
  if (width == 0) return "";
  const std::size_t head = width / 2, tail = width - 1 - head;
  std::string kept;
  std::size_t end = 0;  // columns that went by
  bool cut = false;
  while (!text.empty()) {
    const Character character = first_character(text);
    end += character.columns;
    const bool in_head = !cut && end <= head;
    const bool in_tail = end - character.columns >= whole - tail;
    if (in_head || in_tail) {
      kept.append(text.substr(0, character.bytes));
    } else if (!cut) {
      kept += "…";
      cut = true;
    }
    text.remove_prefix(character.bytes);
  }
  return kept;
}

std::string title_key(std::string_view title) {
  std::string key;
  for (const char c : title) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    key += letter ? c : c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : '_';
  }
  return key;
}

std::optional<std::size_t> terminal_width(std::FILE* stream) {
  winsize size{};
  const int descriptor = fileno(stream);
  if (isatty(descriptor) == 0 || ioctl(descriptor, TIOCGWINSZ, &size) != 0) return std::nullopt;
  return size.ws_col > 0 ? size.ws_col : std::size_t{80};
}

void Table::add(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = printable(cell, 10'000);
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

Table::Table(report::Table table) : columns_(std::move(table.columns)) {
  for (const std::vector<report::Cell>& row : table.rows) {
    std::vector<std::string> cells;
    cells.reserve(row.size());
    for (const report::Cell& cell : row) cells.push_back(cell.text);
    add(std::move(cells));
  }
}

std::vector<std::size_t> Table::giving_way() const {
  std::vector<std::size_t> giving;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const report::Fit fit = columns_[i].fit;
    if (fit == report::Fit::shortened || fit == report::Fit::cut) giving.push_back(i);
  }
  if (giving.empty() && !columns_.empty()) giving.push_back(columns_.size() - 1);
  return giving;
}

std::size_t Table::natural_width(std::size_t column) const {
  std::size_t widest = display_width(columns_[column].title);
  for (const auto& row : rows_) widest = std::max(widest, display_width(row[column]));
  return widest;
}

std::vector<std::size_t> Table::widths(std::optional<std::size_t> width) const {
  std::vector<std::size_t> widths;
  std::size_t total = columns_.empty() ? 0 : 2 * (columns_.size() - 1);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    widths.push_back(natural_width(i));
    total += widths.back();
  }
  if (!width || total <= *width) return widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].fit != report::Fit::capped || widths[i] <= capped_width) continue;
    total -= widths[i] - capped_width;
    widths[i] = capped_width;
  }
  if (total <= *width) return widths;
  // The short ones get what they need, the others share the rest.
  std::vector<std::size_t> giving = giving_way();
  std::sort(giving.begin(), giving.end(),
            [&](std::size_t a, std::size_t b) { return widths[a] < widths[b]; });
  std::size_t room = *width;
  for (const std::size_t column : giving) total -= widths[column];
  room -= std::min(room, total);
  for (std::size_t i = 0; i < giving.size(); ++i) {
    std::size_t& one = widths[giving[i]];
    one = std::min(one, std::max(least_width, room / (giving.size() - i)));
    room -= std::min(room, one);
  }
  return widths;
}

void Table::drop_idle() {
  for (std::size_t i = columns_.size(); i-- > 0;) {
    const report::Show show = columns_[i].show;
    const bool says = std::any_of(rows_.begin(), rows_.end(), [i](const auto& row) {
      return !row[i].empty() && row[i] != report::unknown;
    });
    if (show == report::Show::asked || (show == report::Show::if_any && !says)) drop(i);
  }
}

void Table::drop(std::size_t column) {
  const auto at = static_cast<std::ptrdiff_t>(column);
  columns_.erase(columns_.begin() + at);
  for (auto& row : rows_) row.erase(row.begin() + at);
}

Status Table::keep(const std::vector<std::string>& titles) {
  std::vector<std::size_t> chosen;
  for (const std::string& title : titles) {
    const auto found = std::find_if(columns_.begin(), columns_.end(), [&](const Column& column) {
      return title_key(column.title) == title_key(title);
    });
    if (found == columns_.end()) {
      std::string known;
      for (const Column& column : columns_) {
        known += (known.empty() ? "" : ", ") + title_key(column.title);
      }
      return Error{"there is no column '" + printable(title, 60) + "'; known: " + known,
                   ExitCode::usage};
    }
    chosen.push_back(static_cast<std::size_t>(found - columns_.begin()));
  }
  const auto picked = [&](const auto& all) {
    std::decay_t<decltype(all)> some;
    for (const std::size_t i : chosen) some.push_back(all[i]);
    return some;
  };
  columns_ = picked(columns_);
  for (auto& row : rows_) row = picked(row);
  return success();
}

std::vector<std::string> Table::fit(std::size_t width) {
  std::vector<std::string> left;
  while (!columns_.empty()) {
    const std::vector<std::size_t> taken = widths(width);
    std::size_t total = 2 * (taken.size() - 1);
    for (const std::size_t one : taken) total += one;
    // Those that give way should still say something.
    const std::vector<std::size_t> giving = giving_way();
    const bool comfortable = std::all_of(giving.begin(), giving.end(), [&](std::size_t column) {
      return taken[column] >= std::min(natural_width(column), comfortable_width);
    });
    if (total <= width && comfortable) break;
    const auto least =
        std::max_element(columns_.begin(), columns_.end(),
                         [](const Column& a, const Column& b) { return a.rank < b.rank; });
    if (least->rank == 0) break;
    left.push_back(least->title);
    drop(static_cast<std::size_t>(least - columns_.begin()));
  }
  return left;
}

std::string Table::text(std::optional<std::size_t> width) const {
  const std::vector<std::size_t> taken = widths(width);
  std::string out;
  const auto append_line = [&](const auto& cell_of) {
    std::string line;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (i > 0) line += "  ";
      const bool middle = columns_[i].fit == report::Fit::shortened;
      append_cell(line,
                  middle ? shortened_middle(cell_of(i), taken[i]) : shortened(cell_of(i), taken[i]),
                  taken[i], columns_[i].align);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += (width && *width >= narrowest ? shortened(line, *width) : line) + "\n";
  };
  append_line([&](std::size_t i) { return columns_[i].title; });
  for (const auto& row : rows_) append_line([&](std::size_t i) { return row[i]; });
  return out;
}

void Table::print(std::FILE* stream) const {
  const std::optional<std::size_t> width = terminal_width(stream);
  Table shown = *this;
  shown.drop_idle();
  if (width) shown.fit(*width);
  std::fputs(shown.text(width).c_str(), stream);
}

void show_json(const boost::json::value& value) {
  std::fputs((report::json_text(value) + "\n").c_str(), stdout);
}

int report(const Error& error) {
  std::fprintf(stderr, "pollux: %s\n", error.message.c_str());
  return static_cast<int>(error.exit_code);
}

std::string whole_number(const std::string& text) {
  const bool digits = !text.empty() && text.size() <= 18 &&
                      text.find_first_not_of("0123456789") == std::string::npos;
  return digits ? std::string() : "'" + printable(text, 40) + "' is not a whole number from 0";
}

}  // namespace pollux::cli

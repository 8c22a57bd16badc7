#include "config/indentation.hpp"

#include "pollux/base/text.hpp"

#include <algorithm>
#include <vector>

#include <spdlog/fmt/fmt.h>

namespace pollux::config {
namespace {

constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// Brackets and quotes that a value leaves open: what follows belongs to it, wherever it starts.
class OpenValue {
 public:
  bool any() const { return depth_ > 0 || quote_ != '\0'; }
  // True when a value that begins here may go on over several lines.
  static bool may_open(std::string_view value) {
    return !value.empty() && std::string_view("[{\"'").find(value.front()) != value.npos;
  }
  void read(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (quote_ != '\0') {
        if (quote_ == '"' && c == '\\') {
          ++i;
        } else if (c == quote_) {
          quote_ = '\0';
        }
      } else if (c == '#' && (i == 0 || text[i - 1] == ' ')) {
        return;
      } else if (c == '"' || c == '\'') {
        // Inside a word it is an apostrophe.
        if (i == 0 || std::string_view(" [{,:").find(text[i - 1]) != std::string_view::npos)
          quote_ = c;
      } else if (c == '[' || c == '{') {
        ++depth_;
      } else if ((c == ']' || c == '}') && depth_ > 0) {
        --depth_;
      }
    }
  }

 private:
  int depth_ = 0;
  char quote_ = '\0';
};

// The length of a key with its colon at the start of `text`, or 0.
std::size_t key_length(std::string_view text) {
  std::size_t end = 0;
  if (!text.empty() && (text[0] == '"' || text[0] == '\'')) {
    end = text.find(text[0], 1);
    if (end == text.npos) return 0;
    ++end;
  } else if (text.empty() || std::string_view("[{#&*!|>%@`").find(text[0]) != text.npos) {
    return 0;
  }
  for (end = text.find(':', end); end != text.npos; end = text.find(':', end + 1)) {
    if (end + 1 == text.size() || blanks.find(text[end + 1]) != blanks.npos) return end + 1;
    if (text.substr(0, end).find(' ') != text.npos) return 0;  // keys are words
  }
  return 0;
}

struct Level {
  std::size_t column;
  bool is_list;
  std::uint32_t line;
  std::string_view name;  // of the last key
};

std::string called(const Level& level) {
  return level.is_list ? fmt::format("the entry in line {}", level.line)
                       : fmt::format("'{}' in line {}", printable(level.name, 40), level.line);
}

class Lines {
 public:
  std::optional<Misplaced> read(std::string_view line) {
    ++number_;
    const std::size_t indent = line.find_first_not_of(' ');
    const std::string_view rest = indent == line.npos ? "" : trimmed(line.substr(indent));
    if (open_.any()) {
      open_.read(line);
      return std::nullopt;
    }
    if (rest.empty() || rest.front() == '#' || rest.front() == '%') return std::nullopt;
    if (block_ && indent > *block_) return std::nullopt;
    block_.reset();
    if (indent == 0 && (rest == "---" || rest == "...")) {
      levels_.clear();
      return std::nullopt;
    }
    return structure(indent, rest);
  }

 private:
  std::optional<Misplaced> structure(std::size_t column, std::string_view rest) {
    bool first = true;
    while (rest.starts_with("- ") || rest == "-") {
      if (auto wrong = place(column, true, "", first)) return wrong;
      first = false;
      const std::size_t next = rest.find_first_not_of(' ', 1);
      if (next == rest.npos) {
        opens_ = true;
        return std::nullopt;
      }
      column += next;
      rest.remove_prefix(next);
      opens_ = true;
    }
    const std::size_t key = key_length(rest);
    if (key == 0) return bare(rest, first);
    const std::string_view name = rest.substr(0, key - 1);
    if (auto wrong = place(column, false, name, first)) return wrong;
    take_value(column, trimmed(rest.substr(key)));
    return std::nullopt;
  }

  // A line that is neither key nor entry goes on with the value above; a URL is not meant to.
  std::optional<Misplaced> bare(std::string_view rest, bool alone) {
    if (alone && !opens_ && !levels_.empty() && rest.starts_with("http")) {
      return Misplaced{number_, fmt::format("this URL goes on with {}; start the line with '- ' in "
                                            "column {}",
                                            called(levels_.back()), levels_.back().column + 1)};
    }
    take_value(levels_.empty() ? 0 : levels_.back().column, rest);
    opens_ = false;
    return std::nullopt;
  }

  void take_value(std::size_t column, std::string_view value) {
    // An anchor or a tag may stand before what it names.
    while (!value.empty() && (value.front() == '&' || value.front() == '!')) {
      const std::size_t blank = value.find(' ');
      value = blank == value.npos ? "" : trimmed(value.substr(blank));
    }
    opens_ = value.empty() || value.front() == '#';
    if (!value.empty() && (value.front() == '|' || value.front() == '>')) block_ = column;
    if (OpenValue::may_open(value)) open_.read(value);
  }

  std::optional<Misplaced> place(std::size_t column, bool is_list, std::string_view name,
                                 bool first) {
    if (!first) {
      levels_.push_back({column, is_list, number_, name});
      return std::nullopt;
    }
    std::optional<Level> left;
    while (!levels_.empty() && levels_.back().column > column) {
      left = levels_.back();
      levels_.pop_back();
    }
    // A list may start in the column of its key; behind it come that key's siblings.
    if (!is_list && levels_.size() > 1 && levels_.back().is_list &&
        levels_.back().column == column && levels_[levels_.size() - 2].column == column) {
      levels_.pop_back();
    }
    const std::string what = is_list ? "this entry" : fmt::format("'{}'", printable(name, 40));
    const auto wrong = [&](const Level& beside) {
      return Misplaced{number_,
                       fmt::format("{} starts in column {}, {} in column {}; what belongs together "
                                   "starts in one column",
                                   what, column + 1, called(beside), beside.column + 1)};
    };
    if (levels_.empty()) {
      if (left) return wrong(*left);
    } else if (Level& beside = levels_.back(); beside.column == column) {
      if (beside.is_list == is_list) {
        beside.line = number_;
        beside.name = name;
        return std::nullopt;
      }
      if (!is_list) {
        return Misplaced{number_, fmt::format("{} stands in the column of {}; indent it further if "
                                              "it belongs to that entry",
                                              what, called(beside))};
      }
      if (!opens_) {
        return Misplaced{number_, fmt::format("an entry of a list stands beside {}, which has a "
                                              "value already; write the list under a key",
                                              called(beside))};
      }
    } else if (left || !opens_) {
      return wrong(left ? *left : beside);
    }
    levels_.push_back({column, is_list, number_, name});
    return std::nullopt;
  }

  std::uint32_t number_ = 0;
  std::vector<Level> levels_;
  bool opens_ = true;  // the line before may have something below it
  OpenValue open_;
  std::optional<std::size_t> block_;  // column of the key whose block text goes on
};

}  // namespace

std::optional<Misplaced> find_misplaced_line(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (auto found = lines.read(text.substr(0, end))) return found;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return std::nullopt;
}

}  // namespace pollux::config

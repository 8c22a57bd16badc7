// Canonical JSON, as extract keeps it: one value a line, two spaces a level, keys sorted; several
// results of a filter one below the other. Read by its indentation: masks and `ignore` may have
// taken characters out of it.
#include "diff/summary_forms.hpp"
#include "pollux/diff/diff.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace pollux::diff {
namespace {

constexpr std::size_t most_differences = 200;
constexpr std::size_t most_lines_of_an_object = 200;
constexpr std::size_t longest_name = 60;
constexpr std::size_t deepest = 1024;
constexpr std::size_t most_objects_around = 3;  // that are asked for their name

// What one line says.
struct JsonLine {
  std::size_t depth = 0;
  std::string_view key;    // empty: an element of a list, or a bracket
  std::string_view value;  // without quotes and comma; "{" and "[" open, "}" and "]" close
  bool opens = false, closes = false;
};

std::string_view without_quotes(std::string_view text) {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return text;
  return text.substr(1, text.size() - 2);
}

// Behind the quoted text at the beginning; 0: there is none.
std::size_t quoted_end(std::string_view text) {
  if (!text.starts_with('"')) return 0;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      return i + 1;
    }
  }
  return 0;
}

JsonLine json_line(std::string_view line) {
  JsonLine out;
  const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  out.depth = std::min(indent / 2, deepest);
  line.remove_prefix(indent);
  if (const std::size_t end = quoted_end(line); end > 0 && line.substr(end).starts_with(": ")) {
    out.key = line.substr(1, end - 2);
    line.remove_prefix(end + 2);
  }
  if (line.ends_with(',')) line.remove_suffix(1);
  out.opens = line == "{" || line == "[";
  // Lines that are not compared leave a mark, at the margin; it is no value and is in no place.
  constexpr std::string_view mark = "‹";
  out.closes = line == "}" || line == "]" || line.starts_with(mark);
  out.value = without_quotes(line);
  return out;
}

// Where a reader of the lines is: the containers around the line, and the place in each.
class JsonPlace {
 public:
  explicit JsonPlace(bool several) : several_(several) {}

  // The next line, which is number `at` of its text.
  JsonLine read(std::string_view text, std::size_t at) {
    const JsonLine line = json_line(text);
    if (line.closes) return line;
    levels_.resize(line.depth + 1);
    Level& level = levels_.back();
    level.key = line.key;
    level.index = level.begun ? level.index + 1 : 0;
    level.begun = true;
    // What was below the one before is not below this one.
    if (line.opens) {
      levels_.emplace_back();
      levels_.back().opened_at = at;
    }
    return line;
  }

  // Of the line that was read last, unless it closes: "items[3].qty".
  std::string path(bool opens) const {
    std::string out;
    const std::size_t depth = levels_.size() - (opens ? 1 : 0);
    for (std::size_t i = 0; i < depth; ++i) {
      const Level& level = levels_[i];
      if (!level.key.empty()) {
        if (!out.empty()) out += '.';
        out += level.key;
      } else if (i > 0 || several_) {
        out += "[" + std::to_string(level.index) + "]";
      }
    }
    return out;
  }
  // The lines at which the containers around it were opened, the innermost first.
  std::vector<std::size_t> around() const {
    std::vector<std::size_t> out;
    for (std::size_t i = levels_.size(); i-- > 1 && out.size() < most_objects_around;)
      out.push_back(levels_[i].opened_at);
    return out;
  }

 private:
  struct Level {
    std::string_view key;
    std::size_t index = 0;
    std::size_t opened_at = 0;
    bool begun = false;
  };
  std::vector<Level> levels_;
  bool several_;
};

// How an object is called: " (API)", " (id 7)". `skip` is a member that does not count: the one
// that changed.
std::string name_of_object(const std::vector<std::string_view>& lines, std::size_t opened_at,
                           std::string_view skip) {
  constexpr std::array<std::string_view, 6> names = {"name", "title", "label", "key", "id", "url"};
  const std::size_t depth = json_line(lines[opened_at]).depth + 1;
  std::array<std::string_view, names.size()> found;
  const std::size_t end = std::min(lines.size(), opened_at + 1 + most_lines_of_an_object);
  for (std::size_t i = opened_at + 1; i < end; ++i) {
    const JsonLine line = json_line(lines[i]);
    if (line.depth < depth) break;
    if (line.depth != depth || line.opens || line.value.empty() || line.key == skip) continue;
    const auto* const at = std::find(names.begin(), names.end(), line.key);
    if (at != names.end()) found[static_cast<std::size_t>(at - names.begin())] = line.value;
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (found[i].empty() || found[i].size() > longest_name) continue;
    const std::string label = i < 3 ? "" : std::string(names[i]) + " ";
    return " (" + label + std::string(found[i]) + ")";
  }
  return {};
}

struct JsonSide {
  explicit JsonSide(bool several) : place(several) {}
  std::vector<std::string_view> lines;
  std::size_t at = 0;
  JsonPlace place;
};

// A line that only one of the texts has.
struct Loose {
  JsonLine line;
  std::string path, name;
  bool used = false;
};

std::string text_of_path(const Loose& loose) {
  if (loose.path.empty()) return {};
  return loose.path + loose.name + ": ";
}

// Of a long text, the words that differ and the one before them: all of it would be cut.
std::string told_values(std::string_view before, std::string_view now) {
  constexpr std::size_t long_text = 60;
  if (std::max(before.size(), now.size()) > long_text) {
    const auto apart = std::mismatch(before.begin(), before.end(), now.begin(), now.end());
    auto head = static_cast<std::size_t>(apart.first - before.begin());
    // From the word before the first that differs on.
    for (int words = 0; words < 2 && head > 0; ++words) {
      const std::size_t space = before.substr(0, head).find_last_of(' ');
      head = space == std::string_view::npos ? 0 : space;
    }
    if (head > 0) ++head;
    before.remove_prefix(head);
    now.remove_prefix(head);
    const auto behind = std::mismatch(before.rbegin(), before.rend(), now.rbegin(), now.rend());
    auto tail = static_cast<std::size_t>(behind.first - before.rbegin());
    const std::size_t space = before.find(' ', before.size() - tail);
    tail = space == std::string_view::npos ? 0 : before.size() - space;
    before.remove_suffix(tail);
    now.remove_suffix(tail);
  }
  return folded(before) + " → " + folded(now);
}

// One stretch of lines that differ, those removed and those added.
void tell_stretch(std::vector<Loose>& removed, std::vector<Loose>& added,
                  std::vector<std::string>& out) {
  for (Loose& now : added) {
    const auto before = std::find_if(removed.begin(), removed.end(), [&](const Loose& old) {
      return !old.used && old.line.depth == now.line.depth && old.line.key == now.line.key;
    });
    if (before != removed.end()) {
      before->used = true;
      // Only the comma differs: something follows it now.
      if (before->line.value == now.line.value) continue;
      out.push_back(text_of_path(now) + told_values(before->line.value, now.line.value));
    } else if (!now.line.opens) {
      out.push_back("+" + text_of_path(now) + folded(now.line.value));
    }
  }
  for (const Loose& old : removed) {
    if (!old.used && !old.line.opens)
      out.push_back("−" + text_of_path(old) + folded(old.line.value));
  }
  removed.clear();
  added.clear();
}

bool several_values(const std::vector<std::string_view>& lines) {
  std::size_t values = 0;
  for (const std::string_view line : lines) {
    const JsonLine read = json_line(line);
    if (read.depth == 0 && !read.closes && ++values > 1) return true;
  }
  return false;
}

void read_line(JsonSide& side, std::string_view text, std::vector<Loose>* loose) {
  const JsonLine line = side.place.read(text, side.at++);
  if (loose == nullptr || line.closes || loose->size() >= most_differences) return;
  Loose one{line, side.place.path(line.opens), {}};
  if (!line.opens) {
    for (const std::size_t opened_at : side.place.around()) {
      one.name = name_of_object(side.lines, opened_at, line.key);
      if (!one.name.empty()) break;
    }
  }
  loose->push_back(std::move(one));
}

}  // namespace

std::vector<std::string> told_json(std::string_view old_text, std::string_view new_text) {
  const std::vector<Line> all = lines(old_text, new_text);
  std::vector<std::string_view> old_lines, new_lines;
  for (const Line& line : all) {
    if (line.edit != Edit::add) old_lines.push_back(line.text);
    if (line.edit != Edit::remove) new_lines.push_back(line.text);
  }
  const bool several = several_values(old_lines) || several_values(new_lines);
  JsonSide before(several), now(several);
  before.lines = std::move(old_lines);
  now.lines = std::move(new_lines);
  std::vector<std::string> out;
  std::vector<Loose> removed, added;
  for (const Line& line : all) {
    if (out.size() >= most_differences) break;
    if (line.edit == Edit::keep) {
      tell_stretch(removed, added, out);
      read_line(before, line.text, nullptr);
      read_line(now, line.text, nullptr);
    } else if (line.edit == Edit::remove) {
      read_line(before, line.text, &removed);
    } else {
      read_line(now, line.text, &added);
    }
  }
  tell_stretch(removed, added, out);
  return out;
}

}  // namespace pollux::diff

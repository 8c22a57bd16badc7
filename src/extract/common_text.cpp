#include "pollux/extract/common_text.hpp"

#include "extract/ascii_text.hpp"
#include "extract/steady_lines.hpp"
#include "pollux/diff/diff.hpp"

#include <algorithm>
#include <map>

namespace pollux::extract {
namespace {

constexpr std::string_view mark_of_figure = "‹number›";
constexpr std::size_t fewest_common_words = 20;  // fewer are no page, but what somebody has chosen
constexpr std::size_t most_aside_in_a_row = 40;  // lines
constexpr std::size_t most_places_aside = 200;

using Words = std::vector<std::string_view>;

Words words_of(std::string_view line) {
  Words words;
  std::size_t at = 0;
  while ((at = line.find_first_not_of(" \t\r", at)) != std::string_view::npos) {
    const std::size_t end = std::min(line.find_first_of(" \t\r", at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}
bool has_digit(std::string_view word) {
  return std::ranges::any_of(word, is_digit);
}
bool is_aside(std::string_view word) {
  return word.find(mark_of_figure) != std::string_view::npos;
}

// The line without its figures: two that differ in nothing else are at the same place, and those of
// other lines are not mistaken for them. Of short lines that say little else nothing would be left.
std::string shape_of_line(std::string_view line) {
  const Words words = words_of(line);
  const auto is_figure = [](std::string_view word) { return has_digit(word) || is_aside(word); };
  const auto figures = static_cast<std::size_t>(std::ranges::count_if(words, is_figure));
  if (figures == 0 || 2 * figures > words.size()) return std::string(line);
  std::string shape;
  for (const std::string_view word : words) {
    shape += shape.empty() ? "" : " ";
    shape += is_figure(word) ? mark_of_figure : word;
  }
  return shape;
}

struct Shapes {
  explicit Shapes(const Lines& lines) {
    storage.reserve(lines.size());
    for (const std::string_view line : lines) storage.push_back(shape_of_line(line));
    views.assign(storage.begin(), storage.end());
  }
  Shapes(Shapes&&) = default;  // a copy would look into another one
  std::vector<std::string> storage;
  Lines views;
};

// Lines of one shape, with a mark for each figure that differs.
std::string with_figures_aside(const Lines& lines) {
  const Words first = words_of(lines.front());
  std::string out;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const bool differs = std::ranges::any_of(
        lines, [&](std::string_view line) { return words_of(line)[i] != first[i]; });
    out += i == 0 ? "" : " ";
    out += differs ? mark_of_figure : first[i];
  }
  return out;
}

std::vector<std::uint32_t> numbered(const Lines& lines,
                                    std::map<std::string_view, std::uint32_t>& ids) {
  std::vector<std::uint32_t> list;
  list.reserve(lines.size());
  for (const std::string_view line : lines)
    list.push_back(ids.try_emplace(line, static_cast<std::uint32_t>(ids.size())).first->second);
  return list;
}

// The line is this one but for its figures that are set aside.
bool fits_line(std::string_view marked, std::string_view line) {
  const Words pattern = words_of(marked), words = words_of(line);
  if (pattern.size() != words.size()) return false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool fits = pattern[i] == words[i] ||
                      (is_aside(pattern[i]) && (has_digit(words[i]) || is_aside(words[i])));
    if (!fits) return false;
  }
  return true;
}

// News stays; what goes on changing is none. Two looks that differ show the first half of that.
bool goes_on_differing(const std::vector<Lines>& shown, std::size_t polls) {
  std::size_t times = 0, in_looks = 0;
  for (std::size_t i = 1; i < shown.size(); ++i) {
    if (shown[i] == shown[i - 1]) continue;
    ++times;
    in_looks += i > polls ? 1 : 0;
  }
  const bool each_time = in_looks + polls + 1 == shown.size();
  return in_looks > 0 && (each_time || times > 1);
}

class Common {
 public:
  Common(std::span<const std::string_view> looks, std::span<const std::string_view> before) {
    for (const std::string_view text : looks) looks_.emplace_back(text);
    for (const Look& look : looks_) shapes_.push_back(look.shapes.views);
    steady_.emplace(shapes_);
    Lines rows;
    for (std::size_t row = 1; row + 1 < steady_->size(); ++row) rows.push_back(steady_->line(row));
    for (const std::string_view text : before) {
      earlier_.emplace_back(text);
      std::map<std::string_view, std::uint32_t> ids;
      const std::vector<std::uint32_t> row_ids = numbered(rows, ids),
                                       ids_then = numbered(earlier_.back().shapes.views, ids);
      std::vector<std::size_t>& places = places_.emplace_back(rows.size(), nowhere);
      for (const diff::Common& run : diff::align(row_ids, ids_then)) {
        for (std::size_t i = 0; i < run.length; ++i) places[run.old_at + i] = run.new_at + i;
      }
    }
  }

  CommonText find() {
    CommonText found;
    const auto is_long = [](const Look& look) {
      return diff::count_words(look.text) >= fewest_common_words;
    };
    if (!std::ranges::all_of(looks_, is_long)) return found;
    for (std::size_t row = 0; row + 1 < steady_->size(); ++row) {
      const bool known = (row == 0 || add_row(row)) && add_between(row);
      if (known) continue;
      found.open = open_;
      return found;
    }
    const std::size_t common = common_words();
    const bool enough = std::ranges::all_of(looks_, [&](const Look& look) {
      return common >= fewest_common_words && 2 * common >= diff::count_words(look.text);
    });
    if (enough) found.text = joined_lines({out_.begin(), out_.end()});
    return found;
  }

 private:
  static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);
  struct Look {
    explicit Look(std::string_view whole) : text(whole), lines(lines_of(whole)), shapes(lines) {}
    std::string_view text;
    Lines lines;
    Shapes shapes;
    Lines part(std::size_t begin, std::size_t end) const {
      return {lines.begin() + static_cast<std::ptrdiff_t>(begin),
              lines.begin() + static_cast<std::ptrdiff_t>(end)};
    }
  };

  static bool all_equal(const std::vector<Lines>& shown) {
    return std::ranges::adjacent_find(shown, std::ranges::not_equal_to()) == shown.end();
  }
  bool is_noise(const std::vector<Lines>& shown, std::vector<Lines> earlier) {
    const std::size_t polls = earlier.size();
    earlier.insert(earlier.end(), shown.begin(), shown.end());
    open_ = !goes_on_differing(earlier, polls);
    return !open_ && ++places_aside_ <= most_places_aside;
  }

  // Its figures may differ.
  bool add_row(std::size_t row) {
    std::vector<Lines> shown, earlier;
    Lines lines;
    for (std::size_t look = 0; look < looks_.size(); ++look) {
      lines.push_back(looks_[look].lines[steady_->place(row, look)]);
      shown.push_back({lines.back()});
    }
    if (all_equal(shown)) {
      out_.emplace_back(lines.front());
      return true;
    }
    for (std::size_t poll = 0; poll < earlier_.size(); ++poll) {
      const std::size_t place = places_[poll][row - 1];
      if (place != nowhere) earlier.push_back({earlier_[poll].lines[place]});
    }
    if (!is_noise(shown, std::move(earlier))) return false;
    out_.push_back(with_figures_aside(lines));
    return true;
  }

  // What stood between the same two rows in a text of before, if that is known.
  std::optional<Lines> earlier_between(std::size_t row, std::size_t poll) const {
    const std::vector<std::size_t>& places = places_[poll];
    const std::size_t from = row == 0 ? 0 : places[row - 1];
    const std::size_t to = row == places.size() ? earlier_[poll].lines.size() : places[row];
    if (from == nowhere || to == nowhere) return std::nullopt;
    const std::size_t begin = row == 0 ? 0 : from + 1;
    return begin <= to ? std::optional(earlier_[poll].part(begin, to)) : std::nullopt;
  }

  bool add_between(std::size_t row) {
    std::vector<Lines> shown, earlier;
    std::size_t most = 0;
    for (std::size_t look = 0; look < looks_.size(); ++look) {
      shown.push_back(
          looks_[look].part(steady_->place(row, look) + 1, steady_->place(row + 1, look)));
      most = std::max(most, shown.back().size());
    }
    if (all_equal(shown)) {
      for (const std::string_view line : shown.front()) out_.emplace_back(line);
      return true;
    }
    for (std::size_t poll = 0; poll < earlier_.size(); ++poll) {
      if (std::optional<Lines> lines = earlier_between(row, poll))
        earlier.push_back(std::move(*lines));
    }
    if (most > most_aside_in_a_row || !is_noise(shown, std::move(earlier))) return false;
    out_.insert(out_.end(), most, std::string(mark_of_lines));
    return true;
  }

  std::size_t common_words() const {
    std::size_t words = 0;
    for (const std::string& line : out_) {
      if (line == mark_of_lines) continue;
      for (const std::string_view word : words_of(line)) words += is_aside(word) ? 0 : 1;
    }
    return words;
  }

  std::vector<Look> looks_, earlier_;
  std::vector<Lines> shapes_;
  std::optional<SteadyLines> steady_;
  std::vector<std::vector<std::size_t>> places_;  // of the rows, in each of the earlier ones
  std::vector<std::string> out_;
  std::size_t places_aside_ = 0;
  bool open_ = false;
};

// A stretch that differs, of a text with marks and of another one. Lines beside the marks may be
// others than before, but as many: what is one more is news.
void set_stretch_aside(std::span<const std::string_view> marked,
                       std::span<const std::string_view> lines, Lines& out) {
  const auto first = std::ranges::find(marked, mark_of_lines);
  const auto last = std::ranges::find(marked.rbegin(), marked.rend(), mark_of_lines);
  if (first == marked.end()) {
    out.insert(out.end(), lines.begin(), lines.end());
    return;
  }
  const auto before = static_cast<std::size_t>(first - marked.begin());
  const auto behind = static_cast<std::size_t>(last - marked.rbegin());
  const std::size_t marks = marked.size() - before - behind;
  const bool fits = lines.size() >= before + behind && lines.size() <= before + behind + marks;
  if (!fits) {
    out.insert(out.end(), lines.begin(), lines.end());
    return;
  }
  const auto head = lines.first(before), tail = lines.last(behind);
  out.insert(out.end(), head.begin(), head.end());
  const auto between = marked.subspan(before, marks);
  out.insert(out.end(), between.begin(), between.end());
  out.insert(out.end(), tail.begin(), tail.end());
}

}  // namespace

CommonText common_text(std::span<const std::string_view> looks,
                       std::span<const std::string_view> before) {
  return Common(looks, before).find();
}

std::size_t count_aside(std::string_view text) {
  std::size_t count = 0;
  for (const std::string_view mark : {mark_of_lines, mark_of_figure}) {
    for (std::size_t at = text.find(mark); at != std::string_view::npos;
         at = text.find(mark, at + mark.size()))
      ++count;
  }
  return count;
}

std::string set_aside(std::string_view marked, std::string_view text) {
  const Lines pattern = lines_of(marked), lines = lines_of(text);
  const Shapes pattern_shapes(pattern), shapes(lines);
  std::map<std::string_view, std::uint32_t> ids;
  const std::vector<std::uint32_t> pattern_ids = numbered(pattern_shapes.views, ids),
                                   line_ids = numbered(shapes.views, ids);
  Lines out;
  std::size_t old_at = 0, new_at = 0;
  const auto stretch = [&](std::size_t old_end, std::size_t new_end) {
    set_stretch_aside(std::span(pattern).subspan(old_at, old_end - old_at),
                      std::span(lines).subspan(new_at, new_end - new_at), out);
    old_at = old_end;
    new_at = new_end;
  };
  for (const diff::Common& run : diff::align(pattern_ids, line_ids)) {
    stretch(run.old_at, run.new_at);
    for (std::size_t i = 0; i < run.length; ++i, ++old_at, ++new_at)
      out.push_back(fits_line(pattern[old_at], lines[new_at]) ? pattern[old_at] : lines[new_at]);
  }
  stretch(pattern.size(), lines.size());
  return joined_lines(out);
}

}  // namespace pollux::extract

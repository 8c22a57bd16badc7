#include "extract/mask_lines.hpp"

#include "extract/mask_match.hpp"
#include "extract/steady_lines.hpp"
#include "pollux/diff/diff.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace pollux::extract {
namespace {

constexpr std::size_t most_lines = 20, most_in_disorder = 100;  // between two that stay
constexpr std::size_t most_line_masks = 16, most_gaps = 64;
constexpr std::size_t part_of_words = 4;     // no more than a quarter of them is masked
constexpr std::size_t longest_anchor = 100;  // bytes of a line that are compared
constexpr std::size_t most_anchors = 3;      // lines each side

bool continues(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80;
}
// The end of the line before, and the beginning of the line behind; no half characters.
std::string_view tail_of(std::string_view line) {
  if (line.size() <= longest_anchor) return line;
  line.remove_prefix(line.size() - longest_anchor);
  while (!line.empty() && continues(line.front())) line.remove_prefix(1);
  return line;
}
std::string_view head_of(std::string_view line) {
  if (line.size() <= longest_anchor) return line;
  std::size_t end = longest_anchor;
  while (end > 0 && continues(line[end])) --end;
  return line.substr(0, end);
}

// Whether the lines around a mask stand right before the line at `at`, or from there on.
bool stands_before(const Mask& mask, const Lines& lines, std::size_t at) {
  const std::size_t count = mask.before.size();
  if (at < count) return false;
  for (std::size_t i = 0; i < count; ++i) {
    if (tail_of(lines[at - count + i]) != mask.before[i]) return false;
  }
  return true;
}
bool stands_behind(const Mask& mask, const Lines& lines, std::size_t at) {
  if (at + mask.after.size() > lines.size()) return false;
  for (std::size_t i = 0; i < mask.after.size(); ++i) {
    if (head_of(lines[at + i]) != mask.after[i]) return false;
  }
  return true;
}
// Where one side of it stands, if that is a single place.
template <typename Stands>
std::optional<std::size_t> only_place(const Mask& mask, const Lines& lines, Stands stands) {
  std::optional<std::size_t> place;
  for (std::size_t at = 0; at <= lines.size(); ++at) {
    if (!stands(mask, lines, at)) continue;
    if (place) return std::nullopt;
    place = at;
  }
  return place;
}

// Without an anchor it is the text's beginning or end; without any, or with one that is there
// twice, there is no such place.
std::optional<LineRange> stretch_of(const Mask& mask, const Lines& lines) {
  if (mask.before.empty() && mask.after.empty()) return std::nullopt;
  const std::optional<std::size_t> begin =
      mask.before.empty() ? std::size_t{0} : only_place(mask, lines, stands_before);
  const std::optional<std::size_t> end =
      mask.after.empty() ? lines.size() : only_place(mask, lines, stands_behind);
  const std::size_t most = mask.kind == TokenKind::order ? most_in_disorder : most_lines;
  if (!begin || !end || *end < *begin || *end - *begin > most) return std::nullopt;
  return LineRange{*begin, *end};
}

// What lies between steady lines, and masks of that.
class Between {
 public:
  Between(const std::vector<Lines>& looks, const SteadyLines& steady)
      : looks_(looks), steady_(steady) {}

  Lines between(std::size_t from, std::size_t to, std::size_t look) const {
    return steady_.between(from, to, look);
  }
  // Of looks moments apart, from `first` on. Two in a row that agree: it may have changed before or
  // after them. What goes to and fro has not changed.
  bool differs_from_look_to_look(std::size_t from, std::size_t to, std::size_t first) const {
    for (std::size_t look = first + 1; look < looks_.size(); ++look) {
      if (between(from, to, look) == between(from, to, look - 1)) return false;
    }
    return true;
  }
  bool goes_to_and_fro(std::size_t from, std::size_t to) const {
    for (std::size_t look = 2; look < looks_.size(); ++look) {
      const Lines now = between(from, to, look);
      if (between(from, to, look - 1) == now) continue;
      for (std::size_t earlier = 0; earlier + 1 < look; ++earlier) {
        if (between(from, to, earlier) == now) return true;
      }
    }
    return false;
  }
  bool differs(std::size_t from, std::size_t to) const {
    for (std::size_t look = 1; look < looks_.size(); ++look) {
      if (between(from, to, look) != between(from, to, 0)) return true;
    }
    return false;
  }
  // The same lines in another order.
  bool disordered(std::size_t from, std::size_t to) const {
    const auto count = [&](std::size_t look) { return steady_.count_between(from, to, look); };
    for (std::size_t look = 0; look < looks_.size(); ++look) {
      if (count(look) != count(0) || count(look) >= most_in_disorder) return false;
    }
    const auto sorted = [&](std::size_t look) {
      Lines lines = between(from, to, look);
      std::sort(lines.begin(), lines.end());
      return lines;
    };
    for (std::size_t look = 1; look < looks_.size(); ++look) {
      if (sorted(look) != sorted(0)) return false;
    }
    return true;
  }
  // With as many lines each side as make it a single place: a title is often there twice.
  Mask mask(std::size_t from, std::size_t to, TokenKind kind) const {
    Mask made{.kind = kind, .before = {}, .after = {}};
    for (std::size_t row = from; row > 0 && made.before.size() < most_anchors; --row) {
      if (row != from && !steady_.adjacent(row)) break;
      made.before.emplace(made.before.begin(), tail_of(steady_.line(row)));
      if (only_place_in_all(made, stands_before)) break;
    }
    for (std::size_t row = to; row + 1 < steady_.size() && made.after.size() < most_anchors;
         ++row) {
      if (row != to && !steady_.adjacent(row - 1)) break;
      made.after.emplace_back(head_of(steady_.line(row)));
      if (only_place_in_all(made, stands_behind)) break;
    }
    return made;
  }

 private:
  template <typename Stands>
  bool only_place_in_all(const Mask& made, Stands stands) const {
    return std::ranges::all_of(
        looks_, [&](const Lines& lines) { return only_place(made, lines, stands).has_value(); });
  }

  const std::vector<Lines>& looks_;
  const SteadyLines& steady_;
};

bool has_number_that_matters(const Lines& lines) {
  const std::string text = joined_lines(lines);
  const std::vector<MaskToken> tokens = mask_tokens(text);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind == TokenKind::number && number_matters(tokens, i)) return true;
  }
  return false;
}

struct Gap {
  std::size_t from = 0, to = 0;
};
// Where looks differ, from steady line to steady line. Lines that have only changed places make
// one gap of all that lies between them: which of them seem to stay is chance.
std::vector<Gap> gaps_of(const Between& steady, std::size_t rows) {
  std::vector<Gap> gaps;
  for (std::size_t i = 0; i + 1 < rows; ++i) {
    if (steady.differs(i, i + 1)) gaps.push_back({i, i + 1});
  }
  if (gaps.size() > most_gaps) return gaps;
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    if (steady.disordered(gaps[i].from, gaps[i].to)) continue;
    for (std::size_t k = gaps.size() - 1; k > i; --k) {
      if (!steady.disordered(gaps[i].from, gaps[k].to)) continue;
      gaps[i].to = gaps[k].to;
      gaps.erase(gaps.begin() + static_cast<std::ptrdiff_t>(i + 1),
                 gaps.begin() + static_cast<std::ptrdiff_t>(k + 1));
      break;
    }
  }
  return gaps;
}

// A line that can stand beside a mask: it is there at every look.
bool may_stand_beside(std::string_view line) {
  return says_something(line) && line != mark_of_lines;
}

// With the lines up to there, or from there on, as its neighbours. True: they are enough to make it
// a single place.
bool anchor_before(Mask& mask, const Lines& lines, std::size_t at) {
  mask.before.clear();
  for (; at > 0 && mask.before.size() < most_anchors && may_stand_beside(lines[at - 1]); --at) {
    mask.before.emplace(mask.before.begin(), tail_of(lines[at - 1]));
    if (only_place(mask, lines, stands_before)) return true;
  }
  return false;
}
bool anchor_behind(Mask& mask, const Lines& lines, std::size_t at) {
  mask.after.clear();
  for (; at < lines.size() && mask.after.size() < most_anchors && may_stand_beside(lines[at]);
       ++at) {
    mask.after.emplace_back(head_of(lines[at]));
    if (only_place(mask, lines, stands_behind)) return true;
  }
  return false;
}

Alternative alternative_of(TokenKind kind, Lines lines) {
  if (kind == TokenKind::order) std::sort(lines.begin(), lines.end());
  Shown shown;
  note_shown(joined_lines(lines), shown);
  return {shown.mark, static_cast<std::uint32_t>(lines.size())};
}

// How many of the lines from `begin` on, or of those up to `end`, are known to stand there. None at
// all may be known as well, and says less than any line.
std::optional<std::size_t> known_lines(const Mask& mask, std::span<const Alternative> known,
                                       const Lines& lines, std::optional<std::size_t> begin,
                                       std::optional<std::size_t> end) {
  std::optional<std::size_t> longest;
  for (const Alternative& alternative : known) {
    const std::size_t count = alternative.lines;
    if (count > (end ? *end : lines.size() - *begin) || (longest && *longest >= count)) continue;
    const auto first = lines.begin() + static_cast<std::ptrdiff_t>(end ? *end - count : *begin);
    const Lines there(first, first + static_cast<std::ptrdiff_t>(count));
    if (alternative_of(mask.kind, there) == alternative) longest = count;
  }
  return longest;
}

}  // namespace

std::optional<Mask> moved(const Mask& mask, std::span<const Alternative> known,
                          std::string_view text) {
  const Lines lines = lines_of(text);
  Mask there = mask;
  if (!mask.before.empty()) {
    const std::optional<std::size_t> begin = only_place(mask, lines, stands_before);
    const auto count = begin ? known_lines(mask, known, lines, begin, {}) : std::nullopt;
    if (count && anchor_behind(there, lines, *begin + *count)) return there;
  }
  if (mask.after.empty()) return std::nullopt;
  there = mask;
  const std::optional<std::size_t> end = only_place(mask, lines, stands_behind);
  const auto count = end ? known_lines(mask, known, lines, {}, end) : std::nullopt;
  if (count && anchor_before(there, lines, *end - *count)) return there;
  return std::nullopt;
}

std::optional<LineRange> lines_masked(const Mask& mask, std::string_view text) {
  return stretch_of(mask, lines_of(text));
}

Mask mask_between(std::span<const std::string_view> lines, std::size_t at) {
  const Lines all(lines.begin(), lines.end());
  Mask mask{.kind = TokenKind::lines, .before = {}, .after = {}};
  anchor_before(mask, all, at);
  anchor_behind(mask, all, at + 1);
  return mask;
}

void apply_to_lines(std::span<const Mask> masks, Masked& masked) {
  for (std::size_t m = 0; m < masks.size(); ++m) {
    if (!is_of_lines(masks[m].kind)) continue;
    Lines lines = lines_of(masked.text);
    const std::optional<LineRange> found = stretch_of(masks[m], lines);
    if (!found) continue;
    masked.matched[m] = true;
    const auto begin = lines.begin() + static_cast<std::ptrdiff_t>(found->begin);
    const auto end = lines.begin() + static_cast<std::ptrdiff_t>(found->end);
    note_shown(joined_lines({begin, end}), masked.shown[m]);
    masked.shown[m].lines = alternative_of(masks[m].kind, {begin, end});
    if (masks[m].kind == TokenKind::order) {
      std::sort(begin, end);
    } else {
      lines.insert(lines.erase(begin, end), mark_of_lines);
    }
    masked.text = joined_lines(lines);
  }
}

Noise find_line_masks(std::span<const std::string_view> looks, std::vector<Mask> masks,
                      std::span<const std::string_view> before) {
  Noise noise;
  std::vector<std::string> texts;
  for (const std::string_view look : before) texts.push_back(extract::apply(masks, look).text);
  for (const std::string_view look : looks) texts.push_back(extract::apply(masks, look).text);
  std::vector<Lines> lines;
  lines.reserve(texts.size());
  for (const std::string& text : texts) lines.push_back(lines_of(text));
  const SteadyLines rows(lines);
  const Between steady(lines, rows);
  const std::vector<Gap> gaps = gaps_of(steady, rows.size());
  if (gaps.empty() || gaps.size() > most_line_masks) return noise;
  for (std::size_t look = 0; look < texts.size(); ++look) {
    std::size_t words = 0;
    for (const Gap& gap : gaps) {
      const Lines between = steady.between(gap.from, gap.to, look);
      if (steady.disordered(gap.from, gap.to)) continue;
      // A price that differs by the moment is still a price.
      if (between.size() > most_lines || has_number_that_matters(between)) return noise;
      words += diff::split(joined_lines(between)).size();
    }
    if (words * part_of_words > diff::split(texts[look]).size()) return noise;
  }
  for (const Gap& gap : gaps) {
    if (!steady.differs_from_look_to_look(gap.from, gap.to, before.size()) &&
        !steady.goes_to_and_fro(gap.from, gap.to))
      return noise;
    const bool order = steady.disordered(gap.from, gap.to);
    masks.push_back(steady.mask(gap.from, gap.to, order ? TokenKind::order : TokenKind::lines));
  }
  const std::string like = extract::apply(masks, looks.front()).text;
  const auto is_alike = [&](std::string_view look) {
    return extract::apply(masks, look).text == like;
  };
  noise.explained = std::ranges::all_of(looks, is_alike) && std::ranges::all_of(before, is_alike);
  noise.masks = std::move(masks);
  return noise;
}

Noise find_twin_masks(std::span<const std::string_view> looks, bool numbers_count,
                      std::span<const Earlier> before, WallTime now) {
  std::vector<std::string_view> texts;
  std::vector<WallTime> seen;
  for (const Earlier& poll : before) {
    texts.push_back(poll.text);
    seen.push_back(poll.seen);
  }
  texts.insert(texts.end(), looks.begin(), looks.end());
  seen.insert(seen.end(), looks.size(), now);
  Noise noise;
  for (std::size_t first = 0; first <= before.size(); ++first) {
    const std::span<const WallTime> times = std::span(seen).subspan(first);
    const bool known = std::ranges::find(times, WallTime{}) == times.end();
    noise =
        find_masks_after_polls(std::span(texts).subspan(first), before.size() - first, Looks::twins,
                               numbers_count, known ? times : std::span<const WallTime>());
    if (noise.explained) return noise;
  }
  if (numbers_count) return noise;
  for (std::size_t first = 0; first <= before.size(); ++first) {
    const auto polls = std::span(texts).subspan(first, before.size() - first);
    Noise with_lines = find_line_masks(looks, noise.masks, polls);
    if (with_lines.explained) return with_lines;
  }
  return noise;
}

}  // namespace pollux::extract

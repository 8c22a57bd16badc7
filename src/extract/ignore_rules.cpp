#include "pollux/extract/ignore_rules.hpp"

#include "extract/mask_lines.hpp"
#include "extract/mask_match.hpp"
#include "extract/mask_pattern.hpp"
#include "extract/patterns.hpp"
#include "pollux/extract/limits.hpp"

#include <algorithm>
#include <optional>

#include <re2/re2.h>

namespace pollux::extract {
namespace {

constexpr std::size_t longest_look = std::size_t{1} << 20U;
constexpr std::size_t most_scanned = std::size_t{256} << 20U;  // bytes, by all patterns tried
constexpr std::size_t most_words = 5;                          // each side of a place
constexpr std::size_t longest_side = 80;                       // bytes
constexpr std::size_t longest_gap = 24, words_in_gap = 3;      // between places of one rule
constexpr std::size_t enough_letters = 7;                      // that a rule is known by

struct Span {
  std::size_t begin = 0, end = 0;
  bool covers(const Span& other) const { return begin <= other.begin && other.end <= end; }
  bool meets(const Span& other) const { return begin < other.end && other.begin < end; }
};
// A token that a mask hides.
struct Spot {
  Span span;
  std::size_t mask = 0;
};
using Spots = std::vector<Spot>;

Spots spots_of(std::span<const Mask> masks, std::string_view text) {
  Spots spots;
  const std::vector<MaskToken> tokens = mask_tokens(text);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!may_be_masked(tokens[i])) continue;
    for (std::size_t m = 0; m < masks.size(); ++m) {
      if (!has_context(masks[m]) || !matches(masks[m], tokens, i)) continue;
      const auto begin = static_cast<std::size_t>(tokens[i].text.data() - text.data());
      spots.push_back({{begin, begin + tokens[i].text.size()}, m});
      break;
    }
  }
  return spots;
}

std::vector<std::size_t> line_starts(std::string_view text) {
  std::vector<std::size_t> starts{0};
  for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
    starts.push_back(at + 1);
  return starts;
}

// A text and where its masks fit.
struct Look {
  std::string_view text;
  Spots spots;
  std::vector<std::optional<Span>> lines;  // for each mask, if it is of lines

  Look(std::span<const Mask> masks, std::string_view whole)
      : text(whole), spots(spots_of(masks, whole)), lines(masks.size()) {
    std::vector<Mask> of_tokens;
    for (const Mask& mask : masks) {
      if (!is_of_lines(mask.kind)) of_tokens.push_back(mask);
    }
    if (of_tokens.size() == masks.size()) return;
    const std::string masked = extract::apply(of_tokens, text).text;
    const std::vector<std::size_t> starts = line_starts(text);
    if (line_starts(masked).size() != starts.size()) return;  // a place that goes over lines
    for (std::size_t m = 0; m < masks.size(); ++m) {
      if (!is_of_lines(masks[m].kind)) continue;
      const std::optional<LineRange> range = lines_masked(masks[m], masked);
      if (!range) continue;
      const auto start = [&](std::size_t line) {
        return line < starts.size() ? starts[line] : text.size();
      };
      lines[m] = Span{start(range->begin), start(range->end)};
    }
  }
  std::string_view at(const Span& span) const {
    return text.substr(span.begin, span.end - span.begin);
  }
};

// Places that are too near to each other for a rule each, or lines from one to another.
struct Group {
  Span span;
  std::vector<Spot> spots;
  std::optional<std::size_t> line_mask = {};
};

struct Side {
  std::size_t at = 0;  // where it ends, seen from the place
  std::size_t words = 0;
};

struct Candidate {
  Span span;
  std::size_t cost = 0;
  bool vague = false;  // it has too few letters to be known by
};

class RuleMaker {
 public:
  RuleMaker(std::span<const Mask> masks, std::span<const std::string_view> texts) : masks_(masks) {
    for (const std::string_view text : texts) looks_.emplace_back(masks, text);
    made_.of_mask.assign(masks.size(), IgnoreRules::none);
  }

  IgnoreRules make() {
    std::vector<Group> groups = groups_of_lines();
    for (const Group& group : groups) cores_.push_back(group.span);
    const std::vector<Group> of_tokens = groups_of_tokens();
    for (const Group& group : of_tokens) cores_.push_back(group.span);
    groups.insert(groups.end(), of_tokens.begin(), of_tokens.end());
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (is_done(groups[i]) || write(groups[i])) continue;
      // What cannot stand alone may do so with the next.
      if (i + 1 < groups.size() && joins(groups[i], groups[i + 1])) {
        groups[i + 1].span.begin = groups[i].span.begin;
        groups[i + 1].spots.insert(groups[i + 1].spots.begin(), groups[i].spots.begin(),
                                   groups[i].spots.end());
        cores_.push_back(groups[i + 1].span);
      }
    }
    made_.equal = all_equal();
    return std::move(made_);
  }

 private:
  const Look& first() const { return looks_.front(); }

  std::vector<Group> groups_of_lines() const {
    std::vector<Group> groups;
    for (std::size_t m = 0; m < masks_.size(); ++m) {
      if (const std::optional<Span>& span = first().lines[m])
        groups.push_back({.span = *span, .spots = {}, .line_mask = m});
    }
    return groups;
  }
  std::vector<Group> groups_of_tokens() const {
    std::vector<Group> groups;
    for (const Spot& spot : first().spots) {
      const bool hidden =
          std::ranges::any_of(cores_, [&](const Span& core) { return core.covers(spot.span); });
      if (hidden) continue;
      if (!groups.empty() && are_near(groups.back().span.end, spot.span.begin)) {
        groups.back().span.end = spot.span.end;
        groups.back().spots.push_back(spot);
      } else {
        groups.push_back({.span = spot.span, .spots = {spot}});
      }
    }
    return groups;
  }
  // A few words and no number: those may change.
  bool are_near(std::size_t from, std::size_t to) const {
    const std::string_view between = first().at({from, to});
    std::size_t words = 0;
    for (std::size_t i = 0; i < between.size(); ++i) {
      if (is_digit(between[i]) || between[i] == '\n') return false;
      words += is_wordlike(between[i]) && (i == 0 || !is_wordlike(between[i - 1])) ? 1 : 0;
    }
    return between.size() <= longest_gap && words <= words_in_gap &&
           between.find(mark_opens) == std::string_view::npos;
  }
  bool joins(const Group& a, const Group& b) const {
    return !a.line_mask && !b.line_mask && b.span.begin - a.span.end <= longest_side &&
           first().at({a.span.end, b.span.begin}).find(mark_opens) == std::string_view::npos;
  }
  bool is_done(const Group& group) const {
    return std::ranges::all_of(group.spots,
                               [&](const Spot& spot) {
                                 return std::ranges::any_of(taken_, [&](const Span& span) {
                                   return span.covers(spot.span);
                                 });
                               }) &&
           !group.line_mask;
  }

  // Whether a rule may drop this, besides its own place.
  bool is_free(const Span& side) const {
    const auto meets = [&](const Span& other) { return side.meets(other); };
    return std::ranges::none_of(taken_, meets) && std::ranges::none_of(cores_, meets) &&
           first().at(side).find(mark_opens) == std::string_view::npos;
  }
  std::vector<Side> sides_before(std::size_t at) const {
    const std::string_view text = first().text;
    std::vector<Side> sides{{at, 0}};
    for (std::size_t p = at; p > 0 && at - p < longest_side && sides.size() <= most_words;) {
      --p;
      if (!is_wordlike(text[p]) || (p > 0 && is_wordlike(text[p - 1]))) continue;
      if (!is_free({p, at})) break;
      sides.push_back({p, sides.size()});
    }
    return sides;
  }
  std::vector<Side> sides_after(std::size_t at) const {
    const std::string_view text = first().text;
    std::vector<Side> sides{{at, 0}};
    for (std::size_t p = at; p < text.size() && p - at < longest_side && sides.size() <= most_words;
         ++p) {
      if (!is_wordlike(text[p]) || (p + 1 < text.size() && is_wordlike(text[p + 1]))) continue;
      if (!is_free({at, p + 1})) break;
      sides.push_back({p + 1, sides.size()});
    }
    return sides;
  }
  // A few words of the same line are read best; numbers may change by themselves.
  std::vector<Candidate> candidates(const Group& group) const {
    std::vector<Candidate> all;
    std::size_t between = 0;  // letters
    for (std::size_t i = 1; i < group.spots.size(); ++i) {
      for (const char c : first().at({group.spots[i - 1].span.end, group.spots[i].span.begin}))
        between += is_wordlike(c) && !is_digit(c) ? 1 : 0;
    }
    for (const Side& before : sides_before(group.span.begin)) {
      for (const Side& after : sides_after(group.span.end)) {
        const std::string_view left = first().at({before.at, group.span.begin});
        const std::string_view right = first().at({group.span.end, after.at});
        std::size_t digits = 0, breaks = 0;
        const auto letters_in = [&](std::string_view side) {
          std::size_t letters = 0;
          for (const char c : side) {
            letters += is_wordlike(c) && !is_digit(c) ? 1 : 0;
            digits += is_digit(c) ? 1 : 0;
            breaks += c == '\n' ? 1 : 0;
          }
          return letters;
        };
        const std::size_t in_left = letters_in(left), in_right = letters_in(right);
        // From line to line both sides are known, but for the ends of the text.
        const bool at_start = group.line_mask && group.span.begin == 0;
        const bool at_end = group.line_mask && group.span.end == first().text.size();
        if (group.line_mask && ((before.words == 0 && !at_start) || (after.words == 0 && !at_end)))
          continue;
        if (in_left + between + in_right == 0) continue;
        const auto lacking = [](std::size_t letters) {
          return enough_letters - std::min(letters, enough_letters);
        };
        const std::size_t lacks = group.line_mask ? std::max(at_start ? 0 : lacking(in_left),
                                                             at_end ? 0 : lacking(in_right))
                                                  : lacking(in_left + between + in_right);
        all.push_back({{before.at, after.at},
                       2 * before.words + 3 * after.words + (lacks > 0 ? 10 + 3 * lacks : 0) +
                           (is_long(group, after.at) ? 8 : 0) + (digits > 0 ? 40 : 0) +
                           (group.line_mask ? 0 : 40 * breaks),
                       lacks > 0});
      }
    }
    std::ranges::stable_sort(all, {}, &Candidate::cost);
    return all;
  }

  // `seen`: also as it is where the mask was applied.
  std::string pattern_for(const Group& group, const Candidate& candidate, bool seen) const {
    std::string pattern;
    if (group.line_mask && candidate.span.begin == 0 && group.span.begin == 0) pattern = R"(\A)";
    const std::string_view before = first().at({candidate.span.begin, group.span.begin}),
                           behind = first().at({group.span.end, candidate.span.end});
    // So that "in 28 ms" is not found in "begin 28 msgs".
    const auto ends_word = [&](std::string_view end) {
      return candidate.vague && !end.empty() && (is_alphanumeric(end[0]) || end[0] == '_');
    };
    if (ends_word(before.substr(0, 1))) pattern += R"(\b)";
    pattern += as_pattern(before);
    if (group.line_mask) {
      const bool at_end = group.span.end == first().text.size();
      pattern += at_end ? R"((?s:.*))" : R"((?:.*\n)*?)";
    }
    std::size_t at = group.span.begin;
    for (const Spot& spot : group.spots) {
      pattern += as_pattern(first().at({at, spot.span.begin}));
      const bool last = &spot == &group.spots.back();
      const std::size_t next = last ? candidate.span.end : (&spot + 1)->span.begin;
      const std::string what = class_at(spot, first().at({spot.span.end, next}));
      const std::string mark = std::string(mark_opens) +
                               std::string(name_of(masks_[spot.mask].kind)) +
                               std::string(mark_closes);
      pattern += seen ? "(?:" + what + "|" + mark + ")" : what;
      at = spot.span.end;
    }
    pattern += as_pattern(behind);
    if (ends_word(behind.substr(behind.size() - std::min<std::size_t>(behind.size(), 1))))
      pattern += R"(\b)";
    return pattern;
  }
  // `behind`: what the pattern has after it.
  std::string class_at(const Spot& place, std::string_view behind) const {
    const std::size_t mask = place.mask;
    std::vector<std::string_view> seen;
    for (const Look& look : looks_) {
      for (const Spot& spot : look.spots) {
        const std::string_view text = look.at(spot.span);
        if (spot.mask == mask && !text.starts_with(mark_opens)) seen.push_back(text);
      }
    }
    // Of times that nobody has seen as they were, no shape is known but that they end there.
    if (seen.empty() && is_of_time(masks_[mask].kind)) {
      if (is_at_line_end(place.span.end)) return ".+";
      if (const char quote = quote_at(place.span.end)) return std::string("[^") + quote + R"(\n]+)";
      if (!behind.empty() && behind.find('\n') == std::string_view::npos) return ".+?";
    }
    return shape_of(masks_[mask].kind, seen);
  }

  // What closes it, as data do; 0: nothing. No letter and no digit can be taken for it.
  char quote_at(std::size_t at) const {
    const std::string_view text = first().text;
    const bool closes = at < text.size() && (text[at] == '"' || text[at] == '<' || text[at] == '|');
    return closes ? text[at] : '\0';
  }
  bool is_at_line_end(std::size_t at) const {
    return at == first().text.size() || first().text[at] == '\n';
  }
  // A pattern that spells out all times is hard to read.
  bool is_long(const Group& group, std::size_t end) const {
    return !group.spots.empty() && end == group.span.end && !is_at_line_end(end) &&
           quote_at(end) == '\0' && is_of_time(masks_[group.spots.back().mask].kind) &&
           first().at(group.spots.back().span).starts_with(mark_opens);
  }

  // Where it matches in a look, if that is at what is masked alone.
  std::optional<std::vector<Span>> matches_of(const re2::RE2& pattern, const Group& group,
                                              const Look& look) {
    std::vector<Span> found;
    const re2::StringPiece all(look.text.data(), look.text.size());
    for (std::size_t at = 0; at < look.text.size();) {
      re2::StringPiece match;
      if (!pattern.Match(all, at, look.text.size(), re2::RE2::UNANCHORED, &match, 1)) break;
      const auto begin = static_cast<std::size_t>(match.data() - look.text.data());
      found.push_back({begin, begin + match.size()});
      if (match.empty() || found.size() > most_matches) return std::nullopt;
      at = found.back().end;
    }
    scanned_ += look.text.size();
    if (group.line_mask) {
      const std::optional<Span>& lines = look.lines[*group.line_mask];
      const bool right = lines && found.size() == 1 && found[0].covers(*lines) &&
                         lines->begin - found[0].begin <= longest_side &&
                         found[0].end - lines->end <= longest_side;
      return right ? std::optional(found) : std::nullopt;
    }
    bool covered = false;
    for (const Span& span : found) {
      std::size_t inside = 0;
      for (const Spot& spot : look.spots) {
        if (!span.meets(spot.span)) continue;
        if (!span.covers(spot.span)) return std::nullopt;
        ++inside;
        covered = covered || spot.mask == group.spots.front().mask;
      }
      if (inside != group.spots.size()) return std::nullopt;
    }
    return covered ? std::optional(found) : std::nullopt;
  }

  bool write(const Group& group) {
    for (const Candidate& candidate : candidates(group)) {
      if (scanned_ > most_scanned) return false;
      const re2::RE2 tried("(?m)" + pattern_for(group, candidate, true), re2::RE2::Quiet);
      if (!tried.ok()) continue;
      std::vector<Span> spans;
      const bool fits_all = std::ranges::all_of(looks_, [&](const Look& look) {
        std::optional<std::vector<Span>> found = matches_of(tried, group, look);
        if (found && &look == &looks_.front()) spans = std::move(*found);
        return found.has_value();
      });
      if (!fits_all) continue;
      take(group, spans);
      made_.patterns.push_back(pattern_for(group, candidate, false));
      return true;
    }
    return false;
  }
  void take(const Group& group, const std::vector<Span>& spans) {
    const std::size_t rule = made_.patterns.size();
    if (group.line_mask) made_.of_mask[*group.line_mask] = rule;
    for (const Span& span : spans) {
      taken_.push_back(span);
      for (const Spot& spot : first().spots) {
        if (span.covers(spot.span) && made_.of_mask[spot.mask] == IgnoreRules::none)
          made_.of_mask[spot.mask] = rule;
      }
    }
  }

  bool all_equal() const {
    std::vector<Pattern> patterns;
    for (const std::string& text : made_.patterns) {
      Result<Pattern> compiled = Pattern::compile(text);
      if (!compiled) return false;
      patterns.push_back(std::move(*compiled));
    }
    std::optional<std::string> like;
    for (const Look& look : looks_) {
      std::string text(look.text);
      for (const Pattern& pattern : patterns) {
        if (pattern.drop_from(text, {})) return false;
      }
      if (like && *like != text) return false;
      like = std::move(text);
    }
    return true;
  }

  static constexpr std::size_t most_matches = 1000;

  const std::span<const Mask> masks_;
  std::vector<Look> looks_;
  std::vector<Span> cores_;  // what rules are made for, in the first look
  std::vector<Span> taken_;  // what those drop that are made
  std::size_t scanned_ = 0;
  IgnoreRules made_;
};

}  // namespace

IgnoreRules ignore_rules(std::span<const Mask> masks, std::span<const std::string_view> looks) {
  const auto too_long = [](std::string_view look) { return look.size() > longest_look; };
  if (masks.empty() || looks.empty() || std::ranges::any_of(looks, too_long))
    return {.patterns = {}, .of_mask = std::vector(masks.size(), IgnoreRules::none)};
  return RuleMaker(masks, looks).make();
}

}  // namespace pollux::extract

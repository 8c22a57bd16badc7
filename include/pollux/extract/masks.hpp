// Places of a text that differ at every look: tokens, counters, clocks. A mask is a kind of token
// and what stands around it; or it is of lines, and the lines before and behind them. Pure.
#pragma once

#include "pollux/base/time.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pollux::extract {

enum class TokenKind : std::uint8_t {
  uuid,
  datetime,
  time,
  date,
  age,
  hex,
  base64,
  number,
  lines,  // no token: whatever lines stand there
  order,  // nor this: the same lines in any order
  count   // a number of views, likes, comments, which may stand still for long
};
// What stands between two lines, whatever it is.
constexpr bool is_of_lines(TokenKind kind) {
  return kind == TokenKind::lines || kind == TokenKind::order;
}
std::string_view name_of(TokenKind kind);
std::optional<TokenKind> token_kind_of(std::string_view name);

struct Mask {
  TokenKind kind = TokenKind::number;
  std::vector<std::string> before,
      after;  // up to three neighbours each side, nearest last and first, and before it as many
              // signs as there are up to a word, six in all; numbers as "#". Of lines: the ends of
              // lines before and the beginnings of those behind; none: there the text begins or
              // ends
  bool operator==(const Mask&) const = default;
};

std::string to_text(const Mask& mask);  // one line, for a table; from_text undoes it
std::optional<Mask> mask_from_text(std::string_view text);
// RE2 for `ignore:`, where there is no text at hand to make a simpler one of: ignore_rules().
std::string ignore_pattern(const Mask& mask);

enum class Looks {
  twins,     // moments apart: whatever differs between them is noise
  versions,  // successive ones: only dates, times and ages that run with the clock
  polls,     // in a row, that were not believed: only random tokens
  counts     // successive versions: clocks, and counters that say so, of views, likes, comments
};
struct Noise {
  std::vector<Mask> masks;
  bool explained = false;  // with these masks applied all looks are equal
};
// At least two looks, oldest first. What differs in one pair of them and not in another may have
// changed; only random tokens never do. Nothing is masked that has no words or
// signs around it, or the same around it as another place. `numbers_count`: the page has a `number`
// rule, so no number is ever masked. `seen`: when each look was; without, only ages are found in
// versions.
Noise find_masks(std::span<const std::string_view> looks, Looks kind, bool numbers_count,
                 std::span<const WallTime> seen = {});

// The same for Looks::counts.
bool may_differ_in_numbers_only(std::string_view a, std::string_view b);

// What a poll before has shown, and when.
struct Earlier {
  std::string_view text;
  WallTime seen{};  // not set: not known
};

// False: find_masks() of versions of which these are two, one after the other, will explain
// nothing. Quick: all of a page that has news need not be taken apart for its clocks.
bool may_differ_in_times_only(std::string_view a, std::string_view b);

// Where words differ between looks moments apart, and the lines around them stay: one advertisement
// of many, a list in another order each time. `masks`: what find_masks() made of the same looks;
// they come back with those that were added. `before`: what polls before them have shown, the
// oldest first: what comes back to that has gone to and fro, and not changed. Not explained: too
// much differs, or a price does, two looks in a row agree in what another has otherwise and never
// had before, or a line around it is there twice.
Noise find_line_masks(std::span<const std::string_view> looks, std::vector<Mask> masks,
                      std::span<const std::string_view> before = {});
// Of looks moments apart: masks of tokens, or where those do not explain it, of lines as well.
// `before`: the oldest first. A clock often says the same to looks moments apart: what polls before
// them have shown tells that it runs (`now`: when the looks were), and that a number seldom stays.
// Where the oldest of them differ in more, the others are asked.
Noise find_twin_masks(std::span<const std::string_view> looks, bool numbers_count,
                      std::span<const Earlier> before = {}, WallTime now = {});

// Lines that have stood in the place of a mask; in any order, if it is of their order.
struct Alternative {
  std::uint32_t mark = 0;
  std::uint32_t lines = 0;
  bool operator==(const Alternative&) const = default;
};
// A mask of lines of which one side has changed: at the other side stands what is known to stand in
// its place. The mask with its new neighbours, on a text on which the others were applied.
std::optional<Mask> moved(const Mask& mask, std::span<const Alternative> known,
                          std::string_view text);

// What stands where a mask fits.
struct Shown {
  std::uint32_t mark = 0;  // tells it from something else; 0: the mask fits nowhere
  // What runs with the clock may say the same so long: "3 hours ago" an hour, a date a day.
  std::chrono::seconds stays{0};
  Alternative lines = {};  // of a mask of lines
};
struct Masked {
  std::string text;           // masked places are replaced by a mark of their kind, ‹kind›
  std::vector<bool> matched;  // for each mask
  std::vector<Shown> shown;   // likewise
};
Masked apply(std::span<const Mask> masks, std::string_view text);

// For people: "…" where a place is masked. A mark that was cut off at the end is one, too.
std::string readable(std::string_view text);
// Two texts to be shown side by side: what is masked in one of them is not compared in the other,
// and is "…" in both.
struct ReadablePair {
  std::string old_text, new_text;
};
ReadablePair readable_pair(std::string_view old_text, std::string_view new_text);

}  // namespace pollux::extract

// Whether a text has grown: see is_growth().
#include "pollux/diff/diff.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pollux::diff {
namespace {

using LineList = std::vector<std::string_view>;
using LineSpan = std::span<const std::string_view>;

constexpr std::size_t longest_grown = 1u << 20;
constexpr std::size_t fewest_new_words = 3;
constexpr std::size_t fewest_that_move = 2;  // lines: one that stays may be chance

// Beside what is new a counter or a date may have gone on: any number is like any other.
std::string without_numbers(std::string_view text) {
  std::string out(text);
  std::size_t size = 0;
  bool in_number = false;
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9';
    out[size] = digit ? '0' : c;
    if (!digit || !in_number) ++size;
    in_number = digit;
  }
  out.resize(size);
  return out;
}

LineList lines_with_words(std::string_view text) {
  LineList lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) lines.push_back(line);
    at = end + 1;
  }
  return lines;
}

// Letters in a row, three at least, and no digit: what a token or a number does not have. Of other
// scripts than ASCII a letter takes two or three bytes; signs and pictures are none.
bool is_spoken(std::string_view word) {
  std::size_t run = 0, longest = 0;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const auto byte = static_cast<unsigned char>(word[i]);
    if (byte >= '0' && byte <= '9') return false;
    const bool ascii = (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z';
    const bool sign = byte == 0xe2 || byte >= 0xf0;  // U+2000 to U+2FFF, and beyond the first plane
    if (sign) i += byte == 0xe2 ? 2 : 3;
    run = ascii || (byte >= 0x80 && !sign) ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest >= 3;
}

bool tells(LineSpan lines) {
  std::size_t spoken = 0;
  for (const std::string_view line : lines) {
    for (const std::string_view word : split(line)) spoken += is_spoken(word) ? 1 : 0;
  }
  return spoken >= fewest_new_words;
}

// Those of `lines` that `others` do not have.
LineList only_in(LineSpan lines, LineSpan others) {
  LineList sorted(others.begin(), others.end()), only;
  std::ranges::sort(sorted);
  for (const std::string_view line : lines) {
    if (!std::ranges::binary_search(sorted, line)) only.push_back(line);
  }
  return only;
}

// All of `before` stands in `now` in its order: the lines that are new.
std::optional<LineList> added_between(LineSpan before, LineSpan now) {
  LineList added;
  for (const std::string_view line : now) {
    if (!before.empty() && before.front() == line) {
      before = before.subspan(1);
    } else {
      added.push_back(line);
    }
  }
  return before.empty() ? std::optional(added) : std::nullopt;
}

// New ones on one end, others moved on, as many at most gone at the other: `now` read towards the
// end where they go.
bool moved_on(LineSpan before, LineSpan now) {
  if (before.empty()) return false;
  const auto first = std::ranges::find(now, before.front());
  const std::size_t added = static_cast<std::size_t>(first - now.begin());
  const std::size_t stayed = now.size() - added;
  if (added == 0 || stayed < fewest_that_move || stayed > before.size()) return false;
  const LineSpan gone = before.subspan(stayed);
  return gone.size() <= added && std::ranges::equal(now.subspan(added), before.first(stayed)) &&
         tells(only_in(now.first(added), gone));
}

}  // namespace

bool is_growth(std::string_view old_text, std::string_view new_text) {
  if (std::max(old_text.size(), new_text.size()) > longest_grown) return false;
  const std::string old_words = without_numbers(old_text), new_words = without_numbers(new_text);
  const LineList olds = lines_with_words(old_words), news = lines_with_words(new_words);
  LineSpan before(olds), now(news);
  while (!before.empty() && !now.empty() && before.front() == now.front()) {
    before = before.subspan(1);
    now = now.subspan(1);
  }
  while (!before.empty() && !now.empty() && before.back() == now.back()) {
    before = before.first(before.size() - 1);
    now = now.first(now.size() - 1);
  }
  if (now.empty()) return false;
  if (const auto added = added_between(before, now)) return tells(only_in(*added, olds));
  if (moved_on(before, now)) return true;
  const LineList before_reversed(before.rbegin(), before.rend());
  const LineList now_reversed(now.rbegin(), now.rend());
  return moved_on(before_reversed, now_reversed);
}

}  // namespace pollux::diff

// Whether it is worth the while to look for masks of times: where two texts differ first and last
// is found without taking them apart.
#include "extract/mask_counters.hpp"
#include "extract/mask_match.hpp"
#include "extract/mask_tokens.hpp"

#include <algorithm>

namespace pollux::extract {
namespace {

constexpr std::size_t longest_time = 120;  // bytes of a date with its time, in words
constexpr std::size_t longest_mark = 24;

// A date, a time or an age that begins before `at` and reaches up to it. Wherever it may begin: so
// none is missed that the tokens of the whole text have.
bool time_reaches(std::string_view text, std::size_t at) {
  for (std::size_t from = at - std::min(at, longest_time); from <= at && from < text.size();
       ++from) {
    if (!is_alphanumeric(text[from])) continue;
    const std::string_view ahead = text.substr(from, longest_time);
    if (!may_begin_a_time(ahead)) continue;
    const std::size_t length = std::max(
        {datetime_length(ahead), date_length(ahead), time_length(ahead), age_length(ahead)});
    if (length > 0 && from + length >= at) return true;
  }
  return false;
}

// A place that is masked already: what stands there in the other text is masked as well.
bool is_near_mark(std::string_view text, std::size_t at) {
  const std::size_t from = at - std::min(at, longest_mark);
  return text.substr(from, 2 * longest_mark).find(mark_opens) != std::string_view::npos;
}

bool could_be_time(std::string_view a, std::size_t a_at, std::string_view b, std::size_t b_at) {
  return is_near_mark(a, a_at) || is_near_mark(b, b_at) || time_reaches(a, a_at) ||
         time_reaches(b, b_at);
}

// How many bytes they have in common at the beginning and, behind that, at the end.
struct Alike {
  std::size_t head = 0, tail = 0;
};
Alike alike(std::string_view a, std::string_view b) {
  const std::size_t most = std::min(a.size(), b.size());
  const auto head = static_cast<std::size_t>(
      std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(most), b.begin()).first -
      a.begin());
  const auto tail = static_cast<std::size_t>(
      std::mismatch(a.rbegin(), a.rbegin() + static_cast<std::ptrdiff_t>(most - head), b.rbegin())
          .first -
      a.rbegin());
  return {head, tail};
}

// There is a digit, in a line that has a counter or tells a time.
bool counts_at(std::string_view text, std::size_t at) {
  constexpr std::size_t around = 200;
  const std::string_view near = text.substr(at - std::min<std::size_t>(at, 2), 4);
  if (std::ranges::none_of(near, is_digit)) return false;
  std::size_t begin = at, end = at;
  while (begin > 0 && at - begin < around && text[begin - 1] != '\n') --begin;
  while (end < text.size() && end - at < around && text[end] != '\n') ++end;
  const std::vector<MaskToken> tokens = mask_tokens(text.substr(begin, end - begin));
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind && is_of_time(*tokens[i].kind)) return true;
    if (counter_at(tokens, i) != Counter::none) return true;
  }
  return false;
}

}  // namespace

bool may_differ_in_numbers_only(std::string_view a, std::string_view b) {
  const auto [head, tail] = alike(a, b);
  if (head == a.size() && head == b.size()) return true;
  return counts_at(a, head) && counts_at(b, head) && counts_at(a, a.size() - tail) &&
         counts_at(b, b.size() - tail);
}

bool may_differ_in_times_only(std::string_view a, std::string_view b) {
  const auto [head, tail] = alike(a, b);
  if (head == a.size() && head == b.size()) return true;
  return could_be_time(a, head, b, head) && could_be_time(a, a.size() - tail, b, b.size() - tail);
}

}  // namespace pollux::extract

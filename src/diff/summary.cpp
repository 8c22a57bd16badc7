#include "diff/summary_forms.hpp"
#include "diff/tokens.hpp"
#include "pollux/base/text.hpp"
#include "pollux/diff/diff.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace pollux::diff {
namespace {

constexpr std::size_t most_characters = 200;
// A character has four bytes at most, and what is cut off need not be looked at.
constexpr std::size_t bytes_to_look_at = 4 * most_characters;
constexpr std::size_t few_places = 3;
constexpr std::size_t few_words = 8;
constexpr std::size_t largest_by_form = std::size_t{1} << 20U;  // lines in memory cost a multiple

// What changed between two stretches that did not.
struct Place {
  std::string_view before;  // the kept text up to it
  std::string_view removed, added;
  std::string_view after;  // the kept text behind it
};

bool has_words(std::string_view text) {
  return !std::all_of(text.begin(), text.end(), is_space);
}

std::size_t word_count(std::string_view text) {
  // More than these are not few, however many.
  return split(text.substr(0, bytes_to_look_at)).size();
}

// A word or two of the same line, so that a number says what it counts.
std::string context(const Place& place) {
  std::string_view line = place.before;
  const std::size_t feed = line.rfind('\n');
  if (feed != std::string_view::npos) line.remove_prefix(feed + 1);
  constexpr std::size_t most_bytes = 60;
  std::vector<std::string_view> near;
  while (near.size() < 2) {
    while (!line.empty() && is_space(line.back())) line.remove_suffix(1);
    if (line.empty()) break;
    std::size_t begin = line.size();
    while (begin > 0 && !is_space(line[begin - 1])) --begin;
    if (line.size() - begin > most_bytes) break;
    near.push_back(line.substr(begin));
    line = line.substr(0, begin);
  }
  std::string text;
  for (auto word = near.rbegin(); word != near.rend(); ++word) text += std::string(*word) + " ";
  return text;
}

constexpr std::size_t longest_label = 60;  // bytes of the line above

// Where a line begins with what changed: the words behind it, " comments", so that a number says
// what it counts.
std::string behind(const Place& place) {
  const std::string_view line = place.after.substr(0, place.after.find('\n'));
  std::string text;
  std::size_t at = 0;
  for (int words = 0; words < 2; ++words) {
    while (at < line.size() && is_space(line[at])) ++at;
    std::size_t end = at;
    while (end < line.size() && !is_space(line[end])) ++end;
    if (end == at || end - at > longest_label) break;
    text += " " + std::string(line.substr(at, end - at));
    at = end;
  }
  return text;
}

// Where the whole line changed: the line above it, "Comments: ".
std::string label_above(const Place& place) {
  std::string_view above = place.before;
  while (!above.empty() && is_space(above.back())) above.remove_suffix(1);
  const std::size_t feed = above.rfind('\n');
  if (feed != std::string_view::npos) above.remove_prefix(feed + 1);
  if (above.empty() || above.size() > longest_label) return {};
  while (above.ends_with(':')) above.remove_suffix(1);
  return folded(above) + ": ";
}

std::vector<Place> places_of(const std::vector<Piece>& pieces) {
  std::vector<Place> places;
  std::string_view before;
  bool open = false;
  for (const Piece& piece : pieces) {
    if (piece.edit == Edit::keep) {
      if (open) places.back().after = piece.text;
      before = piece.text;
      open = false;
      continue;
    }
    if (!open) places.push_back({.before = before, .removed = {}, .added = {}, .after = {}});
    open = true;
    (piece.edit == Edit::remove ? places.back().removed : places.back().added) = piece.text;
  }
  std::erase_if(places,
                [](const Place& p) { return !has_words(p.removed) && !has_words(p.added); });
  return places;
}

bool is_number(std::string_view word) {
  return !word.empty() && word.front() >= '0' && word.front() <= '9' &&
         word.find(' ') == std::string_view::npos;
}
void without_comma(std::string& text) {
  while (text.ends_with(',') || text.ends_with(';')) text.pop_back();
}

// What stands before a number is about another one: "4.6 of 5 stars, ", "211 likes · ".
bool names_another(std::string_view before) {
  const auto ends_with = [before](std::string_view end) { return before.ends_with(end); };
  return std::ranges::any_of(before, [](char c) { return c >= '0' && c <= '9'; }) ||
         std::ranges::any_of(std::to_array<std::string_view>({", ", "; ", "· ", "| ", "— ", "– "}),
                             ends_with);
}

// The word that the number counts, " ratings".
std::string unit(const Place& place) {
  const std::string words = behind(place);
  std::string word = words.substr(0, words.find(' ', 1));
  const char first = word.size() > 1 ? word[1] : ' ';
  const bool letter = (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z');
  if (!letter) return {};
  without_comma(word);
  return word;
}

std::string told(const Place& place) {
  const std::string removed = folded(place.removed), added = folded(place.added);
  std::string text = context(place);
  if (removed.empty()) return text + "+" + added;
  if (added.empty()) return text + "−" + removed;
  if (!text.empty()) {
    const bool counts = is_number(removed) && is_number(added) && names_another(text);
    return text + removed + " → " + added + (counts ? unit(place) : std::string());
  }
  const std::string tail = behind(place);
  return (tail.empty() ? label_above(place) : "") + removed + " → " + added + tail;
}

// What stands there now; what stood there if nothing does.
std::string shown(const Place& place) {
  const std::string added = folded(place.added);
  return context(place) + (added.empty() ? "−" + folded(place.removed) : added);
}

// Where the character after this one begins.
std::size_t next_character(std::string_view text, std::size_t at) {
  ++at;
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80) ++at;
  return at;
}

std::string cut(std::string_view text) {
  // Twice what is looked at: printable() cuts by bytes, and what it makes visible grows.
  const std::string visible = printable(text, 2 * bytes_to_look_at);
  std::size_t at = 0, last = 0;
  for (std::size_t i = 0; i < most_characters && at < visible.size(); ++i) {
    last = at;
    at = next_character(visible, at);
  }
  return at >= visible.size() ? visible : visible.substr(0, last) + "…";
}

// That many counters have ticked tells less than one word.
bool says_words(const Place& place) {
  return std::ranges::any_of(place.added.empty() ? place.removed : place.added, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (static_cast<unsigned char>(c) & 0x80U) != 0;
  });
}

std::string lines_changed(std::string_view old_text, std::string_view new_text) {
  const LineCounts changed = count_lines(old_text, new_text);
  return "+" + std::to_string(changed.added) + " −" + std::to_string(changed.removed) + " lines";
}

// As many as can be read; nothing to tell: empty.
std::string told_by_form(const std::vector<std::string>& told, std::string_view old_text,
                         std::string_view new_text, Form form) {
  if (told.empty()) return {};
  std::string text;
  if (form == Form::json && told.size() > few_places)
    text = lines_changed(old_text, new_text) + ":";
  for (const std::string& one : told) {
    if (text.size() > bytes_to_look_at) break;
    without_comma(text);
    if (!text.empty()) text += text.back() == ':' ? " " : "; ";
    text += one;
  }
  return cut(text);
}

}  // namespace

Form form_of(std::string_view as) {
  return as == "json" ? Form::json : as == "feed" ? Form::feed : Form::text;
}

std::string with_reason(std::string_view reason, std::string_view summary) {
  if (reason.empty() || summary.empty()) return cut(reason.empty() ? summary : reason);
  // "99.9 → 94.9" and "price 99.90 → 94.90" are one thing said twice.
  constexpr std::string_view arrow = " → ";
  if (reason.find(arrow) != reason.npos && summary.find(arrow) != summary.npos) return cut(summary);
  return cut(std::string(reason) + " (" + std::string(summary) + ")");
}

std::string folded(std::string_view text) {
  std::string out;
  bool broken = false, spaced = false;
  for (const char c : text.substr(0, bytes_to_look_at)) {
    if (is_space(c)) {
      spaced = true;
      broken = broken || c == '\n';
      continue;
    }
    if (spaced && !out.empty()) out += broken ? " / " : " ";
    spaced = broken = false;
    out += c;
  }
  return out;
}

std::string summary(std::string_view old_text, std::string_view new_text, Form form) {
  return summary(old_text, new_text, words(old_text, new_text), form);
}

std::string summary(std::string_view old_text, std::string_view new_text,
                    const std::vector<Piece>& pieces, Form form) {
  if (old_text == new_text) return {};
  if (form != Form::text && old_text.size() + new_text.size() <= largest_by_form) {
    const std::vector<std::string> told =
        form == Form::json ? told_json(old_text, new_text) : told_feed(old_text, new_text);
    if (std::string text = told_by_form(told, old_text, new_text, form); !text.empty()) return text;
  }
  std::vector<Place> places = places_of(pieces);
  if (places.empty()) return "white space";
  const bool few =
      places.size() <= few_places &&
      std::all_of(places.begin(), places.end(), [](const Place& place) {
        return word_count(place.removed) <= few_words && word_count(place.added) <= few_words;
      });
  if (!few) std::ranges::stable_partition(places, says_words);
  std::string text = few ? "" : lines_changed(old_text, new_text) + ":";
  for (const Place& place : places) {
    if (text.size() > bytes_to_look_at) break;
    without_comma(text);
    if (!text.empty()) text += text.back() == ':' ? " " : "; ";
    text += few ? told(place) : shown(place);
  }
  return cut(text);
}

}  // namespace pollux::diff

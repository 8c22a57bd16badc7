#include "diff/tokens.hpp"

#include "pollux/base/keyed_hash.hpp"
#include "pollux/diff/diff.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace pollux::diff {
namespace {

// Longer than this, a word is no word of a language.
constexpr std::size_t longest_word = 80;

// Han, Hiragana and Katakana: three bytes each, of which the first two tell.
bool is_ideograph(std::string_view text, std::size_t at) {
  if (at + 3 > text.size()) return false;
  const auto first = static_cast<unsigned char>(text[at]);
  const auto second = static_cast<unsigned char>(text[at + 1]);
  if (first == 0xE3) return second >= 0x81;
  if (first == 0xEF) return second >= 0xA4 && second <= 0xAB;
  return first >= 0xE4 && first <= 0xE9;
}

// What a byte may mean for where a word ends: most mean nothing, and are passed quickly.
enum class Sign : unsigned char { none, space, splits_long_words, maybe_ideograph };
constexpr std::array<Sign, 256> signs = [] {
  std::array<Sign, 256> table{};
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (is_space(static_cast<char>(i))) table[i] = Sign::space;
    if ((i >= 0xE3 && i <= 0xE9) || i == 0xEF) table[i] = Sign::maybe_ideograph;
  }
  for (const char c : std::string_view(",;:{}[]()<>\"'&|=/?")) {
    table[static_cast<unsigned char>(c)] = Sign::splits_long_words;
  }
  return table;
}();

bool is_break(std::string_view text, std::size_t at) {
  const Sign sign = signs[static_cast<unsigned char>(text[at])];
  return sign == Sign::space || (sign == Sign::maybe_ideograph && is_ideograph(text, at));
}

}  // namespace

Interner::Interner(std::size_t expected) : slots_(std::bit_ceil(expected * 2 + 16)) {
  texts_.reserve(expected / 2);
}

std::uint32_t Interner::id(std::string_view text) {
  const auto hash = static_cast<std::uint32_t>(keyed_hash(text));
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  while (slots_[at].id_plus_one != 0) {
    if (slots_[at].hash == hash && texts_[slots_[at].id_plus_one - 1] == text) {
      return slots_[at].id_plus_one - 1;
    }
    at = (at + 1) & mask;
  }
  texts_.push_back(text);
  const auto id = static_cast<std::uint32_t>(texts_.size());
  slots_[at] = {hash, id};
  if (texts_.size() * 2 > slots_.size()) grow();
  return id - 1;
}

void Interner::grow() {
  std::vector<Slot> wider(slots_.size() * 2);
  for (const Slot& slot : slots_) {
    if (slot.id_plus_one == 0) continue;
    std::size_t at = slot.hash & (wider.size() - 1);
    while (wider[at].id_plus_one != 0) at = (at + 1) & (wider.size() - 1);
    wider[at] = slot;
  }
  slots_ = std::move(wider);
}

// Nothing up to there ends a word for sure. What was looked at is not looked at again: text without
// any white space takes no longer than other text.
bool WordReader::is_long(std::size_t at) {
  const std::size_t wanted = at + longest_word + 1;
  if (wanted >= text_.size()) return false;
  clear_until_ = std::max(clear_until_, at);
  while (clear_until_ < wanted && !is_break(text_, clear_until_)) ++clear_until_;
  return clear_until_ >= wanted;
}

// A long word goes up to its first sign, and the sign with it.
std::size_t WordReader::end_of(std::size_t at) {
  if (is_ideograph(text_, at)) return at + 3;
  for (std::size_t end = at; end < text_.size(); ++end) {
    const Sign sign = signs[static_cast<unsigned char>(text_[end])];
    if (sign == Sign::none) continue;
    if (sign == Sign::splits_long_words) {
      if (end > at + longest_word || is_long(at)) return end + 1;
      while (end < text_.size() && !is_break(text_, end)) ++end;
      return end;
    }
    if (is_break(text_, end)) return end;
  }
  return text_.size();
}

std::size_t count_words(std::string_view text) {
  WordReader reader(text);
  std::size_t words = 0;
  for (std::size_t at = reader.first(); at < text.size(); at = reader.after(reader.end_of(at)))
    ++words;
  return words;
}

std::vector<std::string_view> split(std::string_view text) {
  WordReader reader(text);
  std::vector<std::string_view> found;
  found.reserve(text.size() / 6);
  for (std::size_t at = reader.first(); at < text.size();) {
    const std::size_t end = reader.end_of(at);
    found.push_back(text.substr(at, end - at));
    at = reader.after(end);
  }
  return found;
}

}  // namespace pollux::diff

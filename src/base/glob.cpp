#include "pollux/base/glob.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace pollux {

namespace {

bool stands_for(char in_pattern, char in_text) {
  return in_pattern == '?' || in_pattern == in_text;
}

bool fits(std::string_view piece, std::string_view text) {
  return piece.size() <= text.size() &&
         std::equal(piece.begin(), piece.end(), text.begin(), stands_for);
}

// All its beginnings at once, a bit for each: the text is gone through once.
std::size_t end_by_bits(std::string_view piece, std::string_view text) {
  const std::size_t words = (piece.size() + 63) / 64;
  std::vector<std::uint64_t> fitting(256 * words), begun(words);
  for (std::size_t i = 0; i < piece.size(); ++i) {
    const std::uint64_t bit = std::uint64_t{1} << (i % 64);
    const auto letter = static_cast<unsigned char>(piece[i]);
    for (std::size_t c = piece[i] == '?' ? 0 : letter; c <= (piece[i] == '?' ? 255 : letter); ++c)
      fitting[c * words + i / 64] |= bit;
  }
  const std::uint64_t last = std::uint64_t{1} << ((piece.size() - 1) % 64);
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::uint64_t* const here = &fitting[static_cast<unsigned char>(text[at]) * words];
    std::uint64_t carried = 1;
    for (std::size_t word = 0; word < words; ++word) {
      const std::uint64_t next = begun[word] >> 63;
      begun[word] = (begun[word] << 1 | carried) & here[word];
      carried = next;
    }
    if ((begun.back() & last) != 0) return at + 1;
  }
  return std::string_view::npos;
}

// Behind the first place where a piece without stars fits; npos: there is none.
std::size_t end_of_first(std::string_view piece, std::string_view text) {
  constexpr std::size_t short_enough = 32;
  if (piece.size() > text.size()) return std::string_view::npos;
  if (piece.find('?') == std::string_view::npos) {
    const void* const found = memmem(text.data(), text.size(), piece.data(), piece.size());
    if (found == nullptr) return std::string_view::npos;
    return static_cast<std::size_t>(static_cast<const char*>(found) - text.data()) + piece.size();
  }
  if (piece.size() > short_enough) return end_by_bits(piece, text);
  for (std::size_t at = 0; at + piece.size() <= text.size(); ++at)
    if (fits(piece, text.substr(at))) return at + piece.size();
  return std::string_view::npos;
}

}  // namespace

bool glob_matches(std::string_view pattern, std::string_view text) {
  // What stands behind the last star has one place only: most URLs that do not fit end here.
  while (!pattern.empty() && pattern.back() != '*') {
    if (text.empty() || !stands_for(pattern.back(), text.back())) return false;
    pattern.remove_suffix(1);
    text.remove_suffix(1);
  }
  if (pattern.empty()) return text.empty();
  std::size_t star = pattern.find('*');
  if (!fits(pattern.substr(0, star), text)) return false;
  text.remove_prefix(star);
  pattern.remove_prefix(star + 1);
  // Each further piece where it fits first: if the rest does not fit then, it never does.
  while ((star = pattern.find('*')) != std::string_view::npos) {
    const std::string_view piece = pattern.substr(0, star);
    pattern.remove_prefix(star + 1);
    if (piece.empty()) continue;
    const std::size_t end = end_of_first(piece, text);
    if (end == std::string_view::npos) return false;
    text.remove_prefix(end);
  }
  return true;
}

}  // namespace pollux

#include "pollux/bus/subject.hpp"

#include <algorithm>
#include <cstddef>

namespace pollux::bus {
namespace {

constexpr std::size_t longest_subject = 255;
constexpr std::size_t longest_word = 64;

// Takes the first word off.
std::string_view next_word(std::string_view& rest) {
  const std::size_t dot = std::min(rest.find('.'), rest.size());
  const std::string_view word = rest.substr(0, dot);
  rest.remove_prefix(std::min(dot + 1, rest.size()));
  return word;
}

// All of them, also the empty one after a dot at the end, until `good(word, last)` is false.
template <typename Good>
bool all_words(std::string_view text, Good good) {
  if (text.empty() || text.size() > longest_subject || text.ends_with('.')) return false;
  while (!text.empty()) {
    const std::string_view word = next_word(text);
    if (word.empty() || !good(word, text.empty())) return false;
  }
  return true;
}

bool is_plain(std::string_view word) {
  return std::all_of(word.begin(), word.end(), [](char c) {
    return static_cast<unsigned char>(c) > ' ' && c != '*' && c != '>' && c != '\x7f';
  });
}

}  // namespace

bool is_word(std::string_view text) {
  return !text.empty() && text.size() <= longest_word &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '-' || c == '_';
         });
}

bool is_subject(std::string_view text) {
  return all_words(text, [](std::string_view word, bool) { return is_plain(word); });
}

bool is_pattern(std::string_view text) {
  return all_words(text, [](std::string_view word, bool last) {
    return word == "*" || (word == ">" && last) || is_plain(word);
  });
}

bool is_key(std::string_view text) {
  return all_words(text, [](std::string_view word, bool) { return is_word(word); });
}

bool matches(std::string_view pattern, std::string_view subject) {
  while (!pattern.empty() && !subject.empty()) {
    const std::string_view wanted = next_word(pattern);
    if (wanted == ">") return true;
    if (const std::string_view word = next_word(subject); wanted != "*" && wanted != word) {
      return false;
    }
  }
  return pattern.empty() && subject.empty();
}

}  // namespace pollux::bus

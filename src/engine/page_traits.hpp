// What is remembered of how a page looked when it was last believed, in one line: words, password
// fields, title. Pure.
#pragma once

#include "pollux/extract/extract.hpp"

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

namespace pollux::engine {

// Empty for what is not HTML.
inline std::string remembered(const extract::Traits& traits) {
  if (traits.words == 0 && traits.title.empty() && traits.password_fields == 0) return {};
  std::string title = traits.title.substr(0, 80);
  for (char& c : title) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return std::to_string(traits.words) + ' ' + std::to_string(traits.password_fields) + ' ' + title;
}

inline std::optional<extract::Traits> traits_of(std::string_view text) {
  extract::Traits traits;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t* number : {&traits.words, &traits.password_fields}) {
    const auto [stop, problem] = std::from_chars(at, end, *number);
    if (problem != std::errc{} || stop == end || *stop != ' ') return std::nullopt;
    at = stop + 1;
  }
  traits.title.assign(at, end);
  return traits;
}

}  // namespace pollux::engine

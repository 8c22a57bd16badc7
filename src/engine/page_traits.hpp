// What is remembered of how a page looked when it was last believed, in one line: words, password
// fields, markers of challenges, title. Pure.
#pragma once

#include "pollux/extract/extract.hpp"

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace pollux::engine {

// As much of them as is remembered: both sides of a comparison are cut alike.
inline extract::Traits as_remembered(extract::Traits traits) {
  if (traits.title.size() > 80) traits.title.resize(80);
  for (char& c : traits.title) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return traits;
}

// Empty for what is not HTML.
inline std::string remembered(const extract::Traits& traits) {
  if (traits.words == 0 && traits.title.empty() && traits.password_fields == 0) return {};
  std::string markers;
  for (const std::string& marker : traits.markers) markers += marker + ',';
  for (char& c : markers) {
    if (c == ' ') c = '+';
  }
  return std::to_string(traits.words) + ' ' + std::to_string(traits.password_fields) + ' ' +
         markers + ' ' + as_remembered(traits).title;
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
  for (std::string marker; at != end && *at != ' '; ++at) {
    if (*at == ',') {
      traits.markers.push_back(std::exchange(marker, {}));
    } else {
      marker += *at == '+' ? ' ' : *at;
    }
  }
  if (at != end) ++at;
  traits.title.assign(at, end);
  return traits;
}

}  // namespace pollux::engine

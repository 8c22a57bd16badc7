#include "pollux/base/text.hpp"

namespace pollux {
namespace {

constexpr char digits[] = "0123456789abcdef";

void append_escaped(std::string& out, unsigned char byte) {
  out += "\\x";
  out += digits[byte >> 4];
  out += digits[byte & 15];
}

// Length of the valid, printable UTF-8 sequence at the start of `s`, or 0.
std::size_t sequence_length(std::string_view s) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
  const auto follows = [&](std::size_t i) { return i < s.size() && (byte(i) & 0xC0) == 0x80; };
  const unsigned char lead = byte(0);
  if (lead >= 0x20 && lead < 0x7F) return 1;
  if (lead == 0xD8 && follows(1) && byte(1) == 0x9C) return 0;  // U+061C, another such mark
  if (lead >= 0xC3 && lead <= 0xDF && follows(1)) return 2;     // from U+00C0: no C1 controls
  if (lead == 0xC2 && follows(1) && byte(1) >= 0xA0) return 2;
  if (lead >= 0xE0 && lead <= 0xEF && follows(1) && follows(2)) {
    if (lead == 0xE0 && byte(1) < 0xA0) return 0;
    if (lead == 0xED && byte(1) > 0x9F) return 0;
    // U+200E and U+200F: marks of direction.
    if (lead == 0xE2 && byte(1) == 0x80 && (byte(2) == 0x8E || byte(2) == 0x8F)) return 0;
    // U+2028..U+202E and U+2066..U+2069: line separators and direction overrides.
    if (lead == 0xE2 && byte(1) == 0x80 && byte(2) >= 0xA8 && byte(2) <= 0xAE) return 0;
    if (lead == 0xE2 && byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9) return 0;
    return 3;
  }
  if (lead >= 0xF0 && lead <= 0xF4 && follows(1) && follows(2) && follows(3)) {
    if (lead == 0xF0 && byte(1) < 0x90) return 0;
    if (lead == 0xF4 && byte(1) > 0x8F) return 0;
    return 4;
  }
  return 0;
}

}  // namespace

std::string printable(std::string_view text, std::size_t limit) {
  std::string out;
  out.reserve(text.size() < limit ? text.size() : limit);
  while (!text.empty()) {
    if (out.size() >= limit) {
      out += "…";
      break;
    }
    if (const std::size_t length = sequence_length(text)) {
      out.append(text.substr(0, length));
      text.remove_prefix(length);
    } else {
      append_escaped(out, static_cast<unsigned char>(text.front()));
      text.remove_prefix(1);
    }
  }
  return out;
}

std::string_view beginning_of(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U) --most;
  return text.substr(0, most);
}

std::string printable_url(std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme != std::string_view::npos) {
    const std::size_t start = scheme + 3;
    const std::size_t end = url.find_first_of("/?#", start);
    const std::size_t at = url.substr(0, end).rfind('@');
    if (at != std::string_view::npos && at >= start) {
      return printable(std::string(url.substr(0, start)) + "***" + std::string(url.substr(at)));
    }
  }
  return printable(url);
}

}  // namespace pollux

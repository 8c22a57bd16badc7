// A mask as a pattern that people can paste under `ignore:`.
#include "extract/mask_pattern.hpp"

#include "extract/mask_lines.hpp"
#include "extract/mask_match.hpp"

#include <algorithm>
#include <iterator>

#include <re2/re2.h>

namespace pollux::extract {
namespace {

bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

// Where the characters of this kind end that begin at `at`.
template <typename IsOfIt>
std::size_t run_end(std::string_view text, std::size_t at, IsOfIt is_of_it) {
  while (at < text.size() && is_of_it(text[at])) ++at;
  return at;
}

}  // namespace

std::string_view pattern_of(TokenKind kind) {
  switch (kind) {
    case TokenKind::uuid:
      return R"([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})";
    case TokenKind::datetime:
      return R"((?:\pL+[.,]{0,2}\s+)?[\pL\d.,/-]+(?:\s+[\pL\d.,/-]+){0,3}[,\s]+(?:(?:at|um)\s+)?\d{1,2}:\d\d[\d:.,]*(?:\s*(?i:[ap]\.?m\.?|uhr))?(?:\s*(?:[A-Za-z]{1,4}|[+-]\d\d:?\d\d))?|\d{4}[-/.]\d{1,2}[-/.]\d{1,2}T\d{1,2}:\d\d[\d:.,]*(?:\s*(?:[A-Za-z]{1,4}|[+-]\d\d:?\d\d))?|\d{8}T\d{6}(?:\s*(?:[A-Za-z]{1,4}|[+-]\d\d:?\d\d))?)";
    case TokenKind::time:
      return R"(\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?(?:\s*(?i:[ap]\.?m\.?|uhr))?(?:\s*(?:[A-Za-z]{1,4}|[+-]\d\d:?\d\d))?)";
    case TokenKind::date:
      return R"((?:\pL+[.,]{0,2}\s+)?(?:\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\d{1,2}(?:st|nd|rd|th)?\.?[\s-]+(?:(?:of|de)\s+)?\pL+[.,]*[\s-]+\d{4}|\pL+\.?\s+\d{1,2}(?:st|nd|rd|th)?,?\s+\d{4}))";
    case TokenKind::age:
      return R"((?i:just\s+now|moments\s+ago|a\s+moment\s+ago|yesterday|(?:vor|il\s+y\s+a|hace)\s+(?:\d+|\pL+)\s*\pL+\.?(?:[\s,]+(?:\pL+\s+)?\d+\s*\pL+\.?){0,3}|(?:\d+|\pL+)\s*\pL+\.?(?:[\s,]+(?:and\s+)?\d+\s*\pL+\.?){0,3}\s+ago))";
    case TokenKind::hex:
      return R"([0-9a-fA-F]{8,})";
    case TokenKind::base64:
      return R"([A-Za-z0-9+/_-]{16,}={0,2})";
    case TokenKind::number:
    case TokenKind::count:
      return R"(\d+(?:[.,']\d+)*)";
    case TokenKind::lines:
    case TokenKind::order:
      return R"((?s:.*?))";
  }
  return "";
}

namespace {

constexpr char gap[] = R"([\s\x{a0}]*)";

// Length of the well-formed UTF-8 character at the front, 0 if there is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80; };
  if (byte(0) < 0x80) return 1;
  if (byte(0) >= 0xC2 && byte(0) <= 0xDF && follows(1)) return 2;
  if (byte(0) >= 0xE0 && byte(0) <= 0xEF && follows(1) && follows(2)) {
    const bool overlong = byte(0) == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = byte(0) == 0xED && byte(1) > 0x9F;
    return overlong || surrogate ? 0 : 3;
  }
  if (byte(0) >= 0xF0 && byte(0) <= 0xF4 && follows(1) && follows(2) && follows(3)) {
    const bool overlong = byte(0) == 0xF0 && byte(1) < 0x90;
    const bool beyond = byte(0) == 0xF4 && byte(1) > 0x8F;
    return overlong || beyond ? 0 : 4;
  }
  return 0;
}

}  // namespace

std::string as_literal(std::string_view text) {
  constexpr std::string_view special = R"(\.+*?()|[]{}^$)";
  std::string out;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const char c = text.front();
    if (length == 0) {
      out += R"(\C)";  // any byte: a pattern itself has to be UTF-8
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      static constexpr char hex[] = "0123456789abcdef";
      out += R"(\x)";
      out += hex[static_cast<unsigned char>(c) >> 4U];
      out += hex[static_cast<unsigned char>(c) & 15U];
    } else {
      if (special.find(c) != std::string_view::npos) out += '\\';
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

namespace {

// A line beside masked ones as it was before its own places were masked.
std::string pattern_of_line(std::string_view line) {
  std::string pattern;
  std::size_t copied = 0;
  for (const MaskToken& token : mask_tokens(line)) {
    if (!is_mark(token)) continue;
    const auto begin = static_cast<std::size_t>(token.text.data() - line.data());
    pattern += as_literal(line.substr(copied, begin - copied));
    pattern += "(?:" + std::string(pattern_of(*token.kind)) + ")";
    copied = begin + token.text.size();
  }
  return pattern + as_literal(line.substr(copied));
}

std::string pattern_of_neighbour(const std::string& neighbour) {
  if (neighbour == "##") return "#";
  if (neighbour == "#") return "(?:" + std::string(pattern_of(TokenKind::number)) + ")";
  if (neighbour.starts_with('#')) {
    const std::optional<TokenKind> kind = token_kind_of(std::string_view(neighbour).substr(1));
    if (kind) return "(?:" + std::string(pattern_of(*kind)) + ")";
  }
  return as_literal(neighbour);
}

}  // namespace

std::string ignore_pattern(const Mask& mask) {
  std::string pattern;
  if (is_of_lines(mask.kind)) {
    // Of long lines only the end or the beginning is known.
    for (const std::string& line : mask.before)
      pattern += (pattern.empty() ? "" : R"([^\n]*)") + pattern_of_line(line) + R"(\n)";
    if (mask.before.empty()) pattern = R"(\A)";
    pattern += pattern_of(mask.kind);
    for (std::size_t i = 0; i < mask.after.size(); ++i)
      pattern += (i == 0 ? "" : R"([^\n]*\n)") + pattern_of_line(mask.after[i]);
    return pattern + (mask.after.empty() ? R"(\z)" : "");
  }
  for (const std::string& neighbour : mask.before) pattern += pattern_of_neighbour(neighbour) + gap;
  pattern += "(?:" + std::string(pattern_of(mask.kind)) + ")";
  for (const std::string& neighbour : mask.after) pattern += gap + pattern_of_neighbour(neighbour);
  return pattern;
}

std::string as_pattern(std::string_view text) {
  std::string pattern;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = run_end(text, at, is_blank);
    if (end == at) {
      end = run_end(text, at, [](char c) { return !is_blank(c); });
      pattern += as_literal(text.substr(at, end - at));
    } else {
      const std::string_view white = text.substr(at, end - at);
      pattern += white == " " ? " " : white == "\n" ? R"(\n)" : R"(\s+)";
    }
    at = end;
  }
  return pattern;
}

namespace {

// "[\d-]+T[\d:]+", "\pL+, \d+ \pL+ \d+ [\d:]+ GMT": the shape of a date or time.
std::string time_shape(std::string_view text) {
  static constexpr std::string_view fixed[] = {"T", "Z", "GMT", "UTC", "ago", "at", "um", "Uhr"};
  const auto joins = [&](std::size_t at) {
    return at > 0 && at + 1 < text.size() &&
           std::string_view(":.,/+-").find(text[at]) != std::string_view::npos &&
           is_digit(text[at - 1]) && is_digit(text[at + 1]);
  };
  std::string shape;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    if (is_digit(text[at])) {
      std::string signs;
      for (; end < text.size() && (is_digit(text[end]) || joins(end)); ++end) {
        if (!is_digit(text[end]) && signs.find(text[end]) == std::string::npos) signs += text[end];
      }
      // A dash is itself at the end of a class.
      if (const std::size_t dash = signs.find('-'); dash != std::string::npos) {
        signs.erase(dash, 1);
        signs += '-';
      }
      shape += signs.empty() ? R"(\d+)" : R"([\d)" + signs + "]+";
    } else if (is_wordlike(text[at])) {
      end = run_end(text, at, [](char c) { return is_wordlike(c) && !is_digit(c); });
      const std::string_view word = text.substr(at, end - at);
      const bool stays = std::find(std::begin(fixed), std::end(fixed), word) != std::end(fixed);
      shape += stays ? std::string(word) : R"(\pL+)";
    } else {
      end = run_end(text, at, [](char c) { return !is_wordlike(c); });
      shape += as_pattern(text.substr(at, end - at));
    }
    at = end;
  }
  return shape;
}

}  // namespace

std::string shape_of(TokenKind kind, std::span<const std::string_view> seen) {
  switch (kind) {
    case TokenKind::uuid:
      return R"([\w-]+)";
    case TokenKind::hex:
      return R"(\w+)";
    case TokenKind::base64:
      return R"([\w+/=-]+)";
    case TokenKind::number:
    case TokenKind::count:
      return std::ranges::any_of(
                 seen, [](std::string_view text) { return text.find('\'') != std::string::npos; })
                 ? R"([\d.,']+)"
                 : R"([\d.,]+)";
    default:
      break;
  }
  if (!seen.empty()) {
    std::string shape = time_shape(seen.front());
    const re2::RE2 compiled(shape, re2::RE2::Quiet);
    if (compiled.ok() && std::ranges::all_of(seen, [&](std::string_view text) {
          return re2::RE2::FullMatch(re2::StringPiece(text.data(), text.size()), compiled);
        }))
      return shape;
  }
  return "(?:" + std::string(pattern_of(kind)) + ")";
}

}  // namespace pollux::extract

#include "pollux/extract/masks.hpp"

#include "extract/mask_clock.hpp"
#include "extract/mask_lines.hpp"
#include "extract/mask_match.hpp"

#include <algorithm>
#include <array>

namespace pollux::extract {
namespace {

constexpr std::array<std::string_view, 11> kind_names = {"uuid",  "datetime", "time",   "date",
                                                         "age",   "hex",      "base64", "number",
                                                         "lines", "order",    "count"};
constexpr std::size_t most_neighbours = 6;  // of one side
constexpr std::size_t longest_text = 4096;

// Neighbours are told apart by spaces and the two sides by a bar, so that a line can be read.
bool is_plain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte > ' ' && byte != 0x7F && c != '%' && c != '|';
}

std::string escaped(std::string_view text) {
  static constexpr char hex[] = "0123456789abcdef";
  std::string out;
  for (const char c : text) {
    if (is_plain(c)) {
      out += c;
    } else {
      out += '%';
      out += hex[static_cast<unsigned char>(c) >> 4U];
      out += hex[static_cast<unsigned char>(c) & 15U];
    }
  }
  return out;
}

int lower_hex_value(char c) {
  if (is_digit(c)) return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

std::optional<std::string> unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      if (!is_plain(text[i])) return std::nullopt;
      out += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = lower_hex_value(text[i + 1]), low = lower_hex_value(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

}  // namespace

std::string_view name_of(TokenKind kind) {
  return kind_names[static_cast<std::size_t>(kind)];
}

std::optional<TokenKind> token_kind_of(std::string_view name) {
  for (std::size_t i = 0; i < kind_names.size(); ++i) {
    if (kind_names[i] == name) return static_cast<TokenKind>(i);
  }
  return std::nullopt;
}

std::string to_text(const Mask& mask) {
  std::string text(name_of(mask.kind));
  for (const std::string& neighbour : mask.before) text += " " + escaped(neighbour);
  text += " |";
  for (const std::string& neighbour : mask.after) text += " " + escaped(neighbour);
  return text;
}

std::optional<Mask> mask_from_text(std::string_view text) {
  if (text.size() > longest_text) return std::nullopt;
  Mask mask;
  bool first = true, behind = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view part = text.substr(0, end);
    // No empty parts, and so no space at the end.
    if (part.empty() || end + 1 == text.size()) return std::nullopt;
    text.remove_prefix(std::min(end + 1, text.size()));
    if (first) {
      const std::optional<TokenKind> kind = token_kind_of(part);
      if (!kind) return std::nullopt;
      mask.kind = *kind;
      first = false;
    } else if (part == "|") {
      if (behind) return std::nullopt;
      behind = true;
    } else {
      std::optional<std::string> neighbour = unescaped(part);
      std::vector<std::string>& side = behind ? mask.after : mask.before;
      if (!neighbour || side.size() == most_neighbours) return std::nullopt;
      side.push_back(std::move(*neighbour));
    }
  }
  if (!behind) return std::nullopt;
  return mask;
}

std::string generalised(const MaskToken& token) {
  if (token.kind == TokenKind::number) return "#";
  if (token.kind) return "#" + std::string(name_of(*token.kind));
  return token.text == "#" ? "##" : std::string(token.text);
}

bool neighbour_fits(const std::string& neighbour, const MaskToken& token) {
  if (!neighbour.starts_with('#')) return token.text == neighbour;
  if (neighbour == "#") return fits(TokenKind::number, token);
  if (neighbour == "##") return token.text == "#";
  const std::optional<TokenKind> kind = token_kind_of(std::string_view(neighbour).substr(1));
  return kind && fits(*kind, token);
}

bool has_context(const Mask& mask) {
  const auto is_kind = [](const std::string& neighbour) {
    return neighbour.starts_with('#') && neighbour != "##";
  };
  return !std::ranges::all_of(mask.before, is_kind) || !std::ranges::all_of(mask.after, is_kind);
}

bool matches(const Mask& mask, const std::vector<MaskToken>& tokens, std::size_t at) {
  const std::size_t before = mask.before.size(), after = mask.after.size();
  if (at < before || at + after >= tokens.size() || !fits(mask.kind, tokens[at])) return false;
  // The nearest first: they differ more often.
  for (std::size_t i = 0; i < before; ++i) {
    if (!neighbour_fits(mask.before[before - 1 - i], tokens[at - 1 - i])) return false;
  }
  for (std::size_t i = 0; i < after; ++i) {
    if (!neighbour_fits(mask.after[i], tokens[at + 1 + i])) return false;
  }
  return true;
}

void note_shown(std::string_view text, Shown& shown) {
  constexpr std::uint32_t offset = 2166136261, prime = 16777619;  // FNV-1a
  std::uint32_t mark = shown.mark == 0 ? offset : shown.mark;
  for (const char c : text) mark = (mark ^ static_cast<unsigned char>(c)) * prime;
  shown.mark = std::max((mark ^ 0xFFU) * prime, 1U);  // what follows is of another place
}

Masked apply(std::span<const Mask> masks, std::string_view text) {
  Masked masked;
  masked.matched.assign(masks.size(), false);
  masked.shown.resize(masks.size());
  if (masks.empty()) {
    masked.text = text;
    return masked;
  }
  std::vector<bool> usable;
  for (const Mask& mask : masks) usable.push_back(has_context(mask));
  const std::vector<MaskToken> tokens = mask_tokens(text);
  std::size_t copied = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!may_be_masked(tokens[i])) continue;
    for (std::size_t m = 0; m < masks.size(); ++m) {
      if (!usable[m] || !matches(masks[m], tokens, i)) continue;
      masked.matched[m] = true;
      note_shown(tokens[i].text, masked.shown[m]);
      if (const std::optional<Reading> said = reading_of(tokens[i].text, masks[m].kind))
        masked.shown[m].stays = std::max(masked.shown[m].stays, unit_of(*said));
      const auto begin = static_cast<std::size_t>(tokens[i].text.data() - text.data());
      masked.text += text.substr(copied, begin - copied);
      masked.text += mark_opens;
      masked.text += name_of(masks[m].kind);
      masked.text += mark_closes;
      copied = begin + tokens[i].text.size();
      break;
    }
  }
  masked.text += text.substr(copied);
  apply_to_lines(masks, masked);
  return masked;
}

}  // namespace pollux::extract

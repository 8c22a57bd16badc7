// The places that are set aside in a text, told to people.
#include "extract/mask_lines.hpp"
#include "extract/mask_match.hpp"
#include "extract/mask_pattern.hpp"
#include "extract/steady_lines.hpp"
#include "pollux/extract/ignore_rules.hpp"

#include <algorithm>

namespace pollux::extract {
namespace {

// A figure in a line: with a word each side, which stay as they are.
PlaceAside figure_aside(const std::vector<MaskToken>& tokens, std::size_t at) {
  PlaceAside place{.around = {.kind = TokenKind::number, .before = {}, .after = {}}, .pattern = {}};
  const auto text_of = [&](std::size_t i) { return std::string(tokens[i].text); };
  if (at > 0 && !tokens[at - 1].kind) place.around.before.push_back(text_of(at - 1));
  if (at + 1 < tokens.size() && !tokens[at + 1].kind) place.around.after.push_back(text_of(at + 1));
  if (place.around.before.empty() && place.around.after.empty()) return place;
  for (const std::string& word : place.around.before) place.pattern += as_literal(word) + R"(\s*)";
  place.pattern += R"(\S*\d\S*)";
  for (const std::string& word : place.around.after) place.pattern += R"(\s*)" + as_literal(word);
  return place;
}

bool is_masked(std::span<const Mask> masks, const std::vector<MaskToken>& tokens, std::size_t at) {
  return std::ranges::any_of(masks, [&](const Mask& mask) { return matches(mask, tokens, at); });
}

}  // namespace

std::vector<PlaceAside> places_aside(std::string_view marked, std::span<const Mask> masks,
                                     std::size_t most) {
  std::vector<PlaceAside> places;
  const auto add = [&](PlaceAside place) {
    const bool known = std::ranges::any_of(
        places, [&](const PlaceAside& other) { return other.around == place.around; });
    if (!known && places.size() < most) places.push_back(std::move(place));
  };
  const std::vector<MaskToken> tokens = mask_tokens(marked);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (is_mark(tokens[i]) && tokens[i].kind == TokenKind::number && !is_masked(masks, tokens, i))
      add(figure_aside(tokens, i));
  }
  const Lines lines = lines_of(marked);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i] != mark_of_lines || (i > 0 && lines[i - 1] == mark_of_lines)) continue;
    const Mask around = mask_between(lines, i);
    if (std::ranges::find(masks, around) != masks.end()) continue;
    const std::string_view look[] = {marked};
    const IgnoreRules rules = ignore_rules(std::span(&around, 1), look);
    const std::size_t rule = rules.of_mask.front();
    add({.around = around,
         .pattern = rule == IgnoreRules::none ? std::string() : rules.patterns[rule]});
  }
  return places;
}

}  // namespace pollux::extract

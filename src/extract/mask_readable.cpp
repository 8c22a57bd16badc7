// Masked texts as people see them.
#include "extract/mask_lines.hpp"
#include "extract/mask_match.hpp"
#include "pollux/extract/masks.hpp"

#include <algorithm>

namespace pollux::extract {
namespace {

constexpr std::string_view ellipsis = "…";
constexpr std::size_t most_near = 3;

// The mark at the front: its length and kind.
struct Mark {
  std::size_t length = 0;
  TokenKind kind = TokenKind::number;
};
std::optional<Mark> mark_at(std::string_view text) {
  constexpr std::size_t longest = 24;
  std::string_view name = text.substr(0, longest);
  if (!name.starts_with(mark_opens)) return std::nullopt;
  name.remove_prefix(mark_opens.size());
  const std::size_t end = name.find(mark_closes);
  if (end == std::string_view::npos) return std::nullopt;
  const std::optional<TokenKind> kind = token_kind_of(name.substr(0, end));
  if (!kind) return std::nullopt;
  return Mark{mark_opens.size() + end + mark_closes.size(), *kind};
}

// "‹num…" is what a summary that was cut may end with.
bool is_cut_mark(std::string_view text) {
  if (!text.starts_with(mark_opens) || !text.ends_with(ellipsis)) return false;
  text.remove_prefix(mark_opens.size());
  text.remove_suffix(ellipsis.size());
  return text.size() <= 8 && std::ranges::all_of(text, [](char c) {
           return (c >= 'a' && c <= 'z') || c == '6' || c == '4' || c < 0;
         });
}

bool has_marks(std::string_view text) {
  for (std::size_t at = text.find(mark_opens); at != std::string_view::npos;
       at = text.find(mark_opens, at + 1)) {
    if (mark_at(text.substr(at))) return true;
  }
  return false;
}

std::size_t fits_in(const Mask& mask, const std::vector<MaskToken>& tokens) {
  std::size_t places = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (may_be_masked(tokens[i]) && matches(mask, tokens, i)) ++places;
  }
  return places;
}

// Masks of the marks in a text, as far as they have one place in another text: by what is around
// them, or on one side.
std::vector<Mask> token_masks(std::string_view marked, std::string_view other) {
  std::vector<Mask> masks;
  const std::vector<MaskToken> tokens = mask_tokens(marked), others = mask_tokens(other);
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    if (!is_mark(tokens[at]) || is_of_lines(*tokens[at].kind)) continue;
    Mask whole{.kind = *tokens[at].kind, .before = {}, .after = {}};
    for (std::size_t i = at - std::min(at, most_near); i < at; ++i)
      whole.before.push_back(generalised(tokens[i]));
    for (std::size_t i = at + 1; i < std::min(at + 1 + most_near, tokens.size()); ++i)
      whole.after.push_back(generalised(tokens[i]));
    Mask before = whole, after = whole;
    before.after.clear();
    after.before.clear();
    for (const Mask& mask : {whole, before, after}) {
      if (!has_context(mask) || fits_in(mask, others) != 1) continue;
      masks.push_back(mask);
      break;
    }
  }
  return masks;
}

std::vector<Mask> masks_of_lines(std::string_view marked) {
  std::vector<std::string_view> lines;
  for (std::size_t at = 0; at <= marked.size();) {
    const std::size_t end = std::min(marked.find('\n', at), marked.size());
    lines.push_back(marked.substr(at, end - at));
    at = end + 1;
  }
  std::vector<Mask> masks;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::optional<Mark> mark = mark_at(lines[i]);
    if (!mark || mark->length != lines[i].size() || !is_of_lines(mark->kind)) continue;
    masks.push_back(mask_between(lines, i));
  }
  return masks;
}

std::string as_in(std::string_view marked, std::string_view other) {
  if (!has_marks(marked)) return std::string(other);
  Masked masked = extract::apply(token_masks(marked, other), other);
  return extract::apply(masks_of_lines(marked), masked.text).text;
}

}  // namespace

std::string readable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t next = std::min(text.find(mark_opens), text.size());
    out += text.substr(0, next);
    text.remove_prefix(next);
    if (text.empty()) break;
    if (const std::optional<Mark> mark = mark_at(text)) {
      out += ellipsis;
      text.remove_prefix(mark->length);
    } else if (is_cut_mark(text)) {
      out += ellipsis;
      break;
    } else {
      out += mark_opens;
      text.remove_prefix(mark_opens.size());
    }
  }
  return out;
}

ReadablePair readable_pair(std::string_view old_text, std::string_view new_text) {
  return {readable(as_in(new_text, old_text)), readable(as_in(old_text, new_text))};
}

}  // namespace pollux::extract

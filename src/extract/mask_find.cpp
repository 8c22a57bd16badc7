// Finds the places that differ between looks and can be masked without hiding what matters.
#include "extract/mask_clock.hpp"
#include "extract/mask_counters.hpp"
#include "extract/mask_lines.hpp"
#include "extract/mask_match.hpp"
#include "pollux/base/keyed_hash.hpp"
#include "pollux/diff/diff.hpp"
#include "pollux/extract/masks.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace pollux::extract {
namespace {

constexpr std::size_t most_masks = 64;
constexpr std::size_t most_candidates = 256;
constexpr std::size_t neighbours_each_side = 3;
constexpr std::size_t furthest_neighbour = 6;  // where there are only signs up to it
constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

using Tokens = std::vector<MaskToken>;

// So unlikely to be meant for people that one difference is enough.
bool is_random(TokenKind kind) {
  return kind == TokenKind::uuid || kind == TokenKind::hex || kind == TokenKind::base64;
}

// The kind that all of them can be; none if one of them is a word.
std::optional<TokenKind> common_kind(const std::vector<const MaskToken*>& tokens) {
  for (const MaskToken* token : tokens) {
    if (!token->kind) continue;
    const bool all = std::all_of(tokens.begin(), tokens.end(), [&](const MaskToken* other) {
      return fits(*token->kind, *other);
    });
    if (all) return token->kind;
  }
  return std::nullopt;
}

// Numbers next to these are what people watch a page for.
constexpr auto telling_words = std::to_array<std::string_view>(
    {"price",   "prices",   "preis",    "preise", "prix",      "precio",   "prezzo",
     "cost",    "costs",    "kosten",   "total",  "subtotal",  "sum",      "summe",
     "amount",  "betrag",   "stock",    "lager",  "available", "left",     "remaining",
     "sold",    "qty",      "quantity", "menge",  "version",   "versions", "release",
     "build",   "revision", "v",        "ver",    "rating",    "score",    "discount",
     "rabatt",  "sale",     "off",      "offer",  "deal",      "bid",      "shipping",
     "tax",     "vat",      "fee",      "rent",   "salary",    "balance",  "percent",
     "prozent", "usd",      "eur",      "gbp",    "chf",       "jpy",      "inr",
     "cad",     "aud",      "euro",     "euros",  "dollar",    "dollars",  "pounds",
     "%",       "$",        "€",        "£",      "¥",         "₹",        "‰",
     "¢",       "₽",      "₩",        "₿",    "btc",       "eth",      "rate",
     "kurs",    "verfügbar"});

constexpr auto units_of_seconds =
    std::to_array<std::string_view>({"s", "sec", "secs", "second", "seconds", "ms", "sekunden",
                                     "secondes", "segundos", "msec", "milliseconds"});

// "99.90" is a price even where nothing says so, unless it is a number of seconds; "1.2.3" is a
// version.
bool looks_like_price_or_version(const Tokens& tokens, std::size_t at) {
  const std::string_view text = tokens[at].text;
  const auto points = std::count(text.begin(), text.end(), '.');
  const auto commas = std::count(text.begin(), text.end(), ',');
  const std::size_t last = text.find_last_of(".,'");
  if (last == std::string_view::npos) return false;
  const std::size_t decimals = text.size() - last - 1;
  if (points >= 2 && commas == 0) {
    for (std::size_t i = text.find('.'); i != std::string_view::npos; i = text.find('.', i + 1)) {
      const std::size_t next = std::min(text.find('.', i + 1), text.size());
      if (next - i != 4) return true;
    }
  }
  if (decimals != 2) return false;
  return at + 1 >= tokens.size() || std::find(units_of_seconds.begin(), units_of_seconds.end(),
                                              tokens[at + 1].text) == units_of_seconds.end();
}

// Where each token of one look is in the next; nowhere if it has gone or may be another one.
std::vector<std::size_t> places_in_next(const Tokens& a, const Tokens& b) {
  std::unordered_map<std::string_view, std::uint32_t, KeyedHash> ids;
  const auto numbered = [&](const Tokens& tokens) {
    std::vector<std::uint32_t> list;
    list.reserve(tokens.size());
    for (const MaskToken& token : tokens) {
      list.push_back(
          ids.try_emplace(token.text, static_cast<std::uint32_t>(ids.size())).first->second);
    }
    return list;
  };
  const std::vector<std::uint32_t> old_ids = numbered(a), new_ids = numbered(b);
  std::vector<std::size_t> next(a.size(), nowhere);
  std::size_t old_at = 0, new_at = 0;
  // What lies between two equal stretches: as many tokens on both sides, and no word among them.
  const auto pair_up = [&](std::size_t old_end, std::size_t new_end) {
    bool alike = old_end - old_at == new_end - new_at;
    for (std::size_t i = 0; alike && i < old_end - old_at; ++i) {
      const MaskToken &x = a[old_at + i], &y = b[new_at + i];
      alike = x.text == y.text || common_kind({&x, &y});
    }
    for (; old_at < old_end; ++old_at, ++new_at) {
      if (alike) next[old_at] = new_at;
    }
    new_at = new_end;
  };
  for (const diff::Common& run : diff::align(old_ids, new_ids)) {
    pair_up(run.old_at, run.new_at);
    for (std::size_t i = 0; i < run.length; ++i) next[old_at++] = new_at++;
  }
  pair_up(a.size(), b.size());
  return next;
}

class Finder {
 public:
  // `polls`: so many of the looks at the beginning are polls before the others.
  Finder(std::span<const std::string_view> looks, Looks kind, bool numbers_count,
         std::span<const WallTime> seen, std::size_t polls)
      : kind_(kind), numbers_count_(numbers_count), seen_(seen), polls_(polls) {
    for (const std::string_view look : looks) {
      tokens_.push_back(mask_tokens(look));
      std::vector<std::size_t>& list = maskable_.emplace_back();
      for (std::size_t i = 0; i < tokens_.back().size(); ++i) {
        if (may_be_masked(tokens_.back()[i])) list.push_back(i);
      }
    }
    for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
      next_.push_back(places_in_next(tokens_[i], tokens_[i + 1]));
    }
  }
  std::vector<Mask> masks() const;

 private:
  bool runs(const std::vector<const MaskToken*>& tokens, TokenKind kind) const;
  bool counts(const std::vector<std::size_t>& place) const;
  bool twins_differ(const std::vector<const MaskToken*>& tokens) const;
  std::optional<TokenKind> kind_of(const std::vector<std::size_t>& place) const;
  Mask with_neighbours(std::size_t at, TokenKind kind, bool of_its_line) const;
  std::optional<Mask> mask_at(const std::vector<std::size_t>& place, TokenKind kind) const;
  bool only_there(const Mask& mask, const std::vector<std::size_t>& place) const;
  bool only_where_counting(const Mask& mask) const;
  bool only_where_random(const Mask& mask) const;
  bool covers(const Mask& mask, const std::vector<std::size_t>& place) const;

  const Looks kind_;
  const bool numbers_count_;
  const std::span<const WallTime> seen_;
  const std::size_t polls_;
  std::vector<Tokens> tokens_;                      // of each look
  std::vector<std::vector<std::size_t>> maskable_;  // indexes of tokens that a mask could take
  std::vector<std::vector<std::size_t>> next_;
};

// From version to version a date differs because it was put off as well: it has to follow the
// clock.
bool Finder::runs(const std::vector<const MaskToken*>& tokens, TokenKind kind) const {
  constexpr std::size_t enough = 3;
  if (!is_of_time(kind)) return false;
  if (seen_.empty()) return kind == TokenKind::age && tokens.size() >= enough;
  std::vector<std::string_view> values;
  values.reserve(tokens.size());
  for (const MaskToken* token : tokens) values.push_back(token->text);
  return runs_with_the_clock(values, kind, seen_);
}

// News stays for a while: what is another at nearly every look has not changed once or twice. A
// small number may be the same by chance, of five looks once; and two that alternate may be an old
// and a new one, from two servers.
bool keeps_differing(const std::vector<const MaskToken*>& tokens) {
  std::size_t same = 0, values = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    same += i > 0 && tokens[i]->text == tokens[i - 1]->text;
    values += std::none_of(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(i),
                           [&](const MaskToken* other) { return other->text == tokens[i]->text; });
  }
  return 3 * same + 1 < tokens.size() && values >= std::min<std::size_t>(tokens.size(), 3);
}

bool Finder::twins_differ(const std::vector<const MaskToken*>& tokens) const {
  for (std::size_t i = polls_ + 1; i < tokens.size(); ++i) {
    if (tokens[i]->text != tokens[i - 1]->text) return true;
  }
  return false;
}

// Views, likes: they only grow, and say what they are. News between two versions leaves them as
// they are.
bool Finder::counts(const std::vector<std::size_t>& place) const {
  const Counter counter = counter_at(tokens_.back(), place.back());
  if (numbers_count_ || counter == Counter::none) return false;
  std::size_t steps = 0;
  std::optional<double> last;
  for (std::size_t i = 0; i < place.size(); ++i) {
    const std::optional<double> now = counted_at(tokens_[i], place[i]);
    if (!now || counter_at(tokens_[i], place[i]) != counter) return false;
    if (last && *now < *last && counter != Counter::present) return false;
    steps += last && *now != *last ? 1 : 0;
    last = now;
  }
  return steps >= (counter == Counter::talk ? 2 : 1);
}

// None: what is there must not be masked.
std::optional<TokenKind> Finder::kind_of(const std::vector<std::size_t>& place) const {
  std::vector<const MaskToken*> tokens;
  for (std::size_t i = 0; i < place.size(); ++i) tokens.push_back(&tokens_[i][place[i]]);
  const std::optional<TokenKind> kind = common_kind(tokens);
  if (!kind) return std::nullopt;
  // An old mask knows it in one look and not in another: what is around it has changed.
  if (std::ranges::any_of(tokens, [](const MaskToken* token) { return is_mark(*token); }))
    return std::nullopt;
  if (kind_ == Looks::versions && !runs(tokens, *kind)) return std::nullopt;
  if (kind_ == Looks::polls && !is_random(*kind)) return std::nullopt;
  if (kind_ == Looks::counts) {
    if (counts(place)) return TokenKind::count;
    return runs(tokens, *kind) ? kind : std::nullopt;
  }
  if (kind_ == Looks::twins) {
    if (!seen_.empty() && is_of_time(*kind) && runs(tokens, *kind)) return kind;
    if (!twins_differ(tokens)) return std::nullopt;
    if (is_random(*kind)) return kind;
  }
  if (!keeps_differing(tokens)) return std::nullopt;
  if (*kind != TokenKind::number) return kind;
  if (numbers_count_) return std::nullopt;
  for (std::size_t i = 0; i < place.size(); ++i) {
    if (number_matters(tokens_[i], place[i])) return std::nullopt;
  }
  return kind;
}

bool Finder::only_there(const Mask& mask, const std::vector<std::size_t>& place) const {
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    for (const std::size_t at : maskable_[i]) {
      if (matches(mask, tokens_[i], at) != (at == place[i])) return false;
    }
  }
  return true;
}

bool Finder::covers(const Mask& mask, const std::vector<std::size_t>& place) const {
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    if (!matches(mask, tokens_[i], place[i])) return false;
  }
  return true;
}

// Each link of a list may have a token of its own, and the next one will have one, too. In a list
// whose order differs, what is here in one look is there in another.
bool Finder::only_where_random(const Mask& mask) const {
  if (!is_random(mask.kind)) return false;
  std::unordered_map<std::string_view, std::size_t, KeyedHash> look_of;  // each value
  std::vector<std::size_t> places(tokens_.size());
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    for (const std::size_t at : maskable_[i]) {
      if (!matches(mask, tokens_[i], at)) continue;
      if (look_of.try_emplace(tokens_[i][at].text, i).first->second != i) return false;
      ++places[i];
    }
  }
  return std::ranges::adjacent_find(places, std::ranges::not_equal_to()) == places.end();
}

// Each article of a list has its views, and their words make them what they are.
bool Finder::only_where_counting(const Mask& mask) const {
  if (kind_ != Looks::counts) return false;
  std::vector<std::size_t> places(tokens_.size());
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    for (const std::size_t at : maskable_[i]) {
      if (!matches(mask, tokens_[i], at)) continue;
      if (counter_at(tokens_[i], at) == Counter::none) return false;
      ++places[i];
    }
  }
  return std::ranges::adjacent_find(places, std::ranges::not_equal_to()) == places.end();
}

// So that a mask, of six of them and every byte escaped, has room in a table. Masked lines are
// other lines before they are masked.
bool may_be_near(const MaskToken& token) {
  constexpr std::size_t longest_neighbour = 200;
  return token.text.size() <= longest_neighbour && !(token.kind && is_of_lines(*token.kind));
}

// Both of one text.
bool in_one_line(const MaskToken& token, const MaskToken& next) {
  const char* const end = token.text.data() + token.text.size();
  return std::find(end, next.text.data(), '\n') == next.text.data();
}

bool is_word(const MaskToken& token) {
  return !token.kind && std::ranges::any_of(token.text, is_wordlike);
}

// Signs alone are around many places of a document of data: there the name before them belongs to
// it.
Mask Finder::with_neighbours(std::size_t at, TokenKind kind, bool of_its_line) const {
  const Tokens& tokens = tokens_.back();
  Mask mask{.kind = kind, .before = {}, .after = {}};
  bool named = false;
  const auto has_enough = [&named](const std::vector<std::string>& side) {
    return side.size() >= (named ? neighbours_each_side : furthest_neighbour);
  };
  for (std::size_t i = at; i > 0 && !has_enough(mask.before); --i) {
    if (!may_be_near(tokens[i - 1]) || (of_its_line && !in_one_line(tokens[i - 1], tokens[i])))
      break;
    mask.before.insert(mask.before.begin(), generalised(tokens[i - 1]));
    named = named || is_word(tokens[i - 1]);
  }
  if (!named) {
    const std::size_t most = std::min(mask.before.size(), neighbours_each_side);
    mask.before.erase(mask.before.begin(), mask.before.end() - static_cast<std::ptrdiff_t>(most));
  }
  for (std::size_t i = at + 1; i < tokens.size() && mask.after.size() < neighbours_each_side; ++i) {
    if (!may_be_near(tokens[i]) || (of_its_line && !in_one_line(tokens[i - 1], tokens[i]))) break;
    mask.after.push_back(generalised(tokens[i]));
  }
  return mask;
}

// With neighbours of its own line, if it has two: the lines beside it may be news. Else with those
// on both sides, or with those before it where what follows differs, too.
std::optional<Mask> Finder::mask_at(const std::vector<std::size_t>& place, TokenKind kind) const {
  Mask mask = with_neighbours(place.back(), kind, true);
  if (mask.before.size() + mask.after.size() >= 2 && has_context(mask) &&
      (only_there(mask, place) || only_where_random(mask) || only_where_counting(mask)))
    return mask;
  mask = with_neighbours(place.back(), kind, false);
  if (has_context(mask) && only_there(mask, place)) return mask;
  if (mask.before.size() < neighbours_each_side) return std::nullopt;
  mask.after.clear();
  return has_context(mask) && only_there(mask, place) ? std::optional(mask) : std::nullopt;
}

std::vector<Mask> Finder::masks() const {
  std::vector<Mask> found;
  std::size_t candidates = 0;
  for (const std::size_t first : maskable_.front()) {
    std::vector<std::size_t> place{first};
    bool differs = false;
    for (std::size_t i = 0; i < next_.size() && place.back() != nowhere; ++i) {
      const std::size_t next = next_[i][place.back()];
      differs = differs ||
                (next != nowhere && tokens_[i + 1][next].text != tokens_[i][place.back()].text);
      place.push_back(next);
    }
    if (!differs || place.back() == nowhere) continue;
    const std::optional<TokenKind> kind = kind_of(place);
    if (!kind) continue;
    const auto covers_place = [&](const Mask& mask) { return covers(mask, place); };
    if (std::ranges::any_of(found, covers_place)) continue;
    if (++candidates > most_candidates || found.size() == most_masks) break;
    std::optional<Mask> mask = mask_at(place, *kind);
    if (mask) found.push_back(std::move(*mask));
  }
  return found;
}

}  // namespace

bool is_telling_word(std::string_view word) {
  return std::find(telling_words.begin(), telling_words.end(), lowered(word)) !=
         telling_words.end();
}

bool number_matters(const std::vector<MaskToken>& tokens, std::size_t at) {
  if (tokens[at].in_url) return false;
  if (looks_like_price_or_version(tokens, at)) return true;
  constexpr std::size_t before = 5, after = 3;
  const std::size_t begin = at - std::min(at, before);
  const std::size_t end = std::min(at + after + 1, tokens.size());
  for (std::size_t i = begin; i < end; ++i) {
    if (i != at && !tokens[i].kind && !tokens[i].in_url && is_telling_word(tokens[i].text))
      return true;
  }
  return false;
}

Noise find_masks_after_polls(std::span<const std::string_view> looks, std::size_t polls, Looks kind,
                             bool numbers_count, std::span<const WallTime> seen) {
  Noise noise;
  const auto all_equal = [](const auto& texts) {
    return std::adjacent_find(texts.begin(), texts.end(), std::not_equal_to<>()) == texts.end();
  };
  if (looks.size() >= 2 && !all_equal(looks))
    noise.masks = Finder(looks, kind, numbers_count, seen, polls).masks();
  std::vector<std::string> masked;
  for (const std::string_view look : looks.subspan(polls))
    masked.push_back(extract::apply(noise.masks, look).text);
  noise.explained = all_equal(masked);
  return noise;
}

Noise find_masks(std::span<const std::string_view> looks, Looks kind, bool numbers_count,
                 std::span<const WallTime> seen) {
  // Of a counter the versions before the last two tell that it has counted up; there may have been
  // news in between.
  const std::size_t polls =
      kind == Looks::counts && looks.size() > 2 ? looks.size() - 2 : std::size_t{0};
  return find_masks_after_polls(looks, polls, kind, numbers_count, seen);
}

}  // namespace pollux::extract

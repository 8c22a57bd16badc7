#include "extract/mask_counters.hpp"

#include "extract/mask_match.hpp"
#include "pollux/extract/masks.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

namespace pollux::extract {
namespace {

constexpr auto words_of_readers = std::to_array<std::string_view>({"views",
                                                                   "pageviews",
                                                                   "hits",
                                                                   "visits",
                                                                   "visitors",
                                                                   "viewers",
                                                                   "readers",
                                                                   "reads",
                                                                   "likes",
                                                                   "downloads",
                                                                   "plays",
                                                                   "listens",
                                                                   "listeners",
                                                                   "followers",
                                                                   "subscribers",
                                                                   "impressions",
                                                                   "clicks",
                                                                   "aufrufe",
                                                                   "zugriffe",
                                                                   "besucher",
                                                                   "besuche",
                                                                   "leser",
                                                                   "klicks",
                                                                   "abrufe",
                                                                   "vues",
                                                                   "lectures",
                                                                   "visites",
                                                                   "visiteurs",
                                                                   "abonnés",
                                                                   "téléchargements",
                                                                   "vistas",
                                                                   "visitas",
                                                                   "visualizações",
                                                                   "descargas",
                                                                   "seguidores",
                                                                   "visite",
                                                                   "visualizzazioni",
                                                                   "letture",
                                                                   "bezoekers",
                                                                   "weergaven",
                                                                   "visningar",
                                                                   "wyświetleń",
                                                                   "odsłon",
                                                                   "просмотров",
                                                                   "просмотры",
                                                                   "浏览",
                                                                   "阅读",
                                                                   "点赞",
                                                                   "閲覧",
                                                                   "♥",
                                                                   "❤",
                                                                   "👁",
                                                                   "👍",
                                                                   "visualizaciones"});
constexpr auto words_of_talk = std::to_array<std::string_view>(
    {"comments",     "comment",     "replies",     "kommentare",    "antworten",  "commentaires",
     "comentarios",  "members",     "mitglieder",  "membres",       "stars",      "forks",
     "installs",     "reposts",     "retweets",    "favorites",     "favourites", "bookmarks",
     "ratings",      "reviews",     "responses",   "reactions",     "claps",      "réponses",
     "respuestas",   "bewertungen", "rezensionen", "évaluations",   "reseñas",    "opiniones",
     "valoraciones", "recensioni",  "reacties",    "beoordelingen", "like",       "💬"});
// Of a company, too: only in one line with views.
constexpr auto words_of_passing_on =
    std::to_array<std::string_view>({"share", "shares", "saves", "pins"});
constexpr auto words_of_presence =
    std::to_array<std::string_view>({"online", "watching", "viewing", "browsing", "guests"});
// Servers and shops are online, too.
constexpr auto who_is_there = std::to_array<std::string_view>(
    {"people", "users", "members", "guests", "visitors", "readers", "viewers", "others", "benutzer",
     "nutzer", "mitglieder", "gäste", "besucher", "membres", "invités", "usuarios", "personas"});
// "Viewed 1,204 times".
constexpr auto what_was_done = std::to_array<std::string_view>(
    {"viewed", "read", "visited", "seen", "downloaded", "played", "watched", "opened", "shared",
     "clicked", "liked", "gelesen", "angesehen", "aufgerufen", "vu", "lu", "visto", "leído"});
constexpr auto so_often =
    std::to_array<std::string_view>({"times", "mal", "fois", "veces", "volte"});
// "1,204 people read this".
constexpr auto whom = std::to_array<std::string_view>(
    {"people", "persons", "users", "others", "personen", "nutzer", "personnes", "personas"});
constexpr auto what_they_do =
    std::to_array<std::string_view>({"read", "viewed", "view", "like", "liked", "saw", "visited",
                                     "follow", "downloaded", "shared", "watched", "have"});

constexpr std::size_t most_of_a_phrase = 10;  // tokens: "20 members and 3 guests online"

template <std::size_t n>
bool is_one_of(const MaskToken& token, const std::array<std::string_view, n>& words) {
  return !token.kind && std::ranges::find(words, lowered(token.text)) != words.end();
}

bool stands_in_line_with(const MaskToken& token, const MaskToken& next) {
  const char* const end = token.text.data() + token.text.size();
  return std::find(end, next.text.data(), '\n') == next.text.data();
}

// Behind the number, without what belongs to it.
std::size_t factor_length(const std::vector<MaskToken>& tokens, std::size_t at) {
  if (at + 1 >= tokens.size()) return 0;
  const MaskToken &number = tokens[at], &next = tokens[at + 1];
  const bool joined = number.text.data() + number.text.size() == next.text.data();
  return joined && (next.text == "k" || next.text == "K" || next.text == "M") ? 1 : 0;
}

// The tokens of its line around a number; null beyond its ends.
struct Around {
  const std::vector<MaskToken>& tokens;
  std::size_t begin, end;  // of the line

  Around(const std::vector<MaskToken>& all, std::size_t at) : tokens(all), begin(at), end(at + 1) {
    constexpr std::size_t far = 12;
    while (begin > 0 && at - begin < far && stands_in_line_with(all[begin - 1], all[begin]))
      --begin;
    while (end < all.size() && end - at < far && stands_in_line_with(all[end - 1], all[end])) ++end;
  }
  template <std::size_t n>
  bool says(std::size_t at, const std::array<std::string_view, n>& words) const {
    return at >= begin && at < end && is_one_of(tokens[at], words);
  }
  // Right behind the number, or before it: with a colon or a bracket between at most.
  template <std::size_t n>
  bool is_beside(std::size_t at, const std::array<std::string_view, n>& words) const {
    if (says(at + 1 + factor_length(tokens, at), words)) return true;
    if (at == begin) return false;
    const std::string_view sign = tokens[at - 1].text;
    const bool skips = at - 1 > begin && (sign == ":" || sign == "(");
    return says(at - (skips ? 2 : 1), words);
  }
};

}  // namespace

std::optional<double> counted_at(const std::vector<MaskToken>& tokens, std::size_t at) {
  const std::string_view text = tokens[at].text;
  const bool shortened = factor_length(tokens, at) > 0;
  std::string digits;
  std::size_t since_sign = 0;
  bool grouped = false;
  for (const char c : text) {
    if (is_digit(c)) {
      digits += c;
      ++since_sign;
      continue;
    }
    if (shortened) {
      digits += '.';
      continue;
    }
    if ((grouped && since_sign != 3) || since_sign == 0 || since_sign > 3) return std::nullopt;
    grouped = true;
    since_sign = 0;
  }
  if (!shortened && grouped && since_sign != 3) return std::nullopt;
  double value = 0;
  const auto [stop, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (problem != std::errc{} || stop != digits.data() + digits.size()) return std::nullopt;
  return shortened ? value * (tokens[at + 1].text == "M" ? 1e6 : 1e3) : value;
}

Counter counter_at(const std::vector<MaskToken>& tokens, std::size_t at) {
  if (tokens[at].in_url || tokens[at].kind != TokenKind::number) return Counter::none;
  const Around line(tokens, at);
  for (std::size_t i = line.begin; i < line.end; ++i) {
    if (i != at && !tokens[i].kind && is_telling_word(tokens[i].text)) return Counter::none;
  }
  bool people = false, there = false;
  for (std::size_t i = line.begin; i < line.end; ++i) {
    people = people || is_one_of(tokens[i], who_is_there);
    there = there || is_one_of(tokens[i], words_of_presence);
  }
  if (people && there && line.end - line.begin <= most_of_a_phrase) return Counter::present;
  if (line.is_beside(at, words_of_readers)) return Counter::readers;
  if (at > line.begin && line.says(at - 1, what_was_done) && line.says(at + 1, so_often))
    return Counter::readers;
  if (line.says(at + 1, whom) && line.says(at + 2, what_they_do)) return Counter::readers;
  const bool talk = line.is_beside(at, words_of_talk);
  if (!talk && !line.is_beside(at, words_of_passing_on)) return Counter::none;
  for (std::size_t i = line.begin; i < line.end; ++i) {
    if (i != at && tokens[i].kind && line.is_beside(i, words_of_readers)) return Counter::readers;
  }
  return talk ? Counter::talk : Counter::none;
}

}  // namespace pollux::extract

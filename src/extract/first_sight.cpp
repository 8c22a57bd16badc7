#include "extract/first_sight.hpp"

#include "extract/ascii_text.hpp"
#include "pollux/diff/diff.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace pollux::extract {
namespace {

constexpr std::size_t words_of_a_page = 50;
constexpr std::size_t searched = 400;  // bytes of what is kept

// How titles and headings begin; an error number may stand before.
constexpr auto challenges = std::to_array<std::string_view>({"just a moment",
                                                             "attention required",
                                                             "checking your browser",
                                                             "verifying you are human",
                                                             "verify you are human",
                                                             "are you a robot",
                                                             "are you human",
                                                             "human verification",
                                                             "access denied",
                                                             "access to this page has been denied",
                                                             "security check",
                                                             "ddos-guard",
                                                             "pardon our interruption",
                                                             "request unsuccessful",
                                                             "enable javascript and cookies",
                                                             "zugriff verweigert",
                                                             "einen moment",
                                                             "accès refusé",
                                                             "un instant",
                                                             "acceso denegado",
                                                             "un momento",
                                                             "accesso negato",
                                                             "toegang geweigerd",
                                                             "доступ запрещ"});
constexpr auto troubles =
    std::to_array<std::string_view>({"bad gateway",
                                     "gateway timeout",
                                     "gateway time-out",
                                     "service unavailable",
                                     "service temporarily unavailable",
                                     "temporarily unavailable",
                                     "site temporarily unavailable",
                                     "internal server error",
                                     "server error",
                                     "too many requests",
                                     "error establishing a database connection",
                                     "web server is down",
                                     "connection timed out",
                                     "origin is unreachable",
                                     "an error occurred",
                                     "application error",
                                     "the service is unavailable",
                                     "backend fetch failed",
                                     "briefly unavailable",
                                     "we'll be back soon",
                                     "down for maintenance",
                                     "site maintenance",
                                     "under maintenance",
                                     "scheduled maintenance",
                                     "maintenance mode",
                                     "interner serverfehler",
                                     "serverfehler",
                                     "dienst nicht verfügbar",
                                     "vorübergehend nicht erreichbar",
                                     "vorübergehend nicht verfügbar",
                                     "wartungsarbeiten",
                                     "wartungsmodus",
                                     "service indisponible",
                                     "service temporairement indisponible",
                                     "erreur interne",
                                     "erreur serveur",
                                     "site en maintenance",
                                     "servicio no disponible",
                                     "servicio temporalmente no disponible",
                                     "error interno",
                                     "error del servidor",
                                     "sitio en mantenimiento",
                                     "servizio non disponibile",
                                     "errore interno",
                                     "errore del server",
                                     "serviço indisponível",
                                     "erro interno",
                                     "dienst niet beschikbaar",
                                     "interne serverfout",
                                     "usługa niedostępna",
                                     "błąd serwera",
                                     "сервис недоступен",
                                     "ошибка сервера",
                                     "サーバーエラー",
                                     "服务器错误"});
constexpr auto missing_pages = std::to_array<std::string_view>({"not found",
                                                                "page not found",
                                                                "file not found",
                                                                "the page you are looking for",
                                                                "the requested url was not found",
                                                                "this page does not exist",
                                                                "this page doesn't exist",
                                                                "page does not exist",
                                                                "seite nicht gefunden",
                                                                "nicht gefunden",
                                                                "page introuvable",
                                                                "page non trouvée",
                                                                "página no encontrada",
                                                                "no encontrada",
                                                                "pagina non trovata",
                                                                "página não encontrada",
                                                                "pagina niet gevonden",
                                                                "strona nie została znaleziona",
                                                                "nie znaleziono strony",
                                                                "страница не найдена",
                                                                "ページが見つかりません",
                                                                "页面不存在",
                                                                "找不到页面"});
// Words that say nothing else may stand before.
constexpr auto openings = std::to_array<std::string_view>(
    {"error", "http", "fehler", "erreur", "oops", "sorry", "ошибка", "status"});

std::string_view past_opening(std::string_view text) {
  const auto skip_signs = [&] {
    const auto is_sign = [](char c) {
      return is_digit(c) || is_space(c) ||
             std::string_view(":-|!.,#()").find(c) != std::string_view::npos;
    };
    while (!text.empty() && is_sign(text.front())) text.remove_prefix(1);
    for (const std::string_view dash : {"–", "—", "…"}) {
      if (!text.starts_with(dash)) continue;
      text.remove_prefix(dash.size());
      while (!text.empty() && is_sign(text.front())) text.remove_prefix(1);
    }
  };
  skip_signs();
  for (std::size_t i = 0; i < openings.size(); ++i) {
    const std::string_view word = openings[i];
    const bool is_whole =
        text.size() == word.size() || (text.size() > word.size() && !is_letter(text[word.size()]));
    // "Server error" is no opening, but "error 502" is.
    if (!text.starts_with(word) || !is_whole) continue;
    text.remove_prefix(word.size());
    skip_signs();
    i = static_cast<std::size_t>(-1);
  }
  return text;
}

bool is_wordlike_byte(char c) {
  return is_letter(c) || is_digit(c) || (static_cast<unsigned char>(c) & 0x80U) != 0;
}

template <std::size_t n>
bool begins_with_one_of(std::string_view text, const std::array<std::string_view, n>& phrases) {
  return std::ranges::any_of(phrases,
                             [&](std::string_view phrase) { return text.starts_with(phrase); });
}

// A title, or the beginning of a line.
std::optional<Suspicion> said_in(std::string_view line) {
  const std::string small = lowered(line);
  const std::string_view whole = trimmed(small);
  const std::string_view text = past_opening(whole);
  for (const std::string_view one : {whole, text}) {
    if (begins_with_one_of(one, challenges)) return Suspicion::challenge;
    if (begins_with_one_of(one, troubles)) return Suspicion::maintenance;
    if (begins_with_one_of(one, missing_pages)) return Suspicion::not_found;
  }
  if (whole.empty() || !text.empty()) return std::nullopt;
  if (whole.starts_with("404") || whole.ends_with("404")) return Suspicion::not_found;
  // "Error", "Fehler 500", "503": nothing but an error.
  const bool only_number = std::ranges::all_of(whole, is_digit);
  if (only_number && whole != "500" && whole != "502" && whole != "503" && whole != "504")
    return std::nullopt;
  return std::ranges::any_of(whole, is_wordlike_byte) ? std::optional(Suspicion::maintenance)
                                                      : std::nullopt;
}

}  // namespace

std::optional<Suspicion> error_at_first_sight(const Sighting& now) {
  if (now.traits == nullptr || !now.html) return std::nullopt;
  const Traits& traits = *now.traits;
  if (std::max(traits.words, diff::count_words(now.content.substr(0, 16 * searched))) >=
      words_of_a_page)
    return std::nullopt;
  if (std::ranges::any_of(traits.markers,
                          [](const std::string& marker) { return marker != end_of_html; }))
    return Suspicion::challenge;
  // "Accepted", "partial", "made for you": not what a page is sent with.
  if (now.status > 200) return Suspicion::maintenance;
  if (now.empty) return Suspicion::collapse;
  if (const auto said = said_in(traits.title)) return said;
  std::string_view text = now.content.substr(0, searched);
  for (int lines = 0; lines < 3 && !text.empty(); ++lines) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    // Data may have a line "404"; a page says it in its title or in words.
    const std::string_view line = trimmed(text.substr(0, end));
    if (std::ranges::any_of(line, is_wordlike_byte) && !std::ranges::all_of(line, is_digit)) {
      if (const auto said = said_in(line)) return said;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return std::nullopt;
}

}  // namespace pollux::extract

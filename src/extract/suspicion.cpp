#include "pollux/extract/suspicion.hpp"

#include "extract/ascii_text.hpp"
#include "extract/first_sight.hpp"
#include "pollux/base/keyed_hash.hpp"
#include "pollux/diff/diff.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace pollux::extract {
namespace {

constexpr std::array<std::string_view, 7> reason_names = {
    "bot challenge", "login wall", "consent page",       "soft 404",
    "maintenance",   "collapse",   "same as other pages"};

// Words alone prove nothing: documentation is full of "not found". They count in a title or an
// address, where they are new, and where the page has lost itself at the same time.
constexpr auto challenge_titles = std::to_array<std::string_view>(
    {"just a moment", "attention required", "checking your browser", "verifying you are human",
     "are you a robot", "access denied", "security check", "captcha", "ddos-guard"});
constexpr auto login_addresses =
    std::to_array<std::string_view>({"login", "log-in", "logon", "signin", "sign-in", "sign_in",
                                     "sso", "oauth", "authorize", "saml", "anmelden", "connexion"});
constexpr auto consent_marks = std::to_array<std::string_view>(
    {"consent", "cookie", "gdpr", "dsgvo", "privacy-gate", "privacywall", "before you continue",
     "datenschutz-zustimmung", "zustimmung"});
constexpr auto maintenance_titles = std::to_array<std::string_view>(
    {"maintenance", "be right back", "be back soon", "temporarily unavailable",
     "temporarily offline", "service unavailable", "wartung", "down for", "under construction",
     "503"});

constexpr auto missing_titles = std::to_array<std::string_view>(
    {"not found", "404", "no longer available", "does not exist", "nicht gefunden", "introuvable",
     "no encontrada", "non trovata"});

constexpr std::size_t words_that_can_collapse = 50;  // fewer are no page, but a price
constexpr double collapsed_below = 0.2;              // of the words
constexpr double unlike_below = 0.3;                 // similarity to what was believed
constexpr double alike_from = 0.9, other_below = 0.5;

template <std::size_t n>
bool has_one_of(std::string_view text, const std::array<std::string_view, n>& marks) {
  const std::string small = lowered(text);
  return std::any_of(marks.begin(), marks.end(),
                     [&](std::string_view mark) { return small.find(mark) != std::string::npos; });
}

// Scheme and host, and what follows without query and fragment.
struct Address {
  std::string_view origin, path;
};
Address address_of(std::string_view url) {
  url = url.substr(0, url.find_first_of("?#"));
  const std::size_t scheme = url.find("://");
  const std::size_t slash = scheme == std::string_view::npos ? 0 : url.find('/', scheme + 3);
  if (slash == std::string_view::npos) return {url, {}};
  return {url.substr(0, slash), url.substr(slash)};
}
bool is_elsewhere(std::string_view a, std::string_view b) {
  const Address x = address_of(a), y = address_of(b);
  const auto plain = [](std::string_view path) {
    while (path.ends_with('/')) path.remove_suffix(1);
    return path;
  };
  return x.origin != y.origin || plain(x.path) != plain(y.path);
}

struct Comparison {
  const Sighting& now;
  const Sighting& before;
  Traits none;  // for what is not HTML
  const Traits& traits_now = now.traits != nullptr ? *now.traits : none;
  const Traits& traits_before = before.traits != nullptr ? *before.traits : none;

  static std::size_t words(const Traits& traits, std::string_view content) {
    return traits.words > 0 ? traits.words : diff::count_words(content);
  }
  std::size_t words_now() const { return words(traits_now, now.content); }
  std::size_t words_before() const { return words(traits_before, before.content); }

  // An answer from where the last one did not come from.
  bool moved() const { return is_elsewhere(now.final_url, before.final_url); }
  bool collapsed() const {
    return words_before() >= words_that_can_collapse &&
           static_cast<double>(words_now()) < collapsed_below * static_cast<double>(words_before());
  }
  bool lost_half() const { return 2 * words_now() < words_before(); }
  bool unlike() const { return similarity(now.content, before.content) < unlike_below; }
  // The page is not what it was: hardly anything is left of it.
  bool lost() const { return collapsed() || unlike(); }

  template <std::size_t n>
  bool title_says(const std::array<std::string_view, n>& marks) const {
    return has_one_of(traits_now.title, marks) && !has_one_of(traits_before.title, marks);
  }
  // Where the answer came from, but not what was asked for.
  template <std::size_t n>
  bool address_says(const std::array<std::string_view, n>& marks) const {
    return moved() && has_one_of(now.final_url, marks) && !has_one_of(now.asked_url, marks) &&
           !has_one_of(before.final_url, marks);
  }
};

bool sent_a_challenge(const Comparison& page) {
  const std::string sent = lowered(page.now.challenge_header);
  return sent.find("challenge") != std::string::npos || sent.find("captcha") != std::string::npos;
}

bool is_challenge(const Comparison& page) {
  if (sent_a_challenge(page)) return true;
  const std::vector<std::string>& known = page.traits_before.markers;
  const bool marked = std::any_of(
      page.traits_now.markers.begin(), page.traits_now.markers.end(), [&](const std::string& mark) {
        return mark != end_of_html && std::find(known.begin(), known.end(), mark) == known.end();
      });
  return (marked || page.title_says(challenge_titles)) && page.lost();
}

bool is_login(const Comparison& page) {
  const bool new_field = page.traits_now.password_fields > page.traits_before.password_fields;
  if (new_field) return page.moved() || (page.lost_half() && page.unlike()) || page.collapsed();
  return page.address_says(login_addresses) && page.lost();
}

// A banner in the page is no wall: only an answer from elsewhere is.
bool is_consent(const Comparison& page) {
  const bool says =
      page.address_says(consent_marks) || (page.moved() && page.title_says(consent_marks));
  return says && page.lost();
}

bool is_not_found(const Comparison& page, std::string_view missing) {
  if (page.title_says(missing_titles) && page.lost()) return true;
  return !missing.empty() && similarity(page.now.content, missing) >= alike_from &&
         similarity(page.before.content, missing) < other_below;
}

bool is_maintenance(const Comparison& page) {
  return page.title_says(maintenance_titles) && page.lost_half() && page.lost();
}

// A word takes sixty bytes here; what a page is shows in its first megabyte.
constexpr std::size_t most_compared = 1u << 20;

std::vector<std::uint64_t> hashes_of(std::string_view text) {
  std::vector<std::uint64_t> hashes;
  const std::string_view compared = text.substr(0, most_compared);
  hashes.reserve(compared.size() / 6);
  for (const std::string_view word : diff::split(compared)) hashes.push_back(keyed_hash(word));
  return hashes;
}

// The hash of every run of so many words, by its place.
std::vector<std::uint64_t> runs_of(const std::vector<std::uint64_t>& words, std::size_t length) {
  std::vector<std::uint64_t> runs;
  runs.reserve(words.size());
  for (std::size_t at = 0; at + length <= words.size(); ++at) {
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < length; ++i) hash = keyed_hash(hash, words[at + i]);
    runs.push_back(hash);
  }
  return runs;
}

// The runs of one text. They are hashes already, so the table is one piece and takes them as they
// are.
class RunSet {
 public:
  explicit RunSet(const std::vector<std::uint64_t>& runs)
      : slots_(std::bit_ceil(2 * runs.size() + 2)) {
    for (const std::uint64_t run : runs) slots_[slot_of(run)] = run;
    has_zero_ = std::ranges::find(runs, 0u) != runs.end();
  }
  bool contains(std::uint64_t run) const {
    return run == 0 ? has_zero_ : slots_[slot_of(run)] == run;
  }

 private:
  // Where it is, or would be.
  std::size_t slot_of(std::uint64_t run) const {
    std::size_t at = run & (slots_.size() - 1);
    while (slots_[at] != 0 && slots_[at] != run) at = (at + 1) & (slots_.size() - 1);
    return at;
  }

  std::vector<std::uint64_t> slots_;  // a power of two, at most half full; 0: free
  bool has_zero_ = false;
};

// How many words lie in a run that the other text has, too.
std::size_t covered(const std::vector<std::uint64_t>& runs, const RunSet& others,
                    std::size_t length) {
  std::size_t count = 0, done = 0;
  for (std::size_t at = 0; at < runs.size(); ++at) {
    if (!others.contains(runs[at])) continue;
    count += at + length - std::max(done, at);
    done = at + length;
  }
  return count;
}

}  // namespace

std::string_view name_of(Suspicion reason) {
  return reason_names[static_cast<std::size_t>(reason)];
}

std::optional<Suspicion> suspicion(const Sighting& now, const Sighting& before,
                                   std::string_view missing) {
  const Comparison page{.now = now, .before = before, .none = {}};
  if (is_challenge(page)) return Suspicion::challenge;
  // Nothing is new: whatever it looks like, it looked like that before.
  if (now.content == before.content) return std::nullopt;
  if (is_login(page)) return Suspicion::login;
  if (is_consent(page)) return Suspicion::consent;
  if (is_not_found(page, missing)) return Suspicion::not_found;
  if (is_maintenance(page)) return Suspicion::maintenance;
  if (page.collapsed()) return Suspicion::collapse;
  return std::nullopt;
}

std::optional<Suspicion> suspicion_at_first_sight(const Sighting& now) {
  const Sighting asked{now.asked_url, now.asked_url, {}, nullptr, {}};
  const Comparison page{.now = now, .before = asked, .none = {}};
  if (sent_a_challenge(page)) return Suspicion::challenge;
  if (page.traits_now.password_fields > 0 && page.address_says(login_addresses))
    return Suspicion::login;
  if (page.address_says(consent_marks)) return Suspicion::consent;
  return error_at_first_sight(now);
}

// A stretch of three words that stays is a run that both texts have: where such stretches are half
// of both, their similarity is no less, and nothing else needs to be compared.
bool is_another(std::string_view now, std::string_view before,
                std::span<const diff::Piece> pieces) {
  constexpr std::size_t shortest_run = 3;
  std::size_t words_before = 0, words_in_all = 0, kept = 0;
  for (const diff::Piece& piece : pieces) {
    const std::size_t words = diff::count_words(piece.text);
    const bool stays = piece.edit == diff::Edit::keep;
    if (piece.edit != diff::Edit::add) words_before += words;
    words_in_all += stays ? 2 * words : words;
    if (stays && words >= shortest_run) kept += 2 * words;
  }
  if (words_before < words_that_can_collapse) return false;
  if (static_cast<double>(kept) >= other_below * static_cast<double>(words_in_all)) return false;
  return similarity(now, before) < other_below;
}

bool is_gone(std::string_view text, std::string_view page) {
  const std::vector<std::uint64_t> words = hashes_of(text), others = hashes_of(page);
  if (words.size() < words_that_can_collapse) return false;
  constexpr std::size_t run = 3;
  const std::size_t left = covered(runs_of(words, run), RunSet(runs_of(others, run)), run);
  return static_cast<double>(left) < other_below * static_cast<double>(words.size());
}

double similarity(std::string_view a, std::string_view b) {
  if (a == b) return 1;
  const std::vector<std::uint64_t> x = hashes_of(a), y = hashes_of(b);
  // Of a text of one or two words, that is its run.
  const std::size_t length = std::min({std::size_t{3}, x.size(), y.size()});
  if (length == 0) return x.size() == y.size() ? 1 : 0;
  const std::vector<std::uint64_t> runs_x = runs_of(x, length), runs_y = runs_of(y, length);
  const std::size_t common =
      covered(runs_x, RunSet(runs_y), length) + covered(runs_y, RunSet(runs_x), length);
  return static_cast<double>(common) / static_cast<double>(x.size() + y.size());
}

}  // namespace pollux::extract

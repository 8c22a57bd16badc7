#include "report/health_text.hpp"

#include <array>
#include <string>
#include <string_view>

namespace pollux::report {
namespace {

struct Meaning {
  std::string_view health, text;
};
// What follows from it, behind the reason.
constexpr auto meanings = std::to_array<Meaning>({
    {"failing", "What it had is kept; an error is never a change."},
    {"suspect",
     "That is not taken for the page: it keeps what it had, is asked again at every poll, and "
     "neither this nor its end is a change."},
    {"selector",
     "Nothing is compared until it matches again; what it had is kept. `pollux try URL --select …` "
     "shows what another one would find."},
    {"moved", "It is polled on where the list has it; write the new address there."},
    {"flapping",
     "To and fro between versions that are known is no change; one that is new would be."},
    {"noisy",
     "No mask explains it, so it earns no polls by that, and one change a day is reported at most. "
     "`pollux try URL --twice` shows what differs; leave it out with `remove` or `ignore`."},
    {"masked", "These places are not compared; everything else is."},
});
struct Doubt {
  std::string_view reason, text;
};
// Reasons of suspicion as the table has them.
constexpr auto doubts = std::to_array<Doubt>({
    {"bot challenge", "its last answer was a check whether we are human"},
    {"login wall", "its last answer was a form to log in"},
    {"consent page", "its last answer was a page that asks for consent"},
    {"soft 404", "its last answer says that the page is not there, with status 200"},
    {"maintenance", "its last answer says that its server is in trouble or being maintained"},
    {"collapse", "hardly anything is left of it; if that stays so for an hour, it is believed"},
    {"same as other pages",
     "it has become the same as other pages of its host; if that stays so for a day, it is "
     "believed"},
});

template <typename List>
std::string_view text_for(const List& list, std::string_view key, auto name) {
  for (const auto& entry : list) {
    if (name(entry) == key) return entry.text;
  }
  return {};
}

}  // namespace

std::vector<Line> health_of_page(const store::PageProgress& progress) {
  const std::string& reason = progress.health_reason;
  // A page that is ok has a reason only while its news waits.
  if (progress.health.empty() || progress.health == "ok") {
    if (reason.empty()) return {};
    return {{"news", "waits: " + reason + "."}};
  }
  std::string text = progress.health;
  if (!reason.empty()) {
    const std::string_view plain =
        text_for(doubts, reason, [](const Doubt& doubt) { return doubt.reason; });
    text += ": " + reason + (plain.empty() ? "" : ", " + std::string(plain));
  }
  text += '.';
  const std::string_view meaning =
      text_for(meanings, progress.health, [](const Meaning& one) { return one.health; });
  if (!meaning.empty()) text += ' ' + std::string(meaning);
  return {{"health", text}};
}

}  // namespace pollux::report

// Answers with status 200 that are not the page: login walls, consent pages, bot challenges, soft
// 404s, maintenance pages, a collapse of the size. A suspicion asks for a second look; it is no
// verdict. Pure.
#pragma once

#include "pollux/diff/diff.hpp"
#include "pollux/extract/extract.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace pollux::extract {

struct Sighting {
  std::string_view asked_url, final_url;
  std::string_view challenge_header;  // cf-mitigated or x-amzn-waf-action, as sent; usually empty
  const Traits* traits = nullptr;
  std::string_view content;  // as kept
  int status = 200;          // of the answer
  bool html = false;         // so its header says
  bool empty = false;        // it has no byte
};

enum class Suspicion {
  challenge,
  login,
  consent,
  not_found,
  maintenance,
  collapse,
  alike  // other pages of its host have become the same: nothing in the answer itself tells
};
std::string_view name_of(Suspicion reason);  // as in the table: "bot challenge", "login wall", …

// `before`: the same page as last believed; `missing`: the content of the host's answer for a path
// that cannot exist, empty if there is none or it says nothing (a single-page application answers
// alike everywhere).
std::optional<Suspicion> suspicion(const Sighting& now, const Sighting& before,
                                   std::string_view missing);

// Whether a page of some length has become another one altogether. It may have been rewritten.
// `pieces`: diff::words() of what was before and what is now.
bool is_another(std::string_view now, std::string_view before, std::span<const diff::Piece> pieces);

// Whether hardly anything of a text of some length is left in a whole page.
bool is_gone(std::string_view text, std::string_view page);

// Of a page that nobody has seen so far: only what is certain by itself. A short answer that is an
// error or a challenge would be the baseline, and the page itself a change.
std::optional<Suspicion> suspicion_at_first_sight(const Sighting& now);

// How alike two texts are, from 0 to 1: shared runs of three words. Linear.
double similarity(std::string_view a, std::string_view b);

}  // namespace pollux::extract

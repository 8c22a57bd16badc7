// Answers that are no page whatever the page is: nobody has seen it yet, so there is nothing to
// compare with. Only short ones that say so in their title, heading or first words, or that
// hold a known challenge: a page about such things is longer. What only asks to wait ("coming
// soon", "under construction") is a page: somebody may wait for its end. Pure.
#pragma once

#include "pollux/extract/suspicion.hpp"

#include <optional>

namespace pollux::extract {

std::optional<Suspicion> error_at_first_sight(const Sighting& now);

}  // namespace pollux::extract

// What is kept of a page's noise over a restart: the versions it has left lately, how far it is
// believed, since when it is noisy; and whether its conditions held. One short text; empty for most
// pages. Pure.
#pragma once

#include "engine/page_table.hpp"

#include <string>
#include <string_view>

namespace pollux::engine {

std::string noise_text(const PageRecord& page);
// Whatever `text` says is made to fit; what cannot be read is left as it is. The page's counts are
// known already.
void restore_noise(PageRecord& page, std::string_view text);

}  // namespace pollux::engine

// What the demo's pages look like. Pure.
#pragma once

#include "pollux/base/time.hpp"
#include "pollux/demo/world.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace pollux::demo {

// The page after its `changes`-th change, which was at `changed_at`: a list of news, of which the
// oldest goes when one comes.
std::string page_html(PageNumber page, std::uint64_t changes, WallTime changed_at,
                      const NoiseParts& noise = {});
// Links to all pages.
std::string index_html(std::size_t pages);
// "Sun, 06 Nov 1994 08:49:37 GMT"
std::string http_date(WallTime t);

}  // namespace pollux::demo

// The database file of `pollux demo`: a new one for each demonstration, at nobody's cost.
#pragma once

#include "pollux/base/result.hpp"

#include <string>
#include <string_view>

namespace pollux::cli {

// The row of the meta table that says "made by a demo: may be replaced by the next".
inline constexpr std::string_view demo_meta_key = "demo";
inline constexpr std::string_view demo_meta_value = "1";

// Removes the database of an earlier demo. Anything else that stands at `path` stays and is an
// error (cannot_create), as is the database of a demo that still runs (temporary).
Status make_room_for_demo(const std::string& path);

}  // namespace pollux::cli

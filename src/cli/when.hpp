// A moment as people write it, for the commands; see web/when.hpp.
#pragma once

#include "pollux/web/when.hpp"

namespace pollux::cli {

using web::parse_version_number;
using web::parse_when;
using web::when_words;

}  // namespace pollux::cli

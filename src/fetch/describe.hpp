// What header fields mean for a Response: one reading of them for every way an answer can come by.
#pragma once

#include "fetch/header_fields.hpp"
#include "pollux/fetch/fetcher.hpp"

namespace pollux::fetch {

// Takes the fields' strings. Failure and status stay as they are.
void describe(HeaderFields& headers, const Request& request, Response& response);

}  // namespace pollux::fetch

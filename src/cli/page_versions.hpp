// The kept versions of the page that a user means.
#pragma once

#include "cli/database_option.hpp"
#include "pollux/base/result.hpp"
#include "pollux/web/versions.hpp"

#include <string>

namespace pollux::cli {

using web::choose_version;
using web::text_of;

struct PageVersions : web::KeptVersions {
  OpenDatabase database;
};

// missing_input when there is no such page, or nothing of it is kept.
Result<PageVersions> open_versions(const DatabaseOption& option, const std::string& url);

}  // namespace pollux::cli

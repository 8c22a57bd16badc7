// The kept versions of a page, and which of them a user means.
#pragma once

#include "cli/database_option.hpp"
#include "pollux/base/result.hpp"
#include "pollux/store/content.hpp"
#include "pollux/store/rows.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pollux::cli {

struct PageVersions {
  OpenDatabase database;
  store::PageRow page;
  std::unique_ptr<store::ContentReader> content;
  std::vector<store::VersionRow> versions;  // the oldest first; one at least
};

// missing_input when there is no such page, or nothing of it is kept.
Result<PageVersions> open_versions(const DatabaseOption& option, const std::string& url);

// The index of the version with this number (negative: from the end, -1 is the last), or of the one
// that was the newest at this moment. Complaints name the option; missing_input when there is none.
Result<std::size_t> choose_version(const std::vector<store::VersionRow>& versions,
                                   const std::string& text, WallTime now,
                                   const std::string& option);

// missing_input when it was deleted meanwhile.
Result<std::string> text_of(const PageVersions& page, const store::VersionRow& version);

}  // namespace pollux::cli

// The kept versions of a page, which of them somebody means, and what changed between two of them.
// For the commands and the API. Threading: one at a time; nothing is kept.
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/report/diff.hpp"
#include "pollux/report/history.hpp"
#include "pollux/store/content.hpp"
#include "pollux/store/reader.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace pollux::web {

struct KeptVersions {
  store::PageRow page;
  std::unique_ptr<store::ContentReader> content;
  std::vector<store::VersionRow> versions;  // the oldest first; one at least
};
// missing_input when nothing of it is kept.
Result<KeptVersions> kept_versions(const std::string& database, store::PageRow page);

// The index of the version with this number (negative: from the end, -1 is the last), or of the one
// that was the newest at this moment. Complaints name the option; missing_input when there is none.
Result<std::size_t> choose_version(const std::vector<store::VersionRow>& versions,
                                   const std::string& text, WallTime now,
                                   const std::string& option);

// Indices of the versions to compare.
struct DiffEnds {
  std::size_t from = 0, to = 0;
  std::string note = {};  // the oldest was taken, and why
};
// Each end by number or WHEN; empty: the last, and the one before it. `dashes` stand before the
// names in complaints.
Result<DiffEnds> choose_ends(const std::vector<store::VersionRow>& versions,
                             const std::string& from, const std::string& to, WallTime now,
                             const std::string& dashes);

// The version that a change found at this moment led to, and the one before it; missing_input when
// one of them is not kept any more.
Result<DiffEnds> ends_of_change(const std::vector<store::VersionRow>& versions, WallTime found_at);

// missing_input when it was deleted meanwhile.
Result<std::string> text_of(const KeptVersions& page, const store::VersionRow& version);

// The newest first, with what the changes' rows say of them.
Result<std::vector<report::Version>> history_of(store::Reader& reader, const KeptVersions& page);

}  // namespace pollux::web

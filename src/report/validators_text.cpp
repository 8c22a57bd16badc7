#include "report/validators_text.hpp"

#include "pollux/report/text.hpp"

#include <spdlog/fmt/fmt.h>

namespace pollux::report {

std::string validators_text(const store::PageProgress& progress, WallTime now) {
  if (progress.distrusted != 0) {
    return "asked in full every time: its server has answered \"not modified\" (304) although the "
           "content had changed.";
  }
  if (progress.content_hash.empty()) return "asked in full: no content is known yet.";
  if (progress.etag.empty() && progress.last_modified.empty()) {
    return "asked in full every time: its server gives neither ETag nor Last-Modified.";
  }
  return fmt::format(
      "asked only whether it has changed: {} \"not modified\" (304) since it last came in full, "
      "{}. "
      "After 20 of them, or a week, it is asked in full, in case its server always says so.",
      progress.not_modified, ago(progress.last_full_at, now));
}

}  // namespace pollux::report

#include "cli/page_versions.hpp"

#include "cli/page_choice.hpp"
#include "pollux/store/reader.hpp"

namespace pollux::cli {

Result<PageVersions> open_versions(const DatabaseOption& option, const std::string& url) {
  Result<OpenDatabase> database = open_database(option);
  if (!database) return database.error();
  Result<store::PageRow> page = choose_page(*database->reader, url);
  if (!page) return page.error();
  Result<web::KeptVersions> kept = web::kept_versions(database->path, std::move(*page));
  if (!kept) return kept.error();
  return PageVersions{std::move(*kept), std::move(*database)};
}

}  // namespace pollux::cli

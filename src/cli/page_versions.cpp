#include "cli/page_versions.hpp"

#include "cli/page_choice.hpp"
#include "cli/when.hpp"
#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"
#include "pollux/store/reader.hpp"

#include <algorithm>
#include <optional>

#include <spdlog/fmt/fmt.h>

namespace pollux::cli {
namespace {

Error nothing_kept(const store::PageRow& page) {
  return {fmt::format("nothing is kept of {}: {}", printable_url(page.spec.url),
                      page.progress.last_confirmed_at
                          ? "`storage: { content: … }` says how much is kept, and for how long"
                          : "its content has not been seen yet"),
          ExitCode::missing_input};
}

std::string range_of(const std::vector<store::VersionRow>& versions) {
  const auto name = [](const store::VersionRow& version) {
    return fmt::format("{} of {}", version.number, format_time(version.seen_at));
  };
  if (versions.size() == 1) return "only version " + name(versions.front()) + " is kept";
  return fmt::format("kept are versions {} to {}", name(versions.front()), name(versions.back()));
}

}  // namespace

Result<PageVersions> open_versions(const DatabaseOption& option, const std::string& url) {
  Result<OpenDatabase> database = open_database(option);
  if (!database) return database.error();
  Result<store::PageRow> page = choose_page(*database->reader, url);
  if (!page) return page.error();
  Result<std::unique_ptr<store::ContentReader>> content =
      store::ContentReader::open(database->path);
  if (!content) {
    const bool missing = content.error().exit_code == ExitCode::missing_input;
    return missing ? nothing_kept(*page) : content.error();
  }
  Result<std::vector<store::VersionRow>> versions = (*content)->versions(page->spec.url);
  if (!versions) return versions.error();
  if (versions->empty()) return nothing_kept(*page);
  return PageVersions{std::move(*database), std::move(*page), std::move(*content),
                      std::move(*versions)};
}

Result<std::size_t> choose_version(const std::vector<store::VersionRow>& versions,
                                   const std::string& text, WallTime now,
                                   const std::string& option) {
  const auto complain = [&](const std::string& problem) {
    return Error{
        fmt::format("{} {}: {}; {}", option, printable(text, 60), problem, range_of(versions)),
        ExitCode::missing_input};
  };
  if (const std::optional<std::int64_t> number = parse_version_number(text)) {
    const auto size = std::ssize(versions);
    if (*number < 0) {
      if (*number < -size) return complain("so many are not kept");
      return static_cast<std::size_t>(size + *number);
    }
    const auto found =
        std::find_if(versions.begin(), versions.end(),
                     [&](const store::VersionRow& version) { return version.number == *number; });
    if (found == versions.end()) return complain("there is no such version");
    return static_cast<std::size_t>(found - versions.begin());
  }
  const Result<WallTime> moment = parse_when(text, now, option);
  if (!moment) {
    return Error{moment.error().message + ", or the number of a version", moment.error().exit_code};
  }
  const auto later =
      std::find_if(versions.begin(), versions.end(),
                   [&](const store::VersionRow& version) { return version.seen_at > *moment; });
  if (later == versions.begin()) return complain("nothing is kept from then");
  return static_cast<std::size_t>(later - versions.begin()) - 1;
}

Result<std::string> text_of(const PageVersions& page, const store::VersionRow& version) {
  Result<std::optional<std::string>> text = page.content->text(page.page.spec.url, version.number);
  if (!text) return text.error();
  if (*text) return std::move(**text);
  return Error{fmt::format("version {} of {} is not kept any more", version.number,
                           printable_url(page.page.spec.url)),
               ExitCode::missing_input};
}

}  // namespace pollux::cli

#include "pollux/web/versions.hpp"

#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"
#include "pollux/web/when.hpp"

#include <algorithm>
#include <optional>

#include <spdlog/fmt/fmt.h>

namespace pollux::web {
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

Result<KeptVersions> kept_versions(const std::string& database, store::PageRow page) {
  Result<std::unique_ptr<store::ContentReader>> content = store::ContentReader::open(database);
  if (!content) {
    const bool missing = content.error().exit_code == ExitCode::missing_input;
    return missing ? nothing_kept(page) : content.error();
  }
  Result<std::vector<store::VersionRow>> versions = (*content)->versions(page.spec.url);
  if (!versions) return versions.error();
  if (versions->empty()) return nothing_kept(page);
  return KeptVersions{std::move(page), std::move(*content), std::move(*versions)};
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

Result<DiffEnds> choose_ends(const std::vector<store::VersionRow>& versions,
                             const std::string& from_text, const std::string& to_text, WallTime now,
                             const std::string& dashes) {
  const std::string from_name = dashes + "from";
  DiffEnds ends{.from = 0, .to = versions.size() - 1};
  if (!to_text.empty()) {
    const Result<std::size_t> to = choose_version(versions, to_text, now, dashes + "to");
    if (!to) return to.error();
    ends.to = *to;
  }
  if (from_text.empty()) {
    if (ends.to == 0) {
      return Error{fmt::format("version {} is the oldest that is kept: there is nothing to compare "
                               "it with",
                               versions.front().number),
                   ExitCode::missing_input};
    }
    ends.from = ends.to - 1;
    return ends;
  }
  const Result<std::size_t> from = choose_version(versions, from_text, now, from_name);
  if (from) {
    ends.from = *from;
    return ends;
  }
  // Who asks for a month and has a week gets the week.
  const bool moment = parse_when(from_text, now, from_name).ok();
  if (!moment) return from.error();
  if (ends.to == 0) {
    return Error{from.error().message + ": there is nothing to compare it with",
                 from.error().exit_code};
  }
  ends.note = from.error().message + "; the oldest is taken";
  return ends;
}

// By the time, not by the hash: what a page says may come back.
Result<DiffEnds> ends_of_change(const std::vector<store::VersionRow>& versions, WallTime found_at) {
  const auto to = std::ranges::find(versions, found_at, &store::VersionRow::seen_at);
  if (to == versions.end() || to == versions.begin()) {
    return Error{"what the page was before and after this change is not kept any more",
                 ExitCode::missing_input};
  }
  const auto index = static_cast<std::size_t>(to - versions.begin());
  return DiffEnds{.from = index - 1, .to = index};
}

Result<std::string> text_of(const KeptVersions& page, const store::VersionRow& version) {
  Result<std::optional<std::string>> text = page.content->text(page.page.spec.url, version.number);
  if (!text) return text.error();
  if (*text) return std::move(**text);
  return Error{fmt::format("version {} of {} is not kept any more", version.number,
                           printable_url(page.page.spec.url)),
               ExitCode::missing_input};
}

Result<std::vector<report::Version>> history_of(store::Reader& reader, const KeptVersions& page) {
  const auto summaries = reader.change_summaries(page.page.id);
  if (!summaries) return summaries.error();
  std::vector<report::Version> versions;
  for (const store::VersionRow& row : page.versions) {
    const auto summary = summaries->find(row.seen_at);
    versions.push_back({.number = row.number,
                        .seen_at = row.seen_at,
                        .hash = row.hash,
                        .as = row.as,
                        .bytes = row.bytes,
                        .summary = summary == summaries->end() ? "" : summary->second});
  }
  std::reverse(versions.begin(), versions.end());
  return versions;
}

}  // namespace pollux::web

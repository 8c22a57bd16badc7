#include "cli/page_choice.hpp"

#include "pollux/base/text.hpp"
#include "pollux/base/url.hpp"
#include "pollux/store/reader.hpp"

#include <algorithm>
#include <vector>

#include <spdlog/fmt/fmt.h>

namespace pollux::cli {
namespace {

constexpr std::size_t most_named = 5;

std::string lowered(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

Error ambiguous(const std::string& text, const std::vector<std::string>& found) {
  std::string urls;
  for (std::size_t i = 0; i < std::min(found.size(), most_named); ++i)
    urls += "\n  " + printable_url(found[i]);
  if (found.size() > most_named) urls += "\n  …";
  return {fmt::format("several pages have '{}' in their URL; write more of it:{}",
                      printable(text, 200), urls),
          ExitCode::usage};
}

}  // namespace

Result<store::PageRow> choose_page(store::Reader& reader, const std::string& text) {
  if (text.empty()) return Error{"which page? write its URL, or a part of it", ExitCode::usage};
  Error nothing{fmt::format("no page has '{}' in its URL or as its name; `pollux pages` lists them",
                            printable(text, 200)),
                ExitCode::missing_input};
  // The whole URL first: it is a part of others, too.
  for (const char* scheme : {"", "https://", "http://"}) {
    const Result<Url> url = parse_url(scheme + text);
    if (!url) continue;
    Result<store::PageRow> page = reader.page(url->text);
    if (page || page.error().exit_code != ExitCode::missing_input) return page;
    if (*scheme == '\0') nothing = page.error();  // names near ones
  }
  for (const char* state : {"", "removed"}) {
    const Result<std::vector<store::PageRow>> named =
        reader.pages({.order = store::PageOrder::url, .state = state, .limit = 2, .name = text});
    if (!named) return named.error();
    if (named->size() == 1) return named->front();
  }
  for (const char* state : {"", "removed"}) {
    const Result<std::vector<store::PageRow>> found =
        reader.pages({.order = store::PageOrder::url,
                      .contains = text,
                      .state = state,
                      .limit = static_cast<std::int64_t>(most_named + 1)});
    if (!found) return found.error();
    if (found->size() == 1) return found->front();
    if (found->empty()) continue;
    // "page-2" is the end of one URL and in the middle of "page-20": nobody could write more of it.
    const Result<std::vector<store::PageRow>> ends =
        reader.pages({.state = state, .limit = 2, .ends_with = text});
    if (!ends) return ends.error();
    if (ends->size() == 1) return ends->front();
    std::vector<std::string> urls;
    for (const store::PageRow& page : *found) urls.push_back(page.spec.url);
    return ambiguous(text, urls);
  }
  return nothing;
}

Result<const config::Page*> choose_listed(const config::Config& config, const std::string& text) {
  using Pages = std::vector<const config::Page*>;
  const auto those = [&](const auto& wanted) {
    Pages found;
    for (const config::Page& page : config.pages) {
      if (wanted(page)) found.push_back(&page);
    }
    return found;
  };
  const config::Page* none = nullptr;
  for (const char* scheme : {"", "https://", "http://"}) {
    const Result<Url> url = parse_url(scheme + text);
    if (!url) continue;
    const Pages same = those([&](const config::Page& page) { return page.url == url->text; });
    if (!same.empty()) return same.front();
    if (*scheme == '\0') return none;  // a whole URL, of another page
  }
  const std::string part = lowered(text);
  const Pages named = those([&](const config::Page& page) {
    return page.label != 0 && lowered(config.labels[page.label].name) == part;
  });
  if (named.size() == 1) return named.front();
  const Pages with_part = those(
      [&](const config::Page& page) { return lowered(page.url).find(part) != std::string::npos; });
  if (with_part.empty()) return none;
  if (with_part.size() == 1) return with_part.front();
  const Pages at_end =
      those([&](const config::Page& page) { return lowered(page.url).ends_with(part); });
  if (at_end.size() == 1) return at_end.front();
  std::vector<std::string> urls;
  for (const config::Page* page : with_part) urls.push_back(page->url);
  return ambiguous(text, urls);
}

}  // namespace pollux::cli

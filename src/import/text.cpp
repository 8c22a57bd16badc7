// One URL per line; '#' starts a comment, at the beginning or behind a blank.
#include "pollux/base/text.hpp"

#include "import/readers.hpp"
#include "import/words.hpp"

namespace pollux::import {
namespace {

// A '#' inside a word is a fragment.
std::string_view without_comment(std::string_view line) {
  for (std::size_t hash = line.find('#'); hash != line.npos; hash = line.find('#', hash + 1)) {
    if (hash == 0 || is_blank(line[hash - 1])) return line.substr(0, hash);
  }
  return line;
}

}  // namespace

void read_text(const TextFile& file, Collector& out) {
  std::string_view rest = file.text;
  for (std::uint32_t number = 1; !rest.empty(); ++number) {
    std::string_view line = trimmed(without_comment(take_line(rest)));
    if (line.starts_with("- ")) line = trimmed(line.substr(2));  // a list in Markdown or YAML
    if (line.empty()) continue;
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    Place place{file.name, number};
    std::optional<Page> page = out.page(line.substr(0, end), place, Scheme::may_be_missing);
    if (!page) continue;
    place.url = printable_url(page->url);
    if (const std::string_view more = trimmed(line.substr(end)); !more.empty()) {
      out.left_out(place, "behind the URL: " + printable(more, 100));
    }
    out.add(std::move(*page), place);
  }
}

}  // namespace pollux::import

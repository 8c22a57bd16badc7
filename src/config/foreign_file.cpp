#include "config/foreign_file.hpp"

#include "pollux/base/text.hpp"

#include <algorithm>
#include <set>

#include <spdlog/fmt/fmt.h>

namespace pollux::config {
namespace {

// The words that stand before a colon in the first column.
std::set<std::string_view> first_column_keys(std::string_view text) {
  std::set<std::string_view> keys;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t colon = line.find(':');
    if (colon == line.npos || colon == 0 || colon > 40) continue;
    const std::string_view word = line.substr(0, colon);
    if (std::all_of(word.begin(), word.end(),
                    [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; })) {
      keys.insert(word);
    }
  }
  return keys;
}

}  // namespace

std::optional<std::string> foreign_file(std::string_view text, std::string_view file) {
  const std::string name = printable(file);
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  const auto has = [&](std::string_view part) { return text.find(part) != text.npos; };
  if (start != text.npos && text[start] == '{' && has("\"url\"") &&
      (has("\"watching\"") || has("\"fetch_backend\""))) {
    return fmt::format(
        "this is a file of changedetection.io; `pollux import {} --out pages.yaml` makes a list of "
        "pages of it, for `pages_file: pages.yaml`",
        name);
  }
  const std::set<std::string_view> keys = first_column_keys(text);
  if (keys.contains("budget") || keys.contains("pages") || keys.contains("pages_file"))
    return std::nullopt;
  if (keys.contains("url") || keys.contains("navigate")) {
    return fmt::format(
        "this is a list of jobs for urlwatch; `pollux import {} --out pages.yaml` makes a list of "
        "pages of it, filters and all, for `pages_file: pages.yaml`",
        name);
  }
  if (keys.contains("report") && (keys.contains("display") || keys.contains("job_defaults"))) {
    return "these are the settings of urlwatch; its jobs stand in its urls.yaml, which `pollux "
           "import` takes";
  }
  return std::nullopt;
}

}  // namespace pollux::config

#include "config/settings.hpp"

#include "config/keys.hpp"
#include "pollux/base/text.hpp"

#include <optional>

namespace pollux::config {
namespace {

constexpr std::size_t longest_setting = 500;  // bytes that are shown

std::optional<Node> written_at(Node node, std::string_view path) {
  while (node.kind() == Kind::mapping) {
    const std::size_t dot = path.find('.');
    const std::string_view word = path.substr(0, dot);
    std::optional<Node> found;
    for (auto at = node.begin(); at != node.end() && !found; ++at) {
      const bool same = (*at).text() == word;
      ++at;
      if (same) found = *at;
    }
    if (!found || dot == std::string_view::npos) return found;
    node = *found;
    path.remove_prefix(dot + 1);
  }
  return std::nullopt;
}

// Credentials have no business in a proxy's URL; whoever wrote them there does not see them here.
std::string without_credentials(std::string_view text) {
  const std::size_t scheme = text.find("://"), at = text.rfind('@');
  if (scheme == std::string_view::npos || at == std::string_view::npos || at < scheme)
    return std::string(text);
  return std::string(text.substr(0, scheme + 3)) + std::string(text.substr(at + 1));
}

std::string value_of(const Node& node) {
  if (node.kind() == Kind::null) return "";
  if (node.kind() == Kind::scalar)
    return printable(without_credentials(node.text()), longest_setting);
  std::int64_t entries = 0;
  bool plain = node.kind() == Kind::list;
  std::string list;
  for (auto at = node.begin(); at != node.end(); ++at, ++entries) {
    plain = plain && (*at).kind() == Kind::scalar;
    if (plain && list.size() < longest_setting)
      list += (list.empty() ? "" : ", ") + without_credentials((*at).text());
  }
  if (node.kind() == Kind::mapping) entries /= 2;
  if (plain) return "[" + printable(list, longest_setting) + "]";
  return std::to_string(entries) + (entries == 1 ? " entry" : " entries");
}

// Of one entry of many, or of rules wherever they stand.
bool is_part_of_others(std::string_view path) {
  return path.find("[]") != std::string_view::npos || path.find('*') != std::string_view::npos ||
         path.starts_with("content.");
}

}  // namespace

Settings settings_of(const Node& root) {
  Settings settings;
  for (const Key& key : keys()) {
    if (is_part_of_others(key.path)) continue;
    const bool counted = key.path == "pages" || key.path == "defaults.content";
    if (key.type == "section" && !counted) continue;
    const std::optional<Node> written = written_at(root, key.path);
    Setting setting{.key = std::string(key.path), .value = std::string(key.fallback)};
    if (written) {
      setting.from = Setting::From::file;
      setting.value = value_of(*written);
      if (key.path == "pages" && written->kind() == Kind::list) {
        std::size_t count = 0;
        for (auto at = written->begin(); at != written->end(); ++at) ++count;
        setting.value = std::to_string(count) + (count == 1 ? " entry" : " entries");
      }
    }
    settings.push_back(std::move(setting));
  }
  return settings;
}

}  // namespace pollux::config

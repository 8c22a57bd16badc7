#include "config/rooted_yaml.hpp"

#include "config/keys.hpp"
#include "config/written_pages.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

namespace pollux::config {
namespace {

using Names = std::vector<std::string_view>;

std::string_view up(const Names& keys, std::size_t levels) {
  return levels < keys.size() ? keys[keys.size() - 1 - levels] : std::string_view();
}

// "notify[].to.file" → to, file. Keys of that type, by their last two names.
std::set<std::pair<std::string_view, std::string_view>> keys_of_paths() {
  std::set<std::pair<std::string_view, std::string_view>> found;
  for (const Key& key : keys()) {
    if (key.type != "path" || key.path == "web.base_path") continue;
    const std::size_t last = key.path.rfind('.');
    if (last == key.path.npos) {
      found.emplace(std::string_view(), key.path);
      continue;
    }
    std::string_view parent = key.path.substr(0, last);
    parent.remove_prefix(parent.rfind('.') + 1);  // npos + 1: all of it
    if (parent.ends_with("[]")) parent.remove_suffix(2);
    found.emplace(parent, key.path.substr(last + 1));
  }
  return found;
}

bool names_a_file(const Names& keys) {
  static const auto paths = keys_of_paths();
  // { file: PATH } in place of a value that is a secret.
  if (up(keys, 0) == "file" && (up(keys, 2) == "headers" || up(keys, 1) == "webhook")) return true;
  return paths.contains({up(keys, 1), up(keys, 0)});
}

// A name is searched for, a path is not.
bool names_a_program(const Names& keys, bool first_of_list) {
  if (up(keys, 0) == "program" && up(keys, 1) == "render") return true;
  return first_of_list && (up(keys, 0) == "program" || up(keys, 0) == "pipe");
}

bool needs_no_quotes(std::string_view text) {
  constexpr std::string_view also = "_./:%+-";
  const auto alphanumeric = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  if (text.empty() || text.ends_with(':') || text == "null" || text == "Null" || text == "NULL")
    return false;
  if (!alphanumeric(text.front()) && text.front() != '/') return false;
  return std::ranges::all_of(text,
                             [&](char c) { return alphanumeric(c) || also.find(c) != also.npos; });
}

}  // namespace

std::string RootedYaml::scalar(std::string_view text, const Names& keys, bool first_of_list) const {
  const bool file =
      names_a_file(keys) && !text.starts_with('$') && !(up(keys, 0) == "socket" && text == "none");
  const bool program =
      names_a_program(keys, first_of_list) && text.find('/') != std::string_view::npos;
  std::string meant(text);
  if ((file || program) && !text.empty()) {
    const std::filesystem::path whole = std::filesystem::path(folder_) / text;
    meant = std::filesystem::absolute(whole).lexically_normal().string();
  }
  return needs_no_quotes(meant) ? meant : quoted_yaml(meant);
}

std::string RootedYaml::flow(const Node& value, Names keys) const {
  std::string text;
  switch (value.kind()) {
    case Kind::null:
      return "~";
    case Kind::scalar:
      return scalar(value.text(), keys, false);
    case Kind::list:
      for (const Node entry : value) {
        const std::string item = entry.kind() == Kind::scalar
                                     ? scalar(entry.text(), keys, text.empty())
                                     : flow(entry, keys);
        text += (text.empty() ? "" : ", ") + item;
      }
      return "[" + text + "]";
    case Kind::mapping:
      break;
  }
  for (auto at = value.begin(); at != value.end(); ++at) {
    const Node key = *at;
    keys.push_back(key.text());
    text += (text.empty() ? "" : ", ") + quoted_yaml(key.text()) + ": " + flow(*++at, keys);
    keys.pop_back();
  }
  return text.empty() ? "{}" : "{ " + text + " }";
}

std::string RootedYaml::block(const Node& value, Names keys) const {
  const std::string indent(2 * keys.size(), ' ');
  std::string text;
  if (value.kind() == Kind::list) {
    for (const Node entry : value) {
      const std::string item = entry.kind() == Kind::scalar
                                   ? scalar(entry.text(), keys, text.empty())
                                   : flow(entry, keys);
      text += indent + "- " + item + "\n";
    }
  } else if (value.kind() == Kind::mapping) {
    for (auto at = value.begin(); at != value.end(); ++at) {
      const Node key = *at;
      keys.push_back(key.text());
      text += indent +
              (needs_no_quotes(key.text()) ? std::string(key.text()) : quoted_yaml(key.text())) +
              ":" + block(*++at, keys);
      keys.pop_back();
    }
  }
  if (text.empty()) return " " + flow(value, keys) + "\n";
  return "\n" + text;
}

}  // namespace pollux::config

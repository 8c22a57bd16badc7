#include "pollux/web/routes.hpp"

#include <charconv>
#include <optional>

namespace pollux::web {
namespace {

std::optional<std::int64_t> id_of(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = problem == std::errc{} && end == text.data() + text.size();
  return whole && number >= 0 ? std::optional(number) : std::nullopt;
}

std::string_view next_part(std::string_view& path) {
  const std::size_t slash = path.find('/');
  const std::string_view part = path.substr(0, slash);
  path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
  return part;
}

// The numbers in the path; nullopt: it is another one.
std::optional<std::vector<std::int64_t>> fits(std::string_view pattern, std::string_view path) {
  std::vector<std::int64_t> ids;
  if (!path.empty() && path.back() == '/') return std::nullopt;
  while (!pattern.empty() || !path.empty()) {
    const std::string_view wanted = next_part(pattern), part = next_part(path);
    if (wanted == "{id}") {
      const std::optional<std::int64_t> id = id_of(part);
      if (!id) return std::nullopt;
      ids.push_back(*id);
    } else if (wanted != part) {
      return std::nullopt;
    }
  }
  return ids;
}

}  // namespace

Found find_route(std::string_view method, std::string_view path) {
  Found found;
  if (!path.starts_with(api_prefix)) return found;
  path.remove_prefix(api_prefix.size());
  const std::string_view looked_for = method == "HEAD" ? "GET" : method;
  for (const Route& route : routes()) {
    std::optional<std::vector<std::int64_t>> ids = fits(route.path, path);
    if (!ids) continue;
    found.allowed += (found.allowed.empty() ? "" : ", ") + std::string(route.method) +
                     (route.method == "GET" ? ", HEAD" : "");
    if (route.method != looked_for) continue;
    found.route = &route;
    found.ids = std::move(*ids);
  }
  return found;
}

}  // namespace pollux::web

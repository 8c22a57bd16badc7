// The one table of routes below /api/v1. Control socket and web page serve the same; documentation
// and tests read it, too.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pollux::web {

struct Call;

enum class Scope { read, steer };  // what a token must allow

struct Route {
  std::string_view method;
  std::string_view path;  // below /api/v1; "{id}" stands for a whole number
  Scope scope;
  std::string_view summary;
  void (*answer)(Call call);
};
std::span<const Route> routes();

inline constexpr std::string_view api_prefix = "/api/v1";

struct Found {
  const Route* route = nullptr;  // null: none for this method
  std::vector<std::int64_t> ids = {};
  std::string allowed = {};  // methods for this path, "GET, HEAD"; empty: there is no such path
};
// HEAD finds what GET does.
Found find_route(std::string_view method, std::string_view path);

}  // namespace pollux::web

// What each route takes and gives, for the description at /openapi.json and for the tests that hold
// the routes to it.
#pragma once

#include <span>
#include <string_view>

namespace pollux::web {

// One value. Kinds: string, integer, number, boolean, object, array, texts (of strings), numbers
// (of whole ones), any; with a "?" behind it may be null.
struct Described {
  std::string_view name;
  std::string_view kind;
  std::string_view what = {};
  bool needed = false;  // in a query or a body; answers always have what is described
};

struct Operation {
  std::string_view method;
  std::string_view path;  // as in the table of routes
  std::span<const Described> query = {};
  std::span<const Described> body = {};
  std::span<const Described> answer = {};
  std::string_view media_type = "application/json";
};
std::span<const Operation> operations();
// Null: nobody has described it.
const Operation* operation_of(std::string_view method, std::string_view path);

}  // namespace pollux::web

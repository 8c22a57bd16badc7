#include "pollux/web/openapi.hpp"

#include "pollux/web/routes.hpp"
#include "web/answers.hpp"
#include "web/call.hpp"

#include <string>

#include <boost/json/array.hpp>

namespace pollux::web {
namespace {

namespace json = boost::json;

// "whole:limit" is a whole number, "url" a text; "!url" must be there.
json::array parameters_of(const Route& route) {
  json::array all;
  if (route.path.find("{id}") != std::string_view::npos) {
    all.push_back(json::object{{"name", "id"},
                               {"in", "path"},
                               {"required", true},
                               {"schema", json::object{{"type", "integer"}}}});
  }
  std::string_view names = route.query;
  while (!names.empty()) {
    const std::size_t end = names.find(' ');
    std::string_view name = names.substr(0, end);
    names = end == std::string_view::npos ? std::string_view() : names.substr(end + 1);
    const bool needed = name.starts_with('!');
    if (needed) name.remove_prefix(1);
    const bool whole = name.starts_with('#');
    if (whole) name.remove_prefix(1);
    all.push_back(json::object{{"name", std::string(name)},
                               {"in", "query"},
                               {"required", needed},
                               {"schema", json::object{{"type", whole ? "integer" : "string"}}}});
  }
  return all;
}

json::object body_of(std::string_view type, json::object schema) {
  return {{std::string(type), json::object{{"schema", std::move(schema)}}}};
}

// The names that every answer has.
json::object answer_schema(const Route& route) {
  json::array required;
  std::string_view names = route.answers;
  while (!names.empty()) {
    const std::size_t end = names.find(' ');
    required.push_back(json::value(std::string(names.substr(0, end))));
    names = end == std::string_view::npos ? std::string_view() : names.substr(end + 1);
  }
  json::object schema{{"type", "object"}};
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

json::object operation_of(const Route& route) {
  json::object answers;
  json::object fine{{"description", "Done"}};
  fine["content"] = route.type == json_type ? body_of(route.type, answer_schema(route))
                                            : body_of(route.type, json::object{{"type", "string"}});
  answers["200"] = std::move(fine);
  answers["default"] = json::object{
      {"description", "Refused, and why"},
      {"content", body_of(json_type, json::object{{"$ref", "#/components/schemas/Problem"}})}};
  json::object operation{{"summary", std::string(route.summary)},
                         {"x-scope", route.scope == Scope::steer ? "steer" : "read"},
                         {"parameters", parameters_of(route)},
                         {"responses", std::move(answers)}};
  if (route.method == "POST") {
    operation["requestBody"] =
        json::object{{"content", body_of(json_type, json::object{{"type", "object"}})}};
  }
  return operation;
}

}  // namespace

json::object openapi_json() {
  json::object paths;
  for (const Route& route : routes()) {
    json::value& path = paths[std::string(route.path)];
    if (!path.is_object()) path = json::object();
    path.get_object()[route.method == "GET" ? "get" : "post"] = operation_of(route);
  }
  json::object told{
      {"type", "object"},
      {"required", json::array{"error", "cure"}},
      {"properties",
       json::object{{"error", json::object{{"type", "string"}}},
                    {"cure", json::object{{"type", json::array{"string", "null"}}}}}}};
  return {{"openapi", "3.1.0"},
          {"info", json::object{{"title", "Pollux"}, {"version", POLLUX_VERSION}}},
          {"servers", json::array{json::object{{"url", std::string(api_prefix)}}}},
          {"paths", std::move(paths)},
          {"components", json::object{{"schemas", json::object{{"Problem", std::move(told)}}}}}};
}

void get_openapi(Call call) {
  if (const Status asked = call.query.end(); !asked)
    return call.responder.answer(problem(asked.error()));
  call.responder.answer(json_answer(openapi_json()));
}

}  // namespace pollux::web

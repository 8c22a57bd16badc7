// GET /openapi.json: the table of routes as an OpenAPI 3.1 description.
#include "web/answers.hpp"
#include "web/call.hpp"
#include "web/operations.hpp"

#include <algorithm>
#include <cctype>

#include <boost/json/array.hpp>

namespace pollux::web {
namespace {

namespace json = boost::json;

json::object type_schema(std::string_view kind) {
  const bool may_be_null = kind.ends_with('?');
  if (may_be_null) kind.remove_suffix(1);
  if (kind == "any") return {};
  if (kind == "texts") return {{"type", "array"}, {"items", {{"type", "string"}}}};
  if (kind == "numbers") return {{"type", "array"}, {"items", {{"type", "integer"}}}};
  if (may_be_null) return {{"type", json::array{kind, "null"}}};
  return {{"type", kind}};
}

json::object value_schema(const Described& value) {
  json::object schema = type_schema(value.kind);
  if (!value.what.empty()) schema["description"] = value.what;
  return schema;
}

enum class Unknown { refused, allowed };

json::object object_schema(std::span<const Described> values, Unknown unknown) {
  json::object properties;
  json::array needed;
  for (const Described& value : values) {
    properties[value.name] = value_schema(value);
    if (value.needed || unknown == Unknown::allowed) needed.push_back(json::value(value.name));
  }
  json::object schema{{"type", "object"}, {"properties", std::move(properties)}};
  if (!needed.empty()) schema["required"] = std::move(needed);
  if (unknown == Unknown::refused) schema["additionalProperties"] = false;
  return schema;
}

json::array parameters_of(const Route& route, const Operation& operation) {
  json::array parameters;
  if (route.path.find("{id}") != std::string_view::npos) {
    parameters.push_back({{"name", "id"},
                          {"in", "path"},
                          {"required", true},
                          {"schema", {{"type", "integer"}, {"minimum", 0}}}});
  }
  for (const Described& value : operation.query) {
    json::object parameter{{"name", value.name},
                           {"in", "query"},
                           {"required", value.needed},
                           {"schema", type_schema(value.kind)}};
    if (!value.what.empty()) parameter["description"] = value.what;
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

// "POST", "/pages/remove" → "post_pages_remove"
std::string operation_id(const Route& route) {
  std::string id(route.method);
  for (const char c : route.path) {
    if (c != '{' && c != '}') id += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  }
  std::ranges::transform(id, id.begin(), [](unsigned char c) { return std::tolower(c); });
  return id;
}

json::object operation_json(const Route& route, const Operation& operation) {
  const std::string type(operation.media_type);
  json::object schema{{"type", "string"}};
  if (type == "application/json") schema = object_schema(operation.answer, Unknown::allowed);
  json::object described{
      {"operationId", operation_id(route)},
      {"summary", route.summary},
      {"tags", json::array{route.scope == Scope::steer ? "steer" : "read"}},
      {"responses",
       {{"200", {{"description", "done"}, {"content", {{type, {{"schema", schema}}}}}}},
        {"default", {{"$ref", "#/components/responses/Problem"}}}}}};
  if (json::array parameters = parameters_of(route, operation); !parameters.empty())
    described["parameters"] = std::move(parameters);
  if (route.scope == Scope::steer) {
    described["requestBody"] = {
        {"required", true},
        {"content",
         {{"application/json", {{"schema", object_schema(operation.body, Unknown::refused)}}}}}};
  }
  return described;
}

json::object components() {
  const json::object problem_schema{
      {"type", "object"},
      {"properties",
       {{"error", {{"type", "string"}, {"description", "what is wrong"}}},
        {"cure", {{"type", json::array{"string", "null"}}, {"description", "what to do"}}}}},
      {"required", json::array{"error", "cure"}}};
  return {{"responses",
           {{"Problem",
             {{"description", "it was not done"},
              {"content", {{"application/json", {{"schema", problem_schema}}}}}}}}},
          {"securitySchemes",
           {{"token", {{"type", "http"}, {"scheme", "bearer"}}},
            {"session",
             {{"type", "apiKey"},
              {"in", "cookie"},
              {"name", "pollux_8600"},
              {"description",
               "of a browser, from GET /api/v1/session; its name ends with the port. A change also "
               "needs our own Origin and, in X-Pollux-Csrf, what the session calls csrf"}}}}}};
}

}  // namespace

json::object openapi_description() {
  json::object paths;
  for (const Route& route : routes()) {
    const Operation* operation = operation_of(route.method, route.path);
    if (operation == nullptr) continue;  // a test names it
    std::string method(route.method);
    std::ranges::transform(method, method.begin(), [](unsigned char c) { return std::tolower(c); });
    json::value& path = paths[std::string(api_prefix) + std::string(route.path)];
    if (!path.is_object()) path = json::object();
    path.as_object()[method] = operation_json(route, *operation);
  }
  return {{"openapi", "3.1.0"},
          {"info",
           {{"title", "Pollux"},
            {"version", POLLUX_VERSION},
            {"description", "What a running daemon can be asked, and how it is steered."}}},
          {"paths", std::move(paths)},
          {"components", components()}};
}

void get_openapi(Call call) {
  if (const Status asked = call.query.end(); !asked)
    return call.responder.answer(problem(asked.error()));
  call.responder.answer(json_answer(openapi_description()));
}

}  // namespace pollux::web

#include "support/json_schema.hpp"

#include <regex>
#include <set>

#include <boost/json.hpp>

namespace pollux::test {
namespace {

namespace bj = boost::json;

class SchemaCheck {
 public:
  explicit SchemaCheck(const bj::object& root) : root_(root) {}

  void check(const bj::value& schema, const bj::value& data, const std::string& path) {
    static const std::set<std::string_view> known = {
        "$schema", "title",   "description", "type",    "required", "properties", "const",
        "enum",    "minimum", "items",       "pattern", "anyOf",    "$ref",       "$defs"};
    for (const auto& [keyword, rule] : schema.as_object()) {
      if (!known.contains(keyword)) add(path, "unknown keyword " + std::string(keyword));
    }
    const bj::object& rules = schema.as_object();
    if (const auto* ref = rules.if_contains("$ref"))
      check(defined(std::string(ref->as_string())), data, path);
    if (const auto* type = rules.if_contains("type")) check_type(*type, data, path);
    if (const auto* wanted = rules.if_contains("const"); wanted != nullptr && *wanted != data)
      add(path, "is not " + bj::serialize(*wanted));
    if (const auto* list = rules.if_contains("enum")) {
      bool found = false;
      for (const bj::value& value : list->as_array()) found = found || value == data;
      if (!found) add(path, bj::serialize(data) + " is none of those allowed");
    }
    if (const auto* least = rules.if_contains("minimum");
        least != nullptr && data.is_int64() && data.as_int64() < least->as_int64())
      add(path, "is too small");
    if (const auto* pattern = rules.if_contains("pattern");
        pattern != nullptr && data.is_string() &&
        !std::regex_search(std::string(data.as_string()),
                           std::regex(std::string(pattern->as_string()))))
      add(path, bj::serialize(data) + " does not match");
    if (const auto* choices = rules.if_contains("anyOf")) check_any(*choices, data, path);
    if (data.is_object()) check_object(rules, data.as_object(), path);
    if (const auto* items = rules.if_contains("items"); items != nullptr && data.is_array()) {
      for (std::size_t i = 0; i < data.as_array().size(); ++i)
        check(*items, data.as_array()[i], path + "[" + std::to_string(i) + "]");
    }
  }
  std::vector<std::string> errors;

 private:
  void add(const std::string& path, const std::string& what) {
    errors.push_back(path + ": " + what);
  }
  const bj::value& defined(const std::string& ref) const {
    return root_.at("$defs").as_object().at(ref.substr(std::string("#/$defs/").size()));
  }
  void check_any(const bj::value& choices, const bj::value& data, const std::string& path) {
    for (const bj::value& choice : choices.as_array()) {
      SchemaCheck one(root_);
      one.check(choice, data, path);
      if (one.errors.empty()) return;
    }
    add(path, "fits none of anyOf");
  }
  void check_object(const bj::object& rules, const bj::object& data, const std::string& path) {
    if (const auto* required = rules.if_contains("required")) {
      for (const bj::value& name : required->as_array()) {
        if (!data.contains(name.as_string())) add(path, "has no " + std::string(name.as_string()));
      }
    }
    const auto* properties = rules.if_contains("properties");
    if (properties == nullptr) return;
    for (const auto& [name, value] : data) {
      const auto* rule = properties->as_object().if_contains(name);
      if (rule == nullptr) {
        add(path, "has a field that is not documented: " + std::string(name));
      } else {
        check(*rule, value, path + "." + std::string(name));
      }
    }
  }
  void check_type(const bj::value& type, const bj::value& data, const std::string& path) {
    const auto is = [&](std::string_view name) {
      if (name == "object") return data.is_object();
      if (name == "array") return data.is_array();
      if (name == "string") return data.is_string();
      if (name == "integer") return data.is_int64() || data.is_uint64();
      if (name == "number") return data.is_number();
      if (name == "boolean") return data.is_bool();
      if (name == "null") return data.is_null();
      return false;
    };
    bool fits = false;
    if (type.is_string()) fits = is(std::string_view(type.as_string()));
    if (type.is_array()) {
      for (const bj::value& one : type.as_array())
        fits = fits || is(std::string_view(one.as_string()));
    }
    if (!fits) add(path, "is of another type than " + bj::serialize(type));
  }
  const bj::object& root_;
};

}  // namespace

std::vector<std::string> schema_errors(const bj::value& schema, const bj::value& data) {
  SchemaCheck checking(schema.as_object());
  checking.check(schema, data, "$");
  return checking.errors;
}

}  // namespace pollux::test

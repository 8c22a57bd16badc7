#include "pollux/report/json.hpp"

#include "pollux/base/units.hpp"

#include <cmath>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <spdlog/fmt/fmt.h>

namespace pollux::report {
namespace {

void append_json(std::string& out, const boost::json::value& value, bool top) {
  if (const auto* array = value.if_array()) {
    out += '[';
    bool first = true;
    for (const auto& element : *array) {
      if (!first) out += ',';
      if (top) out += "\n  ";
      append_json(out, element, false);
      first = false;
    }
    out += top && !first ? "\n]" : "]";
  } else if (const auto* object = value.if_object()) {
    out += '{';
    bool first = true;
    for (const auto& [key, member] : *object) {
      if (!first) out += top ? "," : ", ";
      if (top) out += "\n  ";
      out += boost::json::serialize(key) + ": ";
      append_json(out, member, false);
      first = false;
    }
    out += top && !first ? "\n}" : "}";
  } else if (const auto* number = value.if_double()) {
    out += std::isfinite(*number) ? fmt::format("{}", *number) : "null";
  } else {
    out += boost::json::serialize(value);
  }
}

}  // namespace

std::string json_text(const boost::json::value& value) {
  std::string out;
  append_json(out, value, true);
  return out;
}

boost::json::value json_time(const std::optional<WallTime>& time) {
  if (!time) return nullptr;
  return boost::json::value(format_time(*time));
}

boost::json::value json_number(std::optional<double> number) {
  if (!number || !std::isfinite(*number)) return nullptr;
  return *number;
}

boost::json::value json_count(std::optional<std::int64_t> number) {
  if (!number) return nullptr;
  return *number;
}

boost::json::value json_text_or_null(const std::string& text) {
  if (text.empty()) return nullptr;
  return boost::json::value(text);
}

}  // namespace pollux::report

#include "pollux/report/json.hpp"

#include "pollux/base/units.hpp"

#include <cmath>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
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

// Length of the UTF-8 character at the start of `bytes`, or 0: no overlong forms, no surrogates,
// nothing beyond U+10FFFF.
std::size_t character_length(std::string_view bytes) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (length == 0 || lead > 0xF4 || bytes.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const unsigned char least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned char most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  return byte(1) < least || byte(1) > most ? 0 : length;
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

boost::json::value json_tags(const std::string& list) {
  boost::system::error_code problem;
  boost::json::value tags = boost::json::parse(list, problem);
  return problem || !tags.is_array() ? boost::json::array() : tags;
}

boost::json::value json_utf8(std::string_view bytes) {
  boost::json::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    const std::size_t length = character_length(bytes);
    text.append(length > 0 ? bytes.substr(0, length) : std::string_view("\xEF\xBF\xBD"));
    bytes.remove_prefix(length > 0 ? length : 1);
  }
  return text;
}

}  // namespace pollux::report

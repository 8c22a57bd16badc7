#include "web/fields.hpp"

#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"

#include <charconv>
#include <cmath>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

namespace pollux::web {
namespace {

namespace json = boost::json;

constexpr std::size_t deepest = 16;  // a rule of `content` has three or four levels
constexpr std::size_t most_parameters = 32;

Error wrong_request(const std::string& message) {
  return {message, ExitCode::usage};
}

std::string known_names(const std::set<std::string, std::less<>>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  return all.empty() ? "none" : all;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<std::string> decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i] == '+' ? ' ' : text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
    if (high < 0 || low < 0) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

}  // namespace

Result<json::object> parse_body(std::string_view body) {
  if (body.empty()) return json::object();
  json::parse_options options;
  options.max_depth = deepest;
  boost::system::error_code error;
  json::value value = json::parse(json::string_view(body.data(), body.size()), error, {}, options);
  if (error) return wrong_request("the body is no JSON that can be read: " + error.message());
  if (!value.is_object()) return wrong_request("the body must be a JSON object: {\"urls\": […]}");
  return std::move(value.get_object());
}

const json::value* Fields::take(std::string_view name) {
  known_.emplace(name);
  const json::value* value = object_.if_contains(json::string_view(name.data(), name.size()));
  return value == nullptr || value->is_null() ? nullptr : value;
}

void Fields::wrong(std::string_view name, const std::string& wanted) {
  note(wrong_request("'" + where_ + std::string(name) + "' must be " + wanted));
}

void Fields::note(const Error& error) {
  if (!problem_) problem_ = error;
}

std::optional<std::string> Fields::text(std::string_view name) {
  const json::value* value = take(name);
  if (value == nullptr) return std::nullopt;
  if (const json::string* text = value->if_string()) return std::string(text->data(), text->size());
  wrong(name, "a text");
  return std::nullopt;
}

std::optional<double> Fields::number(std::string_view name) {
  const json::value* value = take(name);
  if (value == nullptr) return std::nullopt;
  if (value->is_number()) return value->to_number<double>();
  wrong(name, "a number");
  return std::nullopt;
}

bool Fields::truth(std::string_view name) {
  const json::value* value = take(name);
  if (value == nullptr) return false;
  if (value->is_bool()) return value->get_bool();
  wrong(name, "true or false");
  return false;
}

std::optional<std::vector<std::string>> Fields::texts(std::string_view name) {
  const json::value* value = take(name);
  if (value == nullptr) return std::nullopt;
  const json::array* list = value->if_array();
  std::vector<std::string> texts;
  if (list != nullptr) {
    texts.reserve(list->size());
    for (const json::value& one : *list) {
      const json::string* text = one.if_string();
      if (text == nullptr) break;
      texts.emplace_back(text->data(), text->size());
    }
    if (texts.size() == list->size()) return texts;
  }
  wrong(name, "a list of texts");
  return std::nullopt;
}

std::vector<std::int64_t> Fields::ids(std::string_view name) {
  std::vector<std::int64_t> ids;
  const json::value* value = take(name);
  const json::array* list = value == nullptr ? nullptr : value->if_array();
  bool right = list != nullptr && !list->empty();
  for (std::size_t i = 0; right && i < list->size(); ++i) {
    right = (*list)[i].is_int64() && (*list)[i].get_int64() > 0;
    if (right) ids.push_back((*list)[i].get_int64());
  }
  if (!right) wrong(name, "a list of numbers, as `id` has them");
  return ids;
}

std::optional<Duration> Fields::duration(std::string_view name) {
  const std::optional<std::string> words = text(name);
  if (!words) return std::nullopt;
  const Result<Duration> duration = parse_duration(*words);
  if (duration) return *duration;
  wrong(name, "a duration: " + duration.error().message);
  return std::nullopt;
}

std::optional<double> Fields::rate(std::string_view name) {
  const json::value* value = take(name);
  if (value == nullptr) return std::nullopt;
  const bool is_text = value->is_string();
  const Result<double> rate =
      is_text ? parse_rate(std::string_view(value->get_string().data(), value->get_string().size()))
      : value->is_number() && value->to_number<double>() > 0
          ? Result<double>(value->to_number<double>())
          : Result<double>(wrong_request("write 20, \"300/min\", \"5000/h\" or \"unlimited\""));
  if (rate) return *rate;
  wrong(name, "a rate: " + rate.error().message);
  return std::nullopt;
}

const json::object* Fields::object(std::string_view name) {
  const json::value* value = take(name);
  if (value == nullptr) return nullptr;
  if (!value->is_object()) wrong(name, "an object");
  return value->if_object();
}

const json::array* Fields::array(std::string_view name) {
  const json::value* value = take(name);
  if (value == nullptr) return nullptr;
  if (!value->is_array()) wrong(name, "a list");
  return value->if_array();
}

Status Fields::end() {
  for (const auto& [name, value] : object_) {
    const std::string_view field(name.data(), name.size());
    if (known_.contains(field)) continue;
    note(wrong_request("there is no field '" + where_ + printable(field, 60) +
                       "'; known: " + known_names(known_)));
  }
  if (problem_) return *problem_;
  return success();
}

Result<Query> Query::parse(std::string_view text) {
  Query query;
  while (!text.empty()) {
    const std::size_t end = text.find('&');
    const std::string_view pair = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (pair.empty()) continue;
    const std::size_t equals = pair.find('=');
    const std::optional<std::string> name = decoded(pair.substr(0, equals));
    const std::optional<std::string> value =
        decoded(equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1));
    if (!name || !value) return wrong_request("the query has a '%' without two digits behind it");
    if (query.values_.size() >= most_parameters)
      return wrong_request("the query has too many parameters");
    if (!query.values_.emplace(*name, *value).second)
      return wrong_request("the parameter '" + printable(*name, 60) + "' stands twice");
  }
  return query;
}

std::string Query::text(std::string_view name) {
  known_.emplace(name);
  const auto found = values_.find(name);
  return found == values_.end() ? std::string() : found->second;
}

std::int64_t Query::whole(std::string_view name, std::int64_t otherwise, std::int64_t most) {
  const std::string words = text(name);
  if (words.empty()) return otherwise;
  std::int64_t number = 0;
  const auto [end, wrong] = std::from_chars(words.data(), words.data() + words.size(), number);
  if (wrong == std::errc{} && end == words.data() + words.size() && number >= 0 && number <= most)
    return number;
  note(wrong_request("the parameter '" + std::string(name) + "' must be a whole number from 0 to " +
                     std::to_string(most)));
  return otherwise;
}

void Query::note(const Error& error) {
  if (!problem_) problem_ = error;
}

Status Query::end() {
  for (const auto& [name, value] : values_) {
    if (known_.contains(name)) continue;
    note(wrong_request("there is no parameter '" + printable(name, 60) +
                       "'; known: " + known_names(known_)));
  }
  if (problem_) return *problem_;
  return success();
}

}  // namespace pollux::web

#include "fetch/header_fields.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>

#include <curl/curl.h>

namespace pollux::fetch {
namespace {

constexpr std::size_t max_validator = 1024;
constexpr std::size_t max_date = 64;
constexpr std::size_t max_location = 8192;
constexpr std::size_t max_cache_control = 1024;
constexpr std::int64_t longest_wait = std::int64_t{24} * 3600;
constexpr std::int64_t longest_freshness = std::int64_t{365} * 24 * 3600;

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

// `name` is lower-case.
bool same_name(std::string_view text, std::string_view name) {
  return text.size() == name.size() && std::equal(text.begin(), text.end(), name.begin(),
                                                  [](char a, char b) { return lower(a) == b; });
}

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

bool is_control(char c) {
  return (c >= 0 && c < 0x20 && c != '\t') || c == 0x7f;
}

// Whether one of eight bytes may be such a one (a tab, too).
bool is_suspicious(const char* eight_bytes) {
  constexpr std::uint64_t ones = 0x0101010101010101, tops = 0x80 * ones;
  std::uint64_t eight;
  std::memcpy(&eight, eight_bytes, sizeof eight);
  const std::uint64_t deletes = eight ^ (0x7f * ones);
  return ((((eight - 0x20 * ones) & ~eight) | ((deletes - ones) & ~deletes)) & tops) != 0;
}

// Sees every byte of every header: eight at a time, the last eight perhaps twice, and one by one
// only where one of them may be such a byte.
bool has_control_byte(std::string_view text) {
  constexpr std::size_t step = sizeof(std::uint64_t);
  bool suspicious = text.size() < step;
  if (!suspicious) {
    const char* const last = text.data() + text.size() - step;
    for (const char* at = text.data(); at < last; at += step) suspicious |= is_suspicious(at);
    suspicious |= is_suspicious(last);
  }
  return suspicious && std::any_of(text.begin(), text.end(), is_control);
}

bool all_digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Saturates: a length or delay beyond 64 bits is simply the largest one.
std::uint64_t digits_value(std::string_view digits) {
  std::uint64_t value = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (parsed.ec != std::errc{}) return std::numeric_limits<std::uint64_t>::max();
  return value;
}

// curl_getdate alone takes far too much ("1", "noon") for a date.
std::optional<std::int64_t> parse_http_date(std::string_view text) {
  constexpr std::string_view days = "Mon Tue Wed Thu Fri Sat Sun";
  if (text.size() < 24 || text.size() > max_date) return {};
  const std::size_t day = days.find(text.substr(0, 3));
  if (day == std::string_view::npos || day % 4 != 0) return {};
  const time_t seconds = curl_getdate(std::string(text).c_str(), nullptr);
  if (seconds < 0) return {};
  return seconds;
}

// What a Cache-Control header says that matters here.
struct CacheControl {
  bool always_ask = false;
  std::optional<std::uint64_t> max_age;
};

CacheControl parse_cache_control(std::string_view text) {
  CacheControl control;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view directive = trim(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
    const std::size_t equals = std::min(directive.find('='), directive.size());
    const std::string_view name = directive.substr(0, equals);
    if (same_name(name, "no-store") || same_name(name, "no-cache")) control.always_ask = true;
    if (!same_name(name, "max-age") || equals == directive.size() || control.max_age) continue;
    std::string_view value = directive.substr(equals + 1);
    if (value.size() > 2 && value.front() == '"' && value.back() == '"')
      value = value.substr(1, value.size() - 2);
    control.max_age = all_digits(value) ? digits_value(value) : 0;
  }
  return control;
}

void take_bounded(std::string& field, std::string_view value, std::size_t limit) {
  if (field.empty() && value.size() <= limit) field = value;
}

}  // namespace

bool is_clean_validator(std::string_view value) {
  return !value.empty() && value.size() <= max_validator &&
         std::all_of(value.begin(), value.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
}

std::optional<Duration> parse_modified_ago(std::string_view last_modified, std::string_view date,
                                           std::int64_t now_unix_seconds) {
  const auto modified = parse_http_date(trim(last_modified));
  if (!modified) return {};
  return std::chrono::seconds(parse_http_date(trim(date)).value_or(now_unix_seconds) - *modified);
}

std::optional<Duration> parse_retry_after(std::string_view value, std::string_view date,
                                          std::int64_t now_unix_seconds) {
  value = trim(value);
  std::int64_t seconds = 0;
  if (all_digits(value)) {
    seconds = static_cast<std::int64_t>(
        std::min<std::uint64_t>(digits_value(value), static_cast<std::uint64_t>(longest_wait)));
  } else if (const auto until = parse_http_date(value)) {
    seconds = *until - parse_http_date(trim(date)).value_or(now_unix_seconds);
  } else {
    return {};
  }
  return std::chrono::seconds(std::clamp<std::int64_t>(seconds, 1, longest_wait));
}

std::optional<Duration> parse_freshness(const FreshnessFields& fields,
                                        std::int64_t now_unix_seconds) {
  const CacheControl control = parse_cache_control(fields.cache_control);
  if (control.always_ask) return {};
  const auto bounded = [](std::uint64_t seconds) {
    return static_cast<std::int64_t>(
        std::min(seconds, static_cast<std::uint64_t>(longest_freshness)));
  };
  std::int64_t seconds = 0;
  if (control.max_age) {
    const std::string_view age = trim(fields.age);
    seconds = bounded(*control.max_age) - (all_digits(age) ? bounded(digits_value(age)) : 0);
  } else if (const auto until = parse_http_date(trim(fields.expires))) {
    seconds = *until - parse_http_date(trim(fields.date)).value_or(now_unix_seconds);
  }
  if (seconds <= 0) return {};
  return std::chrono::seconds(std::min(seconds, longest_freshness));
}

void HeaderFields::reset(std::size_t max_bytes) {
  max_bytes_ = max_bytes;
  bytes_ = 0;
  status_ = 0;
  complete_ = chunked_ = length_conflict_ = by_connection_ = false;
  encoding_ = Encoding::none;
  length_.reset();
  for (std::string* field : {&etag_, &last_modified_, &content_type_, &challenge_, &location_,
                             &retry_after_, &date_, &cache_control_, &expires_, &age_}) {
    field->clear();
  }
}

HeaderFields::Verdict HeaderFields::add(std::string_view line) {
  bytes_ += line.size();
  if (bytes_ > max_bytes_) return Verdict::too_large;
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
  if (has_control_byte(line)) return Verdict::malformed;
  if (complete_) return Verdict::ok;  // trailers count, but say nothing
  if (line.empty()) return end_response();
  if (line.substr(0, 5) == "HTTP/") return begin_response(line);
  if (const std::size_t colon = line.find(':'); colon != std::string_view::npos) {
    take(line.substr(0, colon), trim(line.substr(colon + 1)));
  }
  return Verdict::ok;
}

HeaderFields::Verdict HeaderFields::begin_response(std::string_view line) {
  const std::size_t bytes = bytes_;
  reset(max_bytes_);
  bytes_ = bytes;
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos) return Verdict::malformed;
  const std::string_view code = trim(line.substr(space)).substr(0, 3);
  if (code.size() != 3 || !all_digits(code)) return Verdict::malformed;
  status_ = static_cast<int>(digits_value(code));
  by_connection_ = line.starts_with("HTTP/1");
  return Verdict::ok;
}

HeaderFields::Verdict HeaderFields::end_response() {
  if (status_ < 200) return Verdict::ok;
  complete_ = true;
  if (!is_clean_validator(etag_)) etag_.clear();
  if (!is_clean_validator(last_modified_)) last_modified_.clear();
  if (!is_clean_validator(content_type_)) content_type_.clear();
  if (!is_clean_validator(challenge_)) challenge_.clear();
  // A body with contradicting lengths may be cut at the wrong byte.
  const bool contradictory = length_conflict_ || (length_ && chunked_);
  return contradictory ? Verdict::malformed : Verdict::ok;
}

void HeaderFields::take(std::string_view name, std::string_view value) {
  // The length of the name sorts out nearly every field before a character is compared.
  switch (name.size()) {
    case 3:
      if (same_name(name, "age")) take_bounded(age_, value, max_date);
      return;
    case 4:
      if (same_name(name, "etag")) take_bounded(etag_, value, max_validator);
      if (same_name(name, "date")) take_bounded(date_, value, max_date);
      return;
    case 7:
      if (same_name(name, "expires")) take_bounded(expires_, value, max_date);
      return;
    case 8:
      if (same_name(name, "location")) take_bounded(location_, value, max_location);
      return;
    case 11:
      if (same_name(name, "retry-after")) take_bounded(retry_after_, value, max_date);
      return;
    case 12:
      if (same_name(name, "content-type")) take_bounded(content_type_, value, max_validator);
      if (same_name(name, "cf-mitigated")) take_bounded(challenge_, value, max_validator);
      return;
    case 13:
      if (same_name(name, "last-modified")) take_bounded(last_modified_, value, max_validator);
      if (same_name(name, "cache-control") &&
          cache_control_.size() + value.size() < max_cache_control) {
        cache_control_.append(cache_control_.empty() ? "" : ", ").append(value);
      }
      return;
    case 14:
      if (same_name(name, "content-length")) take_length(value);
      return;
    case 16:
      if (same_name(name, "content-encoding")) take_encoding(value);
      return;
    case 17:
      if (same_name(name, "transfer-encoding")) take_transfer_encoding(value);
      if (same_name(name, "x-amzn-waf-action")) take_bounded(challenge_, value, max_validator);
      return;
    default:
      return;
  }
}

void HeaderFields::take_length(std::string_view value) {
  if (!all_digits(value)) {
    length_conflict_ = true;
    return;
  }
  const std::uint64_t length = digits_value(value);
  if (length_ && *length_ != length) length_conflict_ = true;
  length_ = length;
}

// Chunks are undone by curl; a compression was not asked for, and nobody would undo it.
void HeaderFields::take_transfer_encoding(std::string_view value) {
  while (!value.empty()) {
    const std::size_t comma = std::min(value.find(','), value.size());
    const std::string_view coding = trim(value.substr(0, comma));
    value.remove_prefix(std::min(comma + 1, value.size()));
    if (same_name(coding, "chunked")) {
      chunked_ = true;
    } else if (!coding.empty() && !same_name(coding, "identity")) {
      encoding_ = Encoding::unsupported;
    }
  }
}

void HeaderFields::take_encoding(std::string_view value) {
  if (value.empty() || same_name(value, "identity")) return;
  const bool known =
      same_name(value, "gzip") || same_name(value, "x-gzip") || same_name(value, "deflate");
  // Only gzip was offered, and once: a chain of encodings can hide a bomb.
  encoding_ = known && encoding_ == Encoding::none ? Encoding::gzip : Encoding::unsupported;
}

}  // namespace pollux::fetch

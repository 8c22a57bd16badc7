// What Pollux wants from the header lines of one response, and the checks curl leaves out: a cap on
// all header bytes (1xx responses and trailers included), contradicting lengths, control bytes.
// Pure; foreign text comes in, only bounded text stays.
#pragma once

#include "pollux/base/time.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pollux::fetch {

// Printable ASCII of at most 1 KiB: what may be stored as a validator and sent back in a header.
bool is_clean_validator(std::string_view value);

// From the date of Last-Modified to that of the answer, or to now when it has none; negative when
// it lies in the future. Nothing for garbage.
std::optional<Duration> parse_modified_ago(std::string_view last_modified, std::string_view date,
                                           std::int64_t now_unix_seconds);
// The value of a Retry-After header as a delay, clamped to 1 s … 24 h; nothing for garbage. A date
// is taken relative to the response's own Date header, so that a wrong clock on either side does
// not matter; `now` serves where that header is missing.
std::optional<Duration> parse_retry_after(std::string_view value, std::string_view date,
                                          std::int64_t now_unix_seconds);

// How much longer an answer calls itself fresh, by Cache-Control: max-age (less the Age it arrives
// with) or else by Expires, at most a year; nothing when it does not, when it is stale, or when
// no-cache or no-store ask for a new request every time.
struct FreshnessFields {
  std::string_view cache_control, expires, age, date;
  bool any() const { return !cache_control.empty() || !expires.empty(); }
};
std::optional<Duration> parse_freshness(const FreshnessFields& fields,
                                        std::int64_t now_unix_seconds);

class HeaderFields {
 public:
  enum class Verdict : std::uint8_t { ok, too_large, malformed };
  enum class Encoding : std::uint8_t { none, gzip, unsupported };

  // Forgets the last response, keeping the memory.
  void reset(std::size_t max_bytes);
  // One line as curl hands it over: a status line, a field, the empty line, a trailer.
  Verdict add(std::string_view line);

  int status() const { return status_; }
  bool complete() const { return complete_; }  // the final (not 1xx) header block has ended

  Encoding encoding() const { return encoding_; }
  std::optional<std::uint64_t> content_length() const { return length_; }
  // HTTP/1 without a length of any kind: the body lasts until the connection ends.
  bool chunked() const { return chunked_; }
  bool until_close() const { return by_connection_ && !length_ && !chunked_; }
  // Empty when absent or not is_clean_validator().
  std::string& etag() { return etag_; }
  std::string& last_modified() { return last_modified_; }
  std::string& content_type() { return content_type_; }
  std::string& challenge() { return challenge_; }
  const std::string& location() const { return location_; }
  std::string_view retry_after() const { return retry_after_; }
  std::string_view date() const { return date_; }
  FreshnessFields freshness() const { return {cache_control_, expires_, age_, date_}; }

 private:
  Verdict begin_response(std::string_view line);
  Verdict end_response();
  void take(std::string_view name, std::string_view value);
  void take_length(std::string_view value);
  void take_encoding(std::string_view value);
  void take_transfer_encoding(std::string_view value);

  std::size_t max_bytes_ = 0;
  std::size_t bytes_ = 0;
  int status_ = 0;
  bool complete_ = false;
  bool chunked_ = false;
  bool by_connection_ = false;  // HTTP/1, where a body may end with its connection
  bool length_conflict_ = false;
  Encoding encoding_ = Encoding::none;
  std::optional<std::uint64_t> length_;
  std::string etag_;
  std::string last_modified_;
  std::string content_type_;
  std::string challenge_;
  std::string location_;
  std::string retry_after_;
  std::string date_;
  std::string cache_control_;  // all of them, joined
  std::string expires_;
  std::string age_;
};

}  // namespace pollux::fetch

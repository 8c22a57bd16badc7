// What a browser says on its DevTools pipe: JSON texts, each ended by a zero byte. Pure; the
// browser is taken for a stranger, because pages may have taken it over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

namespace pollux::render {

inline constexpr std::size_t longest_message = 64u << 20;

// Cuts a stream of bytes into texts.
class MessageSplitter {
 public:
  explicit MessageSplitter(std::size_t longest = longest_message) : longest_(longest) {}
  // False: a text is longer than it may be; nothing more can be read.
  bool add(std::string_view bytes);
  std::optional<std::string> next();

 private:
  const std::size_t longest_;
  std::string buffer_;
  std::size_t searched_ = 0;  // of the buffer: no zero byte before this
};

// An answer to a call (`id`), or an event (`method`).
struct Message {
  std::optional<std::uint64_t> id;
  std::string method;
  std::string session;         // empty: of the browser itself
  boost::json::object values;  // of an answer or an event
  std::string error;           // of an answer; empty: it is one
};
std::optional<Message> parse_message(std::string_view text);

// "id", or "response.url": the text there; empty when there is none.
std::string_view text_at(const boost::json::object& values, std::string_view path);
std::optional<std::int64_t> number_at(const boost::json::object& values, std::string_view path);
const boost::json::value* value_at(const boost::json::object& values, std::string_view path);

}  // namespace pollux::render

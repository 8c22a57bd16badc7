// Logging by spdlog, set up once by the command that runs; modules call the free functions of
// spdlog on the default logger. Text that comes from outside goes through printable() first.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace pollux {

struct LogOptions {
  std::string level = "info";   // trace, debug, info, warn, error, off
  std::string format = "text";  // text or json: one object per line
};

// Logs go to standard error. With format json the message is escaped as a JSON string.
void set_up_logging(const LogOptions& options);

// What happened, for people as one line and for machines as fields of their own: in JSON each is a
// member of the object, `event` among them; text has the message alone.
enum class LogLevel : std::uint8_t { debug, info, warn };
struct LogField {
  std::string_view name;  // plain: it is written as it is
  std::variant<std::string, std::int64_t> value;
};
using LogFields = std::vector<LogField>;
bool is_logged(LogLevel level);
void log_event(LogLevel level, std::string_view event, const std::string& message,
               const LogFields& fields);

}  // namespace pollux

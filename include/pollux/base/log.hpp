// Logging by spdlog, set up once by the command that runs; modules call the free functions of
// spdlog on the default logger. Text that comes from outside goes through printable() first.
#pragma once

#include <string>

namespace pollux {

struct LogOptions {
  std::string level = "info";   // trace, debug, info, warn, error, off
  std::string format = "text";  // text or json: one object a line with time, level, message
};

// Logs go to standard error. With format json the message is escaped as a JSON string.
void set_up_logging(const LogOptions& options);

}  // namespace pollux

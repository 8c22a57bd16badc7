// What is logged while an object of this class lives, "[level] message" a line, in place of where
// it went before.
#pragma once

#include <memory>
#include <sstream>
#include <string>

#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

namespace pollux::test {

class LogLines {
 public:
  LogLines() {
    auto logger = std::make_shared<spdlog::logger>("test", sink_);
    logger->set_pattern("[%l] %v");
    spdlog::set_default_logger(std::move(logger));
  }
  ~LogLines() { spdlog::set_default_logger(before_); }
  LogLines(const LogLines&) = delete;
  LogLines& operator=(const LogLines&) = delete;

  // When no other thread logs any more.
  std::string text() const { return stream_.str(); }
  bool have(const std::string& part) const { return text().find(part) != std::string::npos; }

 private:
  std::shared_ptr<spdlog::logger> before_ = spdlog::default_logger();
  std::ostringstream stream_;
  std::shared_ptr<spdlog::sinks::ostream_sink_mt> sink_ =
      std::make_shared<spdlog::sinks::ostream_sink_mt>(stream_);
};

}  // namespace pollux::test

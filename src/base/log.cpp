#include "pollux/base/log.hpp"

#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"

#include <memory>
#include <string_view>
#include <utility>

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

namespace pollux {
namespace {

constexpr std::size_t longest_message = 16u << 10;

constexpr std::pair<std::string_view, spdlog::level::level_enum> levels[] = {
    {"trace", spdlog::level::trace},       {"debug", spdlog::level::debug},
    {"info", spdlog::level::info},         {"warn", spdlog::level::warn},
    {"error", spdlog::level::err},         {"off", spdlog::level::off},
    {"critical", spdlog::level::critical},
};

std::string_view level_name(spdlog::level::level_enum level) {
  for (const auto& [name, value] : levels) {
    if (value == level) return name;
  }
  return "info";
}

spdlog::level::level_enum level_of(std::string_view name) {
  for (const auto& [known, value] : levels) {
    if (known == name) return value;
  }
  return spdlog::level::info;
}

void append(spdlog::memory_buf_t& out, std::string_view text) {
  out.append(text.data(), text.data() + text.size());
}

std::string time_of(const spdlog::details::log_msg& message) {
  return format_time(std::chrono::time_point_cast<WallTime::duration>(message.time));
}

// One line a message, whatever it holds: printable() again as a last net, because a module may
// forget it.
std::string one_line(const spdlog::details::log_msg& message) {
  return printable({message.payload.data(), message.payload.size()}, longest_message);
}

class TextFormatter final : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) override {
    append(out, time_of(message));
    append(out, " ");
    message.color_range_start = out.size();
    const std::string_view level = level_name(message.level);
    append(out, level);
    message.color_range_end = out.size();
    append(out, std::string_view("      ").substr(level.size() < 6 ? level.size() : 5));
    append(out, one_line(message));
    append(out, "\n");
  }
  std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<TextFormatter>();
  }
};

// An event while it is being logged: formatters run on the thread that logs, within the call.
struct Event {
  std::string_view name;
  const LogFields& fields;
};
thread_local const Event* present_event = nullptr;

// printable() leaves valid UTF-8 without control characters: only these two are special.
void append_json(spdlog::memory_buf_t& out, std::string_view text) {
  out.push_back('"');
  for (const char c : printable(text, longest_message)) {
    if (c == '"' || c == '\\') out.push_back('\\');
    out.push_back(c);
  }
  out.push_back('"');
}

void append_name(spdlog::memory_buf_t& out, std::string_view name) {
  append(out, ",\"");
  append(out, name);
  append(out, "\":");
}

void append_event(spdlog::memory_buf_t& out, const Event& event) {
  append_name(out, "event");
  append_json(out, event.name);
  for (const LogField& field : event.fields) {
    append_name(out, field.name);
    if (const auto* text = std::get_if<std::string>(&field.value)) {
      append_json(out, *text);
    } else {
      append(out, std::to_string(std::get<std::int64_t>(field.value)));
    }
  }
}

spdlog::level::level_enum level_of(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warn:
      break;
  }
  return spdlog::level::warn;
}

class JsonFormatter final : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) override {
    append(out, R"({"time":")");
    append(out, time_of(message));
    append(out, R"(","level":")");
    append(out, level_name(message.level));
    append(out, R"(","message":)");
    append_json(out, {message.payload.data(), message.payload.size()});
    if (present_event != nullptr) append_event(out, *present_event);
    append(out, "}\n");
  }
  std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<JsonFormatter>();
  }
};

}  // namespace

void set_up_logging(const LogOptions& options) {
  // Made once: other threads may be logging when a reload changes level or format.
  static const std::shared_ptr<spdlog::logger> logger = [] {
    auto made = std::make_shared<spdlog::logger>(
        "pollux", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    spdlog::set_default_logger(made);
    return made;
  }();
  if (options.format == "json") {
    logger->set_formatter(std::make_unique<JsonFormatter>());
  } else {
    logger->set_formatter(std::make_unique<TextFormatter>());
  }
  logger->set_level(level_of(options.level));
}

bool is_logged(LogLevel level) {
  return spdlog::default_logger_raw()->should_log(level_of(level));
}

void log_event(LogLevel level, std::string_view event, const std::string& message,
               const LogFields& fields) {
  const Event present{event, fields};
  present_event = &present;
  spdlog::default_logger_raw()->log(level_of(level), spdlog::string_view_t(message));
  present_event = nullptr;
}

}  // namespace pollux

#include "pollux/base/log.hpp"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

namespace pollux {
namespace {

template <typename Body>
std::string logged(const LogOptions& options, const Body& body) {
  testing::internal::CaptureStderr();
  set_up_logging(options);
  body();
  spdlog::default_logger()->flush();
  return testing::internal::GetCapturedStderr();
}

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

const std::string hostile = "%s %n {} {0} \"quoted\" back\\slash\nerror forged\r\x1b[31m \xff";

TEST(Log, text_lines_have_time_level_and_message) {
  const std::string out = logged({}, [] { spdlog::warn("{} pages", 3); });
  ASSERT_EQ(lines(out), 1u);
  EXPECT_EQ(out.substr(10, 1), "T");
  EXPECT_EQ(out.substr(23), "Z warn  3 pages\n");
}

TEST(Log, hostile_text_stays_on_its_line) {
  const std::string out = logged({}, [] { spdlog::info(hostile); });
  EXPECT_EQ(lines(out), 1u);
  EXPECT_EQ(out.find('\x1b'), std::string::npos);
  EXPECT_EQ(out.find('\r'), std::string::npos);
  EXPECT_NE(out.find("%s %n {} {0}"), std::string::npos);
  EXPECT_NE(out.find("\\x0aerror forged"), std::string::npos);
}

TEST(Log, json_lines_are_escaped) {
  const std::string out =
      logged({.level = "info", .format = "json"}, [] { spdlog::error("{}", hostile); });
  ASSERT_EQ(lines(out), 1u);
  EXPECT_TRUE(out.starts_with("{\"time\":\"20"));
  EXPECT_NE(out.find("\"level\":\"error\",\"message\":\"%s %n {} {0} \\\"quoted\\\" "
                     "back\\\\slash\\\\x0aerror forged\\\\x0d\\\\x1b[31m \\\\xff\"}"),
            std::string::npos)
      << out;
}

TEST(Log, an_event_has_fields_of_its_own_in_json_and_its_message_alone_in_text) {
  const auto talk = [] {
    log_event(LogLevel::warn, "changed", "changed: x",
              {{"url", hostile}, {"page_id", std::int64_t{7}}, {"old_hash", "ab"}});
    spdlog::warn("another");
  };
  const std::string out = logged({.level = "info", .format = "json"}, talk);
  EXPECT_EQ(lines(out), 2u);
  EXPECT_NE(out.find("\"message\":\"changed: x\",\"event\":\"changed\",\"url\":\"%s %n {} {0} "
                     "\\\"quoted\\\" back\\\\slash\\\\x0aerror forged"),
            std::string::npos)
      << out;
  EXPECT_NE(out.find(",\"page_id\":7,\"old_hash\":\"ab\"}\n"), std::string::npos) << out;
  EXPECT_TRUE(out.ends_with("\"message\":\"another\"}\n")) << "no field of the line before";
  EXPECT_TRUE(logged({}, [&] { talk(); }).find("changed: x\n") != std::string::npos);
  EXPECT_FALSE(is_logged(LogLevel::debug));
}

TEST(Log, levels_below_the_chosen_one_are_silent) {
  const auto talk = [] {
    spdlog::debug("debug");
    spdlog::info("info");
    spdlog::error("error");
  };
  EXPECT_EQ(lines(logged({.level = "debug", .format = "text"}, talk)), 3u);
  EXPECT_EQ(lines(logged({.level = "error", .format = "text"}, talk)), 1u);
  EXPECT_EQ(lines(logged({.level = "off", .format = "json"}, talk)), 0u);
}

TEST(Log, a_very_long_message_is_cut) {
  const std::string out = logged({}, [] { spdlog::info(std::string(1u << 20, 'x')); });
  EXPECT_LT(out.size(), 20000u);
}

}  // namespace
}  // namespace pollux

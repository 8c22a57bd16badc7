#include "engine/page_log.hpp"

#include "support/log_lines.hpp"

#include <gtest/gtest.h>

namespace pollux::engine {
namespace {

using namespace std::chrono_literals;
using test::LogLines;

class PageLogTest : public testing::Test {
 protected:
  PageLogTest() {
    page_.id = PageId{7};
    page_.url = "http://a.test/";
    settings_.limits = {5s, 24h};
  }
  void fail() { end({.error = "timeout: 5 s"}, 0); }
  void succeed() { end({.body = detect::Hash{1}}, 200); }
  void end(End how, int status) {
    at_.now += 1s;
    flight_.answer = {};
    flight_.answer.status = status;
    flight_.answer.body_bytes = status == 200 ? 5 : 0;
    flight_.asked = at_.now;
    const Outcome outcome = settle(page_, flight_, std::move(how), settings_, {}, at_, rng_);
    log_.polled(page_, flight_, outcome, at_);
  }
  std::size_t count(const std::string& part) const {
    const std::string text = lines_.text();
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
      ++found;
    return found;
  }
  LogLines lines_;
  PageLog log_;
  Moment at_{Instant(1h), WallTime(1'790'000'000s)};
  PageRecord page_;
  Flight flight_;
  PageSettings settings_;
  Rng rng_{1};
};

TEST_F(PageLogTest, a_page_that_fails_is_told_with_growing_gaps_and_its_recovery_once) {
  succeed();
  EXPECT_EQ(lines_.text(), "");
  for (int i = 0; i < 100; ++i) fail();
  EXPECT_TRUE(lines_.have("[warning] failing: http://a.test/: timeout: 5 s; next attempt in "));
  EXPECT_EQ(count("still failing: "), 6u) << "at 2, 4, 8, 16, 32 and 64: " << lines_.text();
  EXPECT_TRUE(lines_.have("(64 failures in a row, its content was last seen "));
  succeed();
  succeed();
  EXPECT_EQ(count("[info] recovered: http://a.test/ after 100 failures"), 1u) << lines_.text();
}

TEST_F(PageLogTest, at_debug_every_poll_is_told) {
  spdlog::default_logger()->set_level(spdlog::level::debug);
  succeed();
  succeed();
  fail();
  EXPECT_EQ(count("[debug] polled: http://a.test/: "), 3u);
  EXPECT_TRUE(lines_.have("baseline, HTTP 200, 5 B")) << lines_.text();
}

TEST_F(PageLogTest, a_network_that_is_down_does_not_flood_the_log_and_the_rest_is_counted) {
  for (int i = 0; i < 10'000; ++i) {
    PageRecord other;
    other.id = PageId{i + 1};
    other.url = "http://" + std::to_string(i) + ".test/";
    flight_.answer = {};
    const Outcome outcome = settle(other, flight_, {.error = "connect"}, settings_, {}, at_, rng_);
    log_.polled(other, flight_, outcome, at_);
  }
  EXPECT_EQ(count("failing: "), static_cast<std::size_t>(PageLog::most_at_once));
  at_.now += 2min;
  succeed();
  EXPECT_TRUE(lines_.have("9940 failed polls")) << lines_.text();
}

TEST_F(PageLogTest, a_redirect_to_a_login_page_is_told_once_and_without_its_query) {
  flight_.trail.hops = 1;
  flight_.url = "http://id.test/login?session=one";
  succeed();
  EXPECT_TRUE(
      lines_.have("[warning] redirected: http://a.test/ is answered by "
                  "http://id.test/login, which looks like a login page"))
      << lines_.text();
  flight_.url = "http://id.test/login?session=two";
  succeed();
  EXPECT_EQ(count("redirected: "), 1u);
  EXPECT_FALSE(lines_.have("session"));
  flight_.trail.hops = 0;
  flight_.url = "http://a.test/";
  succeed();
  EXPECT_TRUE(lines_.have("answers at its own URL again: http://a.test/"));
}

TEST_F(PageLogTest, a_page_that_robots_txt_denies_is_told_once) {
  RobotsBook::Denial denial{.reason = "robots: disallowed by robots.txt", .until = at_.now + 1h};
  log_.denied(page_, denial, at_);
  page_.denied = true;
  log_.denied(page_, denial, at_);
  EXPECT_EQ(count("not polled: http://a.test/: robots: disallowed"), 1u) << lines_.text();
}

}  // namespace
}  // namespace pollux::engine

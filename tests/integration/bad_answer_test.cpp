// The bad-server list, item by item: statuses, validators, bodies and Retry-After.
#include "integration/hostile_web.hpp"

namespace pollux::test {
namespace {

class BadAnswer : public HostileWeb {
 protected:
  // How long the page waits after an answer with this Retry-After.
  std::chrono::milliseconds wait_after(int status, const std::string& retry_after) {
    expect_error(serve::status(status, "Retry-After: " + retry_after + "\r\n"),
                 "HTTP " + std::to_string(status));
    const store::PageProgress page = progress(bad_.url("/bad"));
    return page.retry_at.value_or(WallTime{}) - page.last_polled_at.value_or(WallTime{});
  }
  void expect_plain_back_off(std::chrono::milliseconds wait) {
    EXPECT_GE(wait, std::chrono::seconds(7));
    EXPECT_LE(wait, std::chrono::seconds(13));
  }
  void expect_same_bytes(const std::string& type, const std::string& body) {
    expect_nothing(serve::page(body, "Content-Type: " + type + "\r\n"));
    EXPECT_EQ(progress(bad_.url("/bad")).body_bytes, static_cast<std::int64_t>(body.size()));
  }
};

TEST_F(BadAnswer, not_modified_without_validators) {
  expect_error(serve::status(304), "protocol");
}
// The bytes behind it belong to nobody: the answer counts, and what the next one on the connection
// makes of them is at worst an error.
TEST_F(BadAnswer, not_modified_with_a_body) {
  bad_.on("/bad", [](Exchange& x) -> Step {
    if (x.header("if-none-match").empty()) {
      co_await x.respond(200, "ETag: \"v1\"\r\n", content);
    } else {
      co_await x.send("HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\nSURPRISE!");
    }
  });
  watch(bad_.url("/bad"), [](const store::PageProgress& page) { return page.polls >= 3; });
  EXPECT_EQ(progress(bad_.url("/bad")).changes, 0);
}
TEST_F(BadAnswer, empty_200) {
  expect_error(serve::page(""), "empty body");
}
TEST_F(BadAnswer, status_204) {
  expect_error(serve::status(204), "HTTP 204");
}
TEST_F(BadAnswer, status_206) {
  expect_error(serve::status(206, "Content-Range: bytes 0-3/35\r\n", "what"), "HTTP 206");
}
// It has a meaning with 206 and 416 alone (RFC 9110, 14.4); interfaces say with it which part of a
// list a whole answer is.
TEST_F(BadAnswer, content_range_with_200_is_a_whole_page) {
  expect_nothing(serve::page(content, "Content-Range: items 0-24/3573\r\n"));
  EXPECT_EQ(progress(bad_.url("/bad")).last_status, 200);
}
TEST_F(BadAnswer, etag_changes_while_the_body_does_not) {
  expect_nothing([](Exchange& x) -> Step {
    co_await x.respond(200, "ETag: \"" + std::to_string(x.nth) + "\"\r\n", content);
  });
}
// Not a false change: the page did change. It costs no more than its share of the budget.
TEST_F(BadAnswer, body_that_differs_at_every_poll) {
  bad_.on("/bad", serve::changing_page());
  watch(bad_.url("/bad"), [](const store::PageProgress& page) { return page.changes >= 3; });
  const store::PageProgress page = progress(bad_.url("/bad"));
  EXPECT_EQ(page.changes, page.polls - 1);
  EXPECT_EQ(page.errors, 0);
}

TEST_F(BadAnswer, retry_after_minus_1) {
  expect_plain_back_off(wait_after(429, "-1"));
}
TEST_F(BadAnswer, retry_after_10_to_the_12) {
  const std::chrono::milliseconds wait = wait_after(503, "1000000000000");
  EXPECT_GE(wait, std::chrono::hours(24) - std::chrono::seconds(1));
  EXPECT_LE(wait, std::chrono::hours(27)) << "a day, and a tenth of jitter";
}
TEST_F(BadAnswer, retry_after_past_date) {
  expect_plain_back_off(wait_after(503, "Sun, 06 Nov 1994 08:49:37 GMT"));
}
TEST_F(BadAnswer, retry_after_garbage) {
  expect_plain_back_off(wait_after(429, "when I feel like it"));
}

// Content is bytes: no decoder can stumble over it.
TEST_F(BadAnswer, wrong_charset) {
  expect_same_bytes("text/html; charset=\"utf-99\\\"", "caf\xe9 \x80\x81");
}
TEST_F(BadAnswer, utf_16) {
  expect_same_bytes("text/html; charset=utf-8", std::string("\xff\xfeh\0i\0\n\0", 8));
}
TEST_F(BadAnswer, invalid_utf_8) {
  expect_same_bytes("text/plain; charset=utf-8",
                    std::string("\xc3\x28\xf0\x9f\x00\xff\xc0\xaf", 8));
}

}  // namespace
}  // namespace pollux::test

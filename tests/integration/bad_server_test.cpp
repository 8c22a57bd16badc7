// The bad-server list, item by item: connections, lengths, encodings and headers. What every item
// must keep is in hostile_web.hpp; the table of items is ../PROMISES.md.
#include "integration/hostile_web.hpp"

namespace pollux::test {
namespace {

using namespace std::chrono_literals;

class BadServer : public HostileWeb {
 protected:
  static std::string ok_with(const std::string& fields, const std::string& body) {
    return "HTTP/1.1 200 OK\r\n" + fields + "\r\n" + body;
  }
  static Script encoded(const std::string& encoding, std::string body) {
    return serve::page(std::move(body), "Content-Encoding: " + encoding + "\r\n");
  }
};

TEST_F(BadServer, accept_then_silence) {
  after_a_good_connection(bad_, serve::silence());
  expect_error_at(bad_.url("/bad"), "timeout");
}
TEST_F(BadServer, one_byte_a_second_body) {
  expect_error(serve::slow_body(1s), "timeout");
}
TEST_F(BadServer, one_byte_a_second_headers) {
  expect_error(serve::slow_headers(1s), "timeout");
}
TEST_F(BadServer, rst_after_accept) {
  after_a_good_connection(bad_, serve::reset());
  expect_error_at(bad_.url("/bad"), "conne");  // connect or connection_lost: the reset may overtake
}
TEST_F(BadServer, rst_mid_body) {
  expect_error(serve::reset_after(ok_with("Content-Length: 1000\r\n", "only some of it")),
               "connection_lost");
}
TEST_F(BadServer, close_before_the_declared_length) {
  expect_error(serve::short_body(1000, "only some of it"), "connection_lost");
}

TEST_F(BadServer, endless_chunked_body) {
  expect_error(serve::endless_chunks(), "body_too_large");
}
TEST_F(BadServer, content_length_10_tb) {
  expect_error(serve::raw(ok_with("Content-Length: 10000000000000\r\n", "x")), "body_too_large");
}
TEST_F(BadServer, negative_length) {
  expect_error(serve::raw(ok_with("Content-Length: -5\r\n", "hello")), "protocol");
}
TEST_F(BadServer, two_different_lengths) {
  expect_error(serve::raw(ok_with("Content-Length: 4\r\nContent-Length: 5\r\n", "hello")),
               "protocol");
}
TEST_F(BadServer, length_plus_chunked) {
  expect_error(serve::raw(ok_with("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
                                  "5\r\nhello\r\n0\r\n\r\n")),
               "protocol");
}
TEST_F(BadServer, bad_chunk_size) {
  expect_error(serve::raw(ok_with("Transfer-Encoding: chunked\r\n", "-5\r\nhello\r\n0\r\n\r\n")),
               "protocol");
}
TEST_F(BadServer, endless_chunk_heads) {
  expect_error(serve::endless_chunk_heads(), "protocol");
}
TEST_F(BadServer, endless_trailers) {
  expect_error(serve::endless_trailers(), "headers_too_large");
}

TEST_F(BadServer, gzip_bomb) {
  expect_error(serve::gzip_bomb(100u << 20), "body_too_large");
}
// Only gzip is asked for, so what a bomb in another coding would unfold to is never seen.
TEST_F(BadServer, brotli_bomb) {
  expect_error(encoded("br", std::string("\x5b\xff\xff\x03\xf8\x61\x4f", 7)), "bad_encoding");
}
TEST_F(BadServer, zstd_bomb) {
  expect_error(encoded("zstd", std::string("\x28\xb5\x2f\xfd\xa4\x00\x00\x00\x40\x03", 10)),
               "bad_encoding");
}
TEST_F(BadServer, more_than_5_chained_encodings) {
  std::string body = "layers";
  for (int i = 0; i < 6; ++i) body = gzip(body);
  expect_error(encoded("gzip, gzip, gzip, gzip, gzip, gzip", body), "bad_encoding");
}
TEST_F(BadServer, truncated_gzip) {
  const std::string whole = gzip(std::string(5000, 'a') + "b");
  expect_error(encoded("gzip", whole.substr(0, whole.size() / 2)), "bad_encoding");
}
TEST_F(BadServer, mislabelled_gzip) {
  expect_error(encoded("gzip", "this was never compressed"), "bad_encoding");
}

TEST_F(BadServer, header_flood) {
  expect_error(serve::header_flood(), "headers_too_large");
}
TEST_F(BadServer, endless_103) {
  expect_error(serve::endless_early_hints(), "headers_too_large");
}
TEST_F(BadServer, http_0_9) {
  expect_error(serve::http_0_9(), "protocol");
}
TEST_F(BadServer, nul_in_headers) {
  expect_error(serve::raw(ok_with(std::string("X-Odd: a\0b\r\n", 12), content)), "protocol");
}
TEST_F(BadServer, control_bytes_in_headers) {
  expect_error(serve::raw(ok_with("X-Odd: \x1b[2J\x07\r\n", content)), "protocol");
}
TEST_F(BadServer, set_cookie_flood) {
  expect_error(
      serve::repeat("HTTP/1.1 200 OK\r\n", "Set-Cookie: a=" + std::string(500, 'x') + "\r\n"),
      "headers_too_large");
}
// A flood below the limit is an answer; no cookie ever comes back.
TEST_F(BadServer, set_cookie_flood_within_the_limit) {
  std::string cookies;
  for (int i = 0; i < 500; ++i) cookies += "Set-Cookie: c" + std::to_string(i) + "=yes\r\n";
  expect_nothing(serve::page(content, cookies));
  EXPECT_EQ(bad_.last_header("/bad", "cookie"), "");
}
TEST_F(BadServer, etag_of_1_mb) {
  expect_error(serve::page(content, "ETag: \"" + std::string(1u << 20, 'e') + "\"\r\n"),
               "headers_too_large");
}
TEST_F(BadServer, crlf_in_etag) {
  expect_nothing(serve::page(content, "ETag: \"a\r\nX-Injected: b\"\r\n"));
  EXPECT_EQ(bad_.last_header("/bad", "if-none-match"), "\"a");
  EXPECT_EQ(bad_.last_header("/bad", "x-injected"), "");
}
TEST_F(BadServer, stale_keep_alive) {
  // Every second request finds its kept connection closed; the one after it is the retry.
  bad_.on("/bad", [](Exchange& x) -> Step {
    if (x.nth % 3 == 2) {
      x.close();
    } else {
      co_await x.respond(200, "", content);
    }
  });
  expect_nothing_at(bad_.url("/bad"));
  EXPECT_GT(static_cast<std::int64_t>(bad_.requests("/bad")), progress(bad_.url("/bad")).polls)
      << "retries are requests, not polls";
}

}  // namespace
}  // namespace pollux::test

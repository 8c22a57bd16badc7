#include "render/proxy_heads.hpp"

#include <gtest/gtest.h>

namespace pollux::render {
namespace {

std::optional<ProxyRequest> asked(const std::string& line, const std::string& fields = "") {
  return parse_proxy_request(line + "\r\n" + fields + "\r\n");
}

TEST(ProxyHeads, a_head_ends_with_its_empty_line) {
  EXPECT_FALSE(head_length(""));
  EXPECT_FALSE(head_length("GET / HTTP/1.1\r\nA: b\r\n"));
  EXPECT_EQ(head_length("GET / HTTP/1.1\r\n\r\nrest"), 18u);
}

TEST(ProxyHeads, a_tunnel_names_host_and_port) {
  const auto request = asked("CONNECT Example.org:443 HTTP/1.1", "Host: example.org:443\r\n");
  ASSERT_TRUE(request);
  EXPECT_TRUE(request->tunnel);
  EXPECT_EQ(request->host, "example.org");
  EXPECT_EQ(request->port, 443);
  EXPECT_EQ(request->head, "");
  const auto six = asked("CONNECT [::1]:80 HTTP/1.1");
  ASSERT_TRUE(six);
  EXPECT_EQ(six->host, "::1");
  EXPECT_EQ(six->host_port, "[::1]:80");
}

TEST(ProxyHeads, a_plain_request_goes_on_in_the_form_of_its_server) {
  const auto request = asked("GET http://a.test:8080/x?y=1#z HTTP/1.1",
                             "Host: other.test\r\nProxy-Connection: keep-alive\r\n"
                             "Proxy-Authorization: secret\r\nAccept: */*\r\nConnection: x\r\n");
  ASSERT_TRUE(request);
  EXPECT_FALSE(request->tunnel);
  EXPECT_EQ(request->host_port, "a.test:8080");
  EXPECT_EQ(request->head,
            "GET /x?y=1 HTTP/1.1\r\nHost: a.test:8080\r\nAccept: */*\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(asked("GET http://a.test HTTP/1.1")->head.starts_with("GET / HTTP/1.1\r\n"));
  EXPECT_TRUE(asked("GET http://a.test?q HTTP/1.1")->head.starts_with("GET /?q HTTP/1.1\r\n"));
}

TEST(ProxyHeads, what_no_browser_sends_is_refused) {
  for (const char* line :
       {"", "GET", "GET / HTTP/1.1", "GET ftp://a.test/ HTTP/1.1", "GET http:///x HTTP/1.1",
        "GET http://u:p@a.test/ HTTP/1.1", "GET http://a.test/ HTTP/1.0",
        "GET  http://a.test/ HTTP/1.1", "GET http://a.test/ x HTTP/1.1", "CONNECT a.test HTTP/1.1",
        "CONNECT a.test: HTTP/1.1", "CONNECT a.test:0 HTTP/1.1", "CONNECT a.test:65536 HTTP/1.1",
        "CONNECT a.test:443/x HTTP/1.1", "CONNECT u@a.test:443 HTTP/1.1", "CONNECT [::1] HTTP/1.1",
        "CONNECT 2130706433:80 HTTP/1.1", "CONNECT 0x7f.1:80 HTTP/1.1",
        "G\x01T http://a.test/ HTTP/1.1"})
    EXPECT_FALSE(asked(line)) << line;
  for (const char* fields : {"no colon\r\n", ": empty\r\n", "a b: c\r\n", " folded: x\r\n",
                             "A: b\x01\r\n", "A: b\nC: d\r\n", "A: b\rC: d\r\n"})
    EXPECT_FALSE(asked("GET http://a.test/ HTTP/1.1", fields)) << fields;
  std::string many;
  for (int i = 0; i < 300; ++i) many += "A: b\r\n";
  EXPECT_FALSE(asked("GET http://a.test/ HTTP/1.1", many));
}

TEST(ProxyHeads, an_answer_is_the_last_of_its_connection) {
  const auto answer = parse_answer(
      "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: keep-alive\r\nKeep-Alive: 5\r\n\r\n");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->head, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(parse_answer("HTTP/1.0 404\r\n\r\n")->status, 404);
  for (const char* text :
       {"", "\r\n\r\n", "<html>\r\n\r\n", "HTTP/2 200 OK\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n",
        "HTTP/1.1 2000 OK\r\n\r\n", "HTTP/1.1 -20 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nbad\r\n\r\n"})
    EXPECT_FALSE(parse_answer(text)) << text;
}

}  // namespace
}  // namespace pollux::render

// Where a body ends: what is believed, and what is not.
#include "fetch_fixture.hpp"

namespace pollux::fetch {
namespace {

using EndOfBody = FetchTest;

constexpr const char* head = "HTTP/1.1 200 OK\r\nConnection: close\r\n";

TEST_F(EndOfBody, without_a_length_is_said_to_be_uncertain) {
  origin.on("/bare", serve::raw(head + std::string("\r\nhalf of it")));
  origin.on("/old", serve::raw("HTTP/1.0 200 OK\r\n\r\nhalf of it"));
  origin.on("/length", serve::raw(head + std::string("Content-Length: 5\r\n\r\nwhole")));
  origin.on("/chunks", serve::raw(head + std::string("Transfer-Encoding: chunked\r\n\r\n5\r\nwhole"
                                                     "\r\n0\r\n\r\n")));
  origin.on("/gzip",
            serve::raw(head + std::string("Content-Encoding: gzip\r\n\r\n") + test::gzip("whole")));
  for (const char* path : {"/bare", "/old"}) {
    const Response r = fetch(path);
    EXPECT_EQ(r.failure, Failure::none) << r.failure_text;
    EXPECT_EQ(r.body, "half of it");
    EXPECT_TRUE(r.until_close) << path;
  }
  for (const char* path : {"/length", "/chunks", "/gzip"}) {
    const Response r = fetch(path);
    EXPECT_EQ(r.body, "whole") << r.failure_text;
    EXPECT_FALSE(r.until_close) << path;
  }
}

// The origin never sends a close_notify: it closes as somebody in between would.
TEST_F(EndOfBody, over_tls_without_a_word_is_an_error) {
  Origin secure(Origin::Options{.tls = true});
  trust(secure.ca_pem());
  secure.on("/bare", serve::raw(head + std::string("\r\nhalf of it")));
  secure.on("/length", serve::raw(head + std::string("Content-Length: 5\r\n\r\nwhole")));
  const Response cut = fetch(request(secure.url("/bare")));
  EXPECT_EQ(cut.failure, Failure::connection_lost) << cut.failure_text;
  const Response whole = fetch(request(secure.url("/length")));
  EXPECT_EQ(whole.failure, Failure::none) << whole.failure_text;
  EXPECT_EQ(whole.body, "whole");
  EXPECT_FALSE(whole.until_close);
}

TEST_F(EndOfBody, over_tls_with_a_close_notify_is_believed) {
  Origin secure(Origin::Options{.tls = true});
  trust(secure.ca_pem());
  secure.on("/bare", [](Exchange& x) -> Step {
    co_await x.send(head + std::string("\r\nall of it"));
    co_await x.say_goodbye();
    x.close();
  });
  const Response r = fetch(request(secure.url("/bare")));
  EXPECT_EQ(r.failure, Failure::none) << r.failure_text;
  EXPECT_EQ(r.body, "all of it");
  EXPECT_FALSE(r.until_close);
}

}  // namespace
}  // namespace pollux::fetch

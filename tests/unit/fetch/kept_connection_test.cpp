// What is left of a kept connection when the server has had enough of it, and what a request on it
// gets: never an error of the page that a new connection would not have shown.
#include "fetch_fixture.hpp"
#include "support/http2.hpp"

#include <mutex>

namespace pollux::fetch {
namespace {

namespace http2 = test::http2;
using http2::Reaction;
using Then = http2::Reaction::Then;

std::string goaway(std::uint32_t last_stream, char error = 0) {
  const std::string last{0, 0, 0, static_cast<char>(last_stream)}, code{0, 0, 0, error};
  return http2::frame(http2::Type::goaway, 0, 0, last + code);
}

std::string rst_stream(std::uint32_t stream, char error) {
  return http2::frame(http2::Type::rst_stream, 0, stream, std::string{0, 0, 0, error});
}

class KeptConnectionTest : public FetchTest {
 protected:
  KeptConnectionTest() {
    trust(secure_.ca_pem());
    secure_.on("*", http2::server([this](unsigned nth, std::uint32_t stream) {
                 const std::lock_guard lock(mutex_);
                 const http2::React react = std::exchange(next_, {});
                 return react ? react(nth, stream) : Reaction{http2::page(stream, "page")};
               }));
  }

  // The next request gets this, on whichever connection; all others get a page.
  void serve_next(http2::React reaction) {
    const std::lock_guard lock(mutex_);
    next_ = std::move(reaction);
  }
  Response fetch_secure(bool fresh_connection = false) {
    Request wanted = request(secure_.url("/p"));
    wanted.fresh_connection = fresh_connection;
    return fetch(std::move(wanted));
  }
  // On a kept connection this is a lost connection, and a new one brings the page.
  void expect_lost_when_kept(const char* what, http2::React bad) {
    EXPECT_EQ(fetch_secure().body, "page") << what;
    serve_next(std::move(bad));
    const Response lost = fetch_secure();
    EXPECT_EQ(lost.failure, Failure::connection_lost) << what << ": " << lost.failure_text;
    EXPECT_EQ(lost.status, 0) << what;
    EXPECT_TRUE(lost.reused_connection) << what;
    const Response again = fetch_secure(true);
    EXPECT_EQ(again.body, "page") << what << ": " << again.failure_text;
    EXPECT_TRUE(again.new_connection) << what;
    EXPECT_FALSE(again.reused_connection) << what;
  }

  std::mutex mutex_;  // next_ is taken on the origin's thread
  http2::React next_;
  Origin secure_{Origin::Options{.tls = true, .http2 = true}};
};
using KeptConnection = KeptConnectionTest;

TEST_F(KeptConnection, that_http2_takes_leave_of_is_lost_and_nothing_else) {
  constexpr char calm_down = 11, protocol_error = 1;
  expect_lost_when_kept("goaway", [](unsigned, std::uint32_t) { return Reaction{goaway(1)}; });
  expect_lost_when_kept("goaway, close", [](unsigned, std::uint32_t) {
    return Reaction{goaway(1), {}, Then::close};
  });
  expect_lost_when_kept("goaway with no stream done", [](unsigned, std::uint32_t) {
    return Reaction{goaway(0), {}, Then::close};
  });
  expect_lost_when_kept("goaway that promised an answer", [](unsigned, std::uint32_t stream) {
    return Reaction{goaway(stream), {}, Then::close};
  });
  expect_lost_when_kept("enhance your calm", [](unsigned, std::uint32_t) {
    return Reaction{goaway(1, calm_down), {}, Then::close};
  });
  expect_lost_when_kept("goaway for an error", [](unsigned, std::uint32_t) {
    return Reaction{goaway(1, protocol_error), {}, Then::close};
  });
}

TEST_F(KeptConnection, that_ends_without_a_word_is_lost_over_http2_too) {
  constexpr char refused_stream = 7;
  expect_lost_when_kept("close", [](unsigned, std::uint32_t) {
    return Reaction{"", {}, Then::close};
  });
  expect_lost_when_kept("reset", [](unsigned, std::uint32_t) {
    return Reaction{"", {}, Then::reset};
  });
  expect_lost_when_kept("refused stream", [](unsigned, std::uint32_t stream) {
    return Reaction{rst_stream(stream, refused_stream)};
  });
}

TEST_F(KeptConnection, whose_leave_came_between_two_requests_is_not_used_again) {
  serve_next([](unsigned, std::uint32_t stream) {
    return Reaction{http2::page(stream, "page") + goaway(stream)};
  });
  EXPECT_EQ(fetch_secure().body, "page");
  const Response next = fetch_secure();
  EXPECT_EQ(next.body, "page") << next.failure_text;
  EXPECT_FALSE(next.reused_connection);
}

TEST_F(KeptConnection, that_says_no_to_one_request_only_has_not_been_lost) {
  constexpr char internal_error = 2;
  EXPECT_EQ(fetch_secure().body, "page");
  serve_next(
      [](unsigned, std::uint32_t stream) { return Reaction{rst_stream(stream, internal_error)}; });
  EXPECT_EQ(fetch_secure().failure, Failure::protocol);
}

TEST_F(KeptConnection, is_not_what_a_new_one_is_taken_for) {
  serve_next([](unsigned, std::uint32_t) { return Reaction{goaway(0)}; });
  const Response first = fetch_secure();
  EXPECT_EQ(first.failure, Failure::protocol) << first.failure_text;
  EXPECT_FALSE(first.reused_connection);
}

TEST_F(KeptConnection, of_http_1_is_lost_however_the_server_ends_it) {
  options.ca_file.clear();
  for (const test::Script& end : {serve::raw(""), serve::reset(), serve::raw("HTTP/1.1 2")}) {
    origin.on("/p", serve::page("page"));
    EXPECT_EQ(fetch("/p").body, "page");
    origin.on("/p", end);
    const Response lost = fetch("/p");
    EXPECT_EQ(lost.failure, Failure::connection_lost) << lost.failure_text;
    EXPECT_EQ(lost.status, 0);
    EXPECT_TRUE(lost.reused_connection);
    origin.on("/p", serve::page("page"));
    Request fresh = request(origin.url("/p"));
    fresh.fresh_connection = true;
    EXPECT_EQ(fetch(fresh).body, "page");
  }
}

TEST_F(KeptConnection, is_left_alone_by_a_request_that_wants_a_new_one) {
  options.ca_file.clear();
  origin.on("/p", serve::page("page"));
  Request fresh = request(origin.url("/p"));
  fresh.fresh_connection = true;
  for (const bool wants_new : {true, false, true, false}) {
    const Response r = wants_new ? fetch(fresh) : fetch("/p");
    EXPECT_EQ(r.new_connection, wants_new);
  }
  EXPECT_EQ(origin.connections(), 2u);
}

// A server that gives up on an idle connection may say 408 first; others are just confused.
TEST_F(KeptConnection, on_which_something_came_unasked_is_not_used_again) {
  for (const char* unasked : {"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n",
                              "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfake"}) {
    origin.on("/p", [unasked](Exchange& x) -> Step {
      co_await x.respond(200, "", "page");
      co_await x.sleep(30ms);
      co_await x.send(unasked);
    });
    EXPECT_EQ(fetch(request(origin.url("/p"))).body, "page");
    io.restart();
    io.run_for(300ms);
    const Response lost = fetch(request(origin.url("/p")));
    EXPECT_EQ(lost.failure, Failure::connection_lost) << lost.failure_text << lost.body;
    EXPECT_EQ(lost.status, 0);
    EXPECT_EQ(fetch(request(origin.url("/p"))).body, "page") << "by a new one";
    io.restart();
    io.run_for(300ms);
    EXPECT_EQ(fetch(request(origin.url("/p"))).failure, Failure::connection_lost);
  }
}

}  // namespace
}  // namespace pollux::fetch

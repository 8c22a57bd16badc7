// What a fetch returns when the server, the network or the name does not behave.
#include "fetch_fixture.hpp"

#include <boost/asio/ip/tcp.hpp>

namespace pollux::fetch {
namespace {

using BadServerTest = FetchTest;

struct Case {
  const char* name;
  test::Script script;
  Failure failure;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

std::string ok_with(const std::string& fields, const std::string& body) {
  return "HTTP/1.1 200 OK\r\n" + fields + "\r\n" + body;
}

class ClassifiedFailure : public FetchTest, public testing::WithParamInterface<Case> {};

TEST_P(ClassifiedFailure, and_the_next_fetch_works) {
  origin.on("/bad", GetParam().script);
  origin.on("/good", serve::page("good"));
  Request r = request(origin.url("/bad"));
  r.max_body = 1u << 20;
  const Response bad = fetch(r);
  EXPECT_EQ(failure_name(bad.failure), failure_name(GetParam().failure)) << bad.failure_text;
  EXPECT_FALSE(bad.failure_text.empty());
  EXPECT_EQ(bad.body, "");
  EXPECT_EQ(fetch("/good").body, "good");
}

INSTANTIATE_TEST_SUITE_P(
    BadServer, ClassifiedFailure,
    testing::Values(
        Case{"reset_before_the_answer", serve::reset(), Failure::connection_lost},
        Case{"reset_in_the_body", serve::reset_after(ok_with("Content-Length: 100\r\n", "some")),
             Failure::connection_lost},
        Case{"close_before_the_answer", serve::raw(""), Failure::connection_lost},
        Case{"close_before_the_declared_length", serve::short_body(100, "some"),
             Failure::connection_lost},
        Case{"close_inside_a_chunk",
             serve::raw(ok_with("Transfer-Encoding: chunked\r\n", "10\r\nabc")),
             Failure::connection_lost},
        Case{"two_different_lengths",
             serve::raw(ok_with("Content-Length: 4\r\nContent-Length: 5\r\n", "abcde")),
             Failure::protocol},
        Case{"negative_length", serve::raw(ok_with("Content-Length: -4\r\n", "abcd")),
             Failure::protocol},
        Case{"length_of_ten_terabytes",
             serve::raw(ok_with("Content-Length: 10000000000000\r\n", "abcd")),
             Failure::body_too_large},
        Case{"length_beyond_64_bits",
             serve::raw(ok_with("Content-Length: 99999999999999999999999\r\n", "abcd")),
             Failure::body_too_large},
        Case{"length_and_chunked",
             serve::raw(ok_with("Content-Length: 4\r\nTransfer-Encoding: chunked\r\n",
                                "1\r\na\r\n0\r\n\r\n")),
             Failure::protocol},
        Case{"bad_chunk_size",
             serve::raw(ok_with("Transfer-Encoding: chunked\r\n", "zz\r\nabc\r\n0\r\n\r\n")),
             Failure::protocol},
        Case{"endless_chunks", serve::endless_chunks(), Failure::body_too_large},
        Case{"endless_chunk_heads", serve::endless_chunk_heads(), Failure::protocol},
        Case{"endless_trailers", serve::endless_trailers(), Failure::headers_too_large},
        Case{"endless_early_hints", serve::endless_early_hints(), Failure::headers_too_large},
        Case{"header_flood", serve::header_flood(), Failure::headers_too_large},
        Case{"one_endless_header_line", serve::repeat("HTTP/1.1 200 OK\r\nX: ", "xxxxxxxxxxxxxxxx"),
             Failure::headers_too_large},
        Case{"http_0_9", serve::http_0_9(), Failure::protocol},
        Case{"nul_in_a_header", serve::raw(ok_with(std::string("X: a\0b\r\n", 8), "abc")),
             Failure::protocol},
        Case{"escape_in_a_header", serve::raw(ok_with("X: \x1b[2J\r\n", "abc")), Failure::protocol},
        Case{"gzip_bomb", serve::gzip_bomb(50u << 20), Failure::body_too_large},
        Case{"mislabelled_gzip", serve::page("plain text", "Content-Encoding: gzip\r\n"),
             Failure::bad_encoding},
        Case{"truncated_gzip",
             serve::page(test::gzip(std::string(5000, 'a') + "b").substr(0, 20),
                         "Content-Encoding: gzip\r\n"),
             Failure::bad_encoding},
        Case{"damaged_gzip",
             serve::page(test::gzip("some text to damage").substr(0, 12) + "no zlib data at all",
                         "Content-Encoding: gzip\r\n"),
             Failure::bad_encoding},
        Case{"unknown_encoding", serve::page("text", "Content-Encoding: rot13\r\n"),
             Failure::bad_encoding},
        Case{"seven_chained_encodings",
             serve::page("text", "Content-Encoding: gzip,gzip,gzip,gzip,gzip,gzip,gzip\r\n"),
             Failure::bad_encoding},
        Case{"not_modified_without_having_asked", serve::status(304), Failure::protocol}),
    [](const auto& instance) { return instance.param.name; });

TEST_F(BadServerTest, one_byte_more_than_the_cap_is_too_much) {
  origin.on("/p", serve::in_turn({serve::page("01234"), serve::gzipped("01234")}));
  Request r = request(origin.url("/p"));
  r.max_body = 5;
  EXPECT_EQ(fetch(r).failure, Failure::none);
  EXPECT_EQ(done.back().body, "01234");
  r.max_body = 4;
  EXPECT_EQ(fetch(r).failure, Failure::body_too_large);
}

// "At the latest timeout + 250 ms": the slack above that is for a busy machine.
TEST_F(BadServerTest, every_kind_of_slowness_ends_with_the_timeout) {
  origin.on("/silence", serve::silence());
  origin.on("/stall", serve::silence_after(ok_with("Content-Length: 100\r\n", "some")));
  origin.on("/slow_body", serve::slow_body(20ms));
  origin.on("/slow_headers", serve::slow_headers(20ms));
  const char* paths[] = {"/silence", "/stall", "/slow_body", "/slow_headers"};
  for (std::uint64_t i = 0; i < 4; ++i) {
    Request r = request(origin.url(paths[i]), i);
    r.timeout = 400ms;
    fetcher().start(r);
  }
  run_until_done(4);
  for (const Response& r : done) {
    EXPECT_EQ(r.failure, Failure::timeout) << r.failure_text;
    EXPECT_GE(r.elapsed, 390ms);  // curl counts in milliseconds, and not always up
    EXPECT_LT(r.elapsed, 20s);
    EXPECT_EQ(r.body, "");
  }
}

TEST_F(BadServerTest, silence_on_accept_ends_with_the_timeout_too) {
  Origin secure(Origin::Options{.tls = true});
  secure.on_connect(serve::silence());
  Request r = request(secure.url("/"));
  r.timeout = 300ms;
  EXPECT_EQ(fetch(r).failure, Failure::timeout);
}

TEST_F(BadServerTest, a_reset_on_accept_is_a_connection_failure) {
  origin.on_connect(serve::reset());
  // It may overtake the end of connect().
  const Failure failure = fetch("/").failure;
  EXPECT_TRUE(failure == Failure::connection_lost || failure == Failure::connect);
}

TEST_F(BadServerTest, plain_text_on_the_tls_port_is_a_tls_failure) {
  Origin secure(Origin::Options{.tls = true});
  secure.on_connect(serve::raw("HTTP/1.1 400 Bad Request\r\n\r\n"));
  EXPECT_EQ(fetch(request(secure.url("/"))).failure, Failure::tls);
}

TEST_F(BadServerTest, a_closed_port_is_a_connect_failure) {
  std::uint16_t port = 0;
  {
    boost::asio::io_context other;
    const boost::asio::ip::tcp::acceptor taken(other, {boost::asio::ip::address_v4::loopback(), 0});
    port = taken.local_endpoint().port();
  }
  const Response r = fetch(request("http://127.0.0.1:" + std::to_string(port) + "/"));
  EXPECT_EQ(r.failure, Failure::connect) << r.failure_text;
  EXPECT_EQ(r.status, 0);
}

TEST_F(BadServerTest, a_refused_address_gets_no_packet) {
  options.allow.clear();
  origin.on("/p", serve::page("inside"));
  for (const std::string host :
       {"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "[::1]", "0.0.0.0"}) {
    const Response r = fetch(request(origin.url_at(host, "/p")));
    EXPECT_EQ(r.failure, Failure::address_refused) << host << ": " << r.failure_text;
    EXPECT_NE(r.failure_text.find("network.allow"), std::string::npos);
  }
  for (const char* url :
       {"http://169.254.169.254/", "http://10.0.0.1/", "http://[fd00:ec2::254]/"}) {
    EXPECT_EQ(fetch(request(url)).failure, Failure::address_refused) << url;
  }
  EXPECT_EQ(origin.connections(), 0u);
}

TEST_F(BadServerTest, another_scheme_is_refused) {
  EXPECT_EQ(fetch(request("ftp://127.0.0.1/x")).failure, Failure::protocol);
  EXPECT_EQ(fetch(request("file:///etc/passwd")).failure, Failure::protocol);
}

TEST_F(BadServerTest, a_name_is_resolved_and_remembered) {
  origin.on("/p", serve::page("named"));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(fetch(request(origin.url_at("localhost", "/p"))).body, "named");
  }
  EXPECT_EQ(origin.connections(), 1u);
}

TEST_F(BadServerTest, a_dead_name_delays_nobody_else) {
  origin.on("/p", serve::page("alive"));
  Request dead = request("http://nowhere.invalid/", 1000);
  dead.timeout = 3s;
  fetcher().start(dead);
  bool dead_answered = false;
  when_done = [&](const Response& r) { dead_answered = dead_answered || r.token == Token{1000}; };
  for (std::uint64_t i = 0; i < 50; ++i) fetcher().start(request(origin.url("/p"), i));
  run_until_done(50);
  for (const Response& r : done) {
    if (r.token == Token{1000}) continue;
    EXPECT_LT(r.elapsed, 20s);
  }
  if (!dead_answered) run_until_done(1);
  const auto dead_response = std::find_if(done.begin(), done.end(),
                                          [](const Response& r) { return r.token == Token{1000}; });
  ASSERT_NE(dead_response, done.end());
  EXPECT_TRUE(dead_response->failure == Failure::dns || dead_response->failure == Failure::timeout);
}

TEST_F(BadServerTest, a_kept_connection_that_died_is_not_silently_asked_twice) {
  origin.on("/p", serve::in_turn({serve::page("one"), serve::raw(""), serve::page("three")}));
  EXPECT_EQ(fetch("/p").body, "one");
  const Response r = fetch("/p");
  EXPECT_EQ(r.failure, Failure::connection_lost) << r.failure_text;
  EXPECT_FALSE(r.new_connection && origin.requests() > 2);
  EXPECT_TRUE(r.reused_connection);
  EXPECT_EQ(r.status, 0);
  EXPECT_EQ(origin.requests(), 2u);
  EXPECT_EQ(fetch("/p").body, "three");
  EXPECT_FALSE(done.back().reused_connection);
}

TEST_F(BadServerTest, a_new_connection_that_is_lost_was_not_a_kept_one) {
  origin.on("/p", serve::raw(""));
  EXPECT_EQ(fetch("/p").failure, Failure::connection_lost);
  EXPECT_FALSE(done.back().reused_connection);
}

TEST_F(BadServerTest, bad_servers_do_not_disturb_good_ones) {
  origin.on("/chunks", serve::endless_chunks());
  origin.on("/flood", serve::header_flood());
  origin.on("/bomb", serve::gzip_bomb(20u << 20));
  origin.on("/reset", serve::reset());
  origin.on("/p", serve::page("fine"));
  const char* paths[] = {"/p", "/chunks", "/p", "/flood", "/p", "/bomb", "/p", "/reset"};
  for (std::uint64_t i = 0; i < 80; ++i) {
    Request r = request(origin.url(paths[i % 8]), i);
    r.max_body = 1u << 20;
    fetcher().start(r);
  }
  run_until_done(80);
  for (const Response& r : done) {
    const bool good = static_cast<std::uint64_t>(r.token) % 2 == 0;
    EXPECT_EQ(r.failure == Failure::none, good) << r.failure_text;
    EXPECT_EQ(r.body, good ? "fine" : "");
  }
}

}  // namespace
}  // namespace pollux::fetch

// What a fetch returns when the server behaves.
#include "fetch_fixture.hpp"

#include <set>

namespace pollux::fetch {
namespace {

using CurlFetcherTest = FetchTest;

TEST_F(CurlFetcherTest, a_page_comes_whole_with_its_validators) {
  origin.on("/p", serve::page("hello",
                              "ETag: \"v1\"\r\nLast-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n"));
  const Response r = fetch("/p");
  EXPECT_EQ(r.failure, Failure::none) << r.failure_text;
  EXPECT_EQ(r.status, 200);
  EXPECT_EQ(r.body, "hello");
  EXPECT_EQ(r.body_bytes, 5u);
  EXPECT_EQ(r.etag, "\"v1\"");
  EXPECT_EQ(r.last_modified, "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_TRUE(r.new_connection);
  EXPECT_GT(r.elapsed, 0us);
  EXPECT_TRUE(pieces.empty());
  EXPECT_EQ(origin.last_header("/p", "user-agent"), "pollux-test");
  EXPECT_NE(origin.last_header("/p", "accept-encoding").find("gzip"), std::string::npos);
  EXPECT_EQ(fetcher().in_flight(), 0u);
}

TEST_F(CurlFetcherTest, a_matching_validator_gives_304) {
  origin.on("/p", serve::page_with_etag("hello", "\"v1\""));
  Request r = request(origin.url("/p"));
  r.etag = "\"v1\"";
  r.last_modified = "Sun, 06 Nov 1994 08:49:37 GMT";
  EXPECT_EQ(fetch(r).status, 304);
  EXPECT_EQ(done.back().failure, Failure::none);
  EXPECT_EQ(done.back().body, "");
  EXPECT_EQ(origin.last_header("/p", "if-modified-since"), "Sun, 06 Nov 1994 08:49:37 GMT");
  r.etag = "\"v0\"";
  EXPECT_EQ(fetch(r).status, 200);
}

TEST_F(CurlFetcherTest, a_validator_cannot_smuggle_a_header) {
  origin.on("/p", serve::page("hello"));
  Request r = request(origin.url("/p"));
  r.etag = "\"a\"\r\nX-Smuggled: yes";
  EXPECT_EQ(fetch(r).status, 200);
  EXPECT_EQ(origin.last_header("/p", "x-smuggled"), "");
  EXPECT_EQ(origin.last_header("/p", "if-none-match"), "");
}

TEST_F(CurlFetcherTest, the_headers_of_one_request_do_not_reach_the_next) {
  origin.on("/p", serve::page("hello"));
  Request r = request(origin.url("/p"));
  r.etag = "\"a\"";
  fetch(r);
  EXPECT_EQ(origin.last_header("/p", "if-none-match"), "\"a\"");
  fetch("/p");
  EXPECT_EQ(origin.last_header("/p", "if-none-match"), "");
}

TEST_F(CurlFetcherTest, a_redirect_is_reported_not_followed) {
  origin.on("/old", serve::redirect(301, "/new?x=1"));
  origin.on("/far", serve::redirect(302, "http://169.254.169.254/latest"));
  origin.on("/ftp", serve::redirect(302, "ftp://example.org/x"));
  EXPECT_EQ(fetch("/old").redirect_to, origin.url("/new?x=1"));
  EXPECT_EQ(done.back().status, 301);
  EXPECT_EQ(done.back().failure, Failure::none);
  EXPECT_EQ(fetch("/far").redirect_to, "http://169.254.169.254/latest");
  EXPECT_EQ(fetch("/ftp").redirect_to, "ftp://example.org/x");
  EXPECT_EQ(origin.requests(), 3u);
}

TEST_F(CurlFetcherTest, a_redirect_with_an_endless_body_is_still_a_redirect) {
  origin.on("/old", serve::repeat("HTTP/1.1 302 Found\r\nLocation: /new\r\n"
                                  "Transfer-Encoding: chunked\r\n\r\n",
                                  "400\r\n" + std::string(0x400, 'x') + "\r\n"));
  EXPECT_EQ(fetch("/old").redirect_to, origin.url("/new"));
  EXPECT_EQ(done.back().failure, Failure::none);
}

TEST_F(CurlFetcherTest, statuses_and_retry_after_are_reported_without_a_body) {
  origin.on("/gone", serve::status(404, "", "a long excuse"));
  origin.on("/busy", serve::status(429, "Retry-After: 7\r\n", "x"));
  origin.on("/down", serve::status(503, "Retry-After: 1000000000000\r\n"));
  origin.on("/odd", serve::status(503, "Retry-After: soon\r\n"));
  origin.on("/calm", serve::page("x", "Retry-After: 7\r\n"));
  EXPECT_EQ(fetch("/gone").status, 404);
  EXPECT_EQ(done.back().failure, Failure::none);
  EXPECT_EQ(done.back().body, "");
  EXPECT_EQ(done.back().body_bytes, 0u);
  EXPECT_EQ(fetch("/busy").retry_after, Duration(7s));
  EXPECT_EQ(fetch("/down").retry_after, Duration(24h));
  EXPECT_EQ(fetch("/odd").retry_after, Duration(1s)) << "it did ask, if unreadably";
  EXPECT_EQ(fetch("/calm").retry_after, std::nullopt);
}

TEST_F(CurlFetcherTest, a_compressed_page_arrives_decompressed) {
  const std::string text(10000, 'z');
  origin.on("/z", serve::gzipped(text));
  EXPECT_EQ(fetch("/z").body, text);
  EXPECT_EQ(done.back().body_bytes, text.size());
}

TEST_F(CurlFetcherTest, gzip_in_several_members_or_without_content_is_understood) {
  const std::string encoded = "Content-Encoding: gzip\r\n";
  origin.on("/two", serve::page(test::gzip("one ") + test::gzip("two"), encoded));
  origin.on("/padded", serve::page(test::gzip("one") + std::string(8, '\0'), encoded));
  origin.on("/empty", serve::page(test::gzip(""), encoded));
  origin.on("/nothing", serve::page("", encoded));
  EXPECT_EQ(fetch("/two").body, "one two");
  EXPECT_EQ(fetch("/padded").body, "one");
  EXPECT_EQ(fetch("/empty").failure, Failure::none);
  EXPECT_EQ(fetch("/nothing").failure, Failure::none);
}

TEST_F(CurlFetcherTest, a_connection_is_kept_and_used_again) {
  origin.on("/p", serve::page("hello"));
  EXPECT_TRUE(fetch("/p").new_connection);
  EXPECT_FALSE(done.back().reused_connection);
  for (int i = 0; i < 5; ++i) {
    EXPECT_FALSE(fetch("/p").new_connection);
    EXPECT_TRUE(done.back().reused_connection);
  }
  EXPECT_EQ(origin.connections(), 1u);
}

TEST_F(CurlFetcherTest, two_hundred_requests_at_once_are_answered_once_each) {
  origin.on("/p", [](Exchange& x) -> Step {
    co_await x.sleep(20ms);
    co_await x.respond(200, "", x.target);
  });
  for (std::uint64_t i = 0; i < 200; ++i) {
    fetcher().start(request(origin.url("/p?" + std::to_string(i)), i));
  }
  EXPECT_TRUE(done.empty());
  EXPECT_EQ(fetcher().in_flight(), 200u);
  run_until_done(200);
  std::set<Token> tokens;
  for (const Response& r : done) {
    EXPECT_EQ(r.body, "/p?" + std::to_string(static_cast<std::uint64_t>(r.token)));
    tokens.insert(r.token);
  }
  EXPECT_EQ(tokens.size(), 200u);
  EXPECT_EQ(origin.requests(), 200u);
  EXPECT_EQ(fetcher().in_flight(), 0u);
}

TEST_F(CurlFetcherTest, a_request_may_be_started_from_an_answer) {
  origin.on("/p", serve::changing_page());
  when_done = [&](const Response&) {
    if (done.size() < 10) fetcher().start(request(origin.url("/p"), done.size()));
  };
  fetcher().start(request(origin.url("/p")));
  run_until_done(10);
  EXPECT_EQ(done.back().body, "version 10");
  EXPECT_EQ(origin.connections(), 1u);
}

TEST_F(CurlFetcherTest, a_request_may_be_started_from_a_piece) {
  options.piece_bytes = 1000;
  origin.on("/big", serve::page(std::string(5000, 'b')));
  origin.on("/p", serve::page("small"));
  bool started = false;
  when_piece = [&](Token token) {
    if (!std::exchange(started, true)) fetcher().start(request(origin.url("/p"), 2));
    fetcher().grant(token, 1000);
  };
  fetcher().start(request(origin.url("/big"), 1));
  run_until_done(2);
  EXPECT_EQ(done[0].failure, Failure::none);
  EXPECT_EQ(done[1].failure, Failure::none);
}

TEST_F(CurlFetcherTest, a_large_body_comes_in_pieces) {
  options.piece_bytes = 1000;
  std::string text;
  for (int i = 0; text.size() < 100500; ++i) text += std::to_string(i) + " ";
  text.resize(100500);
  origin.on("/big", serve::page(text));
  origin.on("/exact", serve::page(text.substr(0, 1000)));
  const Response r = fetch("/big");
  EXPECT_EQ(r.body.size(), 500u);
  EXPECT_EQ(r.body_bytes, text.size());
  EXPECT_EQ(whole_body(r), text);
  for (const std::string& piece : pieces[r.token]) EXPECT_EQ(piece.size(), 1000u);
  pieces.clear();
  EXPECT_EQ(fetch("/exact").body.size(), 1000u);
  EXPECT_TRUE(pieces.empty());
}

TEST_F(CurlFetcherTest, a_body_that_may_be_cut_ends_where_it_should_without_an_error) {
  const std::string text(300'000, 'x');
  origin.on("/long", serve::page(text));
  origin.on("/zipped", serve::gzipped(text));
  origin.on("/endless", serve::endless_chunks());
  origin.on("/short", serve::page("short"));
  for (const char* path : {"/long", "/zipped", "/endless"}) {
    Request wanted = request(origin.url(path));
    wanted.max_body = 100'000;
    wanted.cut_body = true;
    pieces.clear();
    const Response response = fetch(std::move(wanted));
    EXPECT_EQ(response.failure, Failure::none) << path << response.failure_text;
    EXPECT_EQ(response.body_bytes, 100'000u) << path;
    std::size_t delivered = response.body.size();
    for (const std::string& piece : pieces[Token{1}]) delivered += piece.size();
    EXPECT_EQ(delivered, 100'000u) << path;
  }
  Request wanted = request(origin.url("/short"));
  wanted.cut_body = true;
  EXPECT_EQ(fetch(std::move(wanted)).body, "short");
}

TEST_F(CurlFetcherTest, a_fresh_answer_says_for_how_long) {
  origin.on("/fresh", serve::page("x", "Cache-Control: max-age=60\r\n"));
  origin.on("/gone", serve::status(404, "Cache-Control: max-age=60\r\n"));
  EXPECT_EQ(fetch(request(origin.url("/fresh"))).fresh_for, Duration(60s));
  EXPECT_EQ(fetch(request(origin.url("/gone"))).fresh_for, std::nullopt);
}

TEST_F(CurlFetcherTest, the_body_of_an_error_page_is_not_delivered_in_pieces) {
  options.piece_bytes = 1000;
  origin.on("/e", serve::status(500, "", std::string(200000, 'e')));
  const Response r = fetch("/e");
  EXPECT_EQ(r.status, 500);
  EXPECT_EQ(r.failure, Failure::none);
  EXPECT_TRUE(pieces.empty());
}

TEST_F(CurlFetcherTest, a_paused_body_waits_and_goes_on_where_it_stopped) {
  options.piece_bytes = 10000;
  std::string text;
  for (int i = 0; text.size() < 3'000'000; ++i) text += std::to_string(i) + " ";
  origin.on("/big", serve::page(text));
  origin.on("/p", serve::page("small"));
  when_piece = [](Token) {};
  Request big = request(origin.url("/big"), 1);
  big.credit = 10000;
  fetcher().start(big);
  while (pieces[Token{1}].empty() && io.run_one() > 0) {
  }
  // Others go on meanwhile, and the paused one gets nothing more.
  fetcher().grant(Token{99}, 10000);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(fetch(request(origin.url("/p"), 2)).body, "small");
  EXPECT_EQ(pieces[Token{1}].size(), 1u);
  done.clear();
  while (done.empty()) {
    fetcher().grant(Token{1}, 10000);
    ASSERT_GT(io.run_one(), 0u);
  }
  EXPECT_EQ(done[0].failure, Failure::none) << done[0].failure_text;
  EXPECT_EQ(whole_body(done[0]), text);
}

TEST_F(CurlFetcherTest, a_paused_compressed_body_loses_nothing) {
  options.piece_bytes = 777;
  std::string text;
  for (int i = 0; text.size() < 500'000; ++i) text += std::to_string(i % 100) + " ";
  origin.on("/z", serve::gzipped(text));
  when_piece = [&](Token) { fetcher().grant(Token{1}, 777); };
  Request wanted = request(origin.url("/z"));
  wanted.credit = 777;
  const Response r = fetch(wanted);
  EXPECT_EQ(r.failure, Failure::none) << r.failure_text;
  EXPECT_EQ(whole_body(r), text);
}

TEST_F(CurlFetcherTest, the_time_out_rests_while_a_body_waits_for_credit) {
  options.piece_bytes = 1000;
  const std::string text(1'000'000, 'b');
  origin.on("/big", serve::page(text));
  when_piece = [](Token) {};
  Request r = request(origin.url("/big"), 1);
  r.credit = 1000;
  r.timeout = 1s;
  fetcher().start(r);
  while (pieces[Token{1}].empty() && io.run_one() > 0) {
  }
  io.run_for(1500ms);
  EXPECT_TRUE(done.empty());
  when_piece = [&](Token token) { fetcher().grant(token, 1000); };
  fetcher().grant(Token{1}, 1000);
  while (done.empty()) ASSERT_GT(io.run_one(), 0u);
  EXPECT_EQ(done[0].failure, Failure::none) << done[0].failure_text;
  EXPECT_EQ(whole_body(done[0]), text);
  EXPECT_GE(done[0].rested, 1s);
}

TEST_F(CurlFetcherTest, a_body_paused_for_ever_ends_with_the_timeout) {
  options.longest_rest = 100ms;
  options.piece_bytes = 1000;
  origin.on("/big", serve::page(std::string(4'000'000, 'b')));
  when_piece = [](Token) {};
  Request r = request(origin.url("/big"));
  r.credit = 1000;
  r.timeout = 300ms;
  EXPECT_EQ(fetch(r).failure, Failure::timeout);
  EXPECT_EQ(pieces[Token{1}].size(), 1u);
}

TEST_F(CurlFetcherTest, cancelling_answers_every_request) {
  origin.on("/s", serve::silence());
  options.piece_bytes = 1000;
  origin.on("/big", serve::page(std::string(4'000'000, 'b')));
  when_piece = [](Token) {};
  for (std::uint64_t i = 0; i < 10; ++i) fetcher().start(request(origin.url("/s"), i));
  Request big = request(origin.url("/big"), 10);
  big.credit = 1000;
  fetcher().start(big);
  while (pieces[Token{10}].empty() && io.run_one() > 0) {
  }
  fetcher().start(request(origin.url("/s"), 11));  // not even launched
  fetcher().start(request("http://some.invalid/", 12));
  fetcher().cancel_all();
  EXPECT_TRUE(done.empty());
  run_until_done(13);
  for (const Response& r : done) EXPECT_EQ(r.failure, Failure::cancelled);
  EXPECT_EQ(fetcher().in_flight(), 0u);
  origin.on("/p", serve::page("still works"));
  EXPECT_EQ(fetch("/p").body, "still works");
}

TEST_F(CurlFetcherTest, cancelling_from_inside_a_piece_is_safe) {
  options.piece_bytes = 1000;
  origin.on("/big", serve::page(std::string(4'000'000, 'b')));
  when_piece = [&](Token token) {
    fetcher().cancel_all();
    fetcher().grant(token, 1000);
  };
  EXPECT_EQ(fetch("/big").failure, Failure::cancelled);
}

TEST_F(CurlFetcherTest, it_may_be_destroyed_with_requests_in_flight) {
  origin.on("/s", serve::silence());
  auto other = make_curl_fetcher(io, options, *this);
  ASSERT_TRUE(other.ok());
  when_ready = [&](Token token) { other.value()->send(token); };
  for (std::uint64_t i = 0; i < 10; ++i) other.value()->start(request(origin.url("/s"), i));
  other.value()->start(request("http://some.invalid/", 10));
  while (origin.requests() < 10 && io.run_one() > 0) {
  }
  other.value().reset();
  const std::size_t answered_before = done.size();  // the dead name may have been
  io.restart();
  io.poll();
  EXPECT_LE(answered_before, 1u);
  EXPECT_EQ(done.size(), answered_before);
}

TEST_F(CurlFetcherTest, tls_needs_a_trusted_certificate) {
  Origin secure(Origin::Options{.tls = true});
  secure.on("/p", serve::page("secret"));
  EXPECT_EQ(fetch(request(secure.url("/p"))).failure, Failure::tls);
  EXPECT_EQ(secure.requests(), 0u);
  trust(secure.ca_pem());
  auto trusting = make_curl_fetcher(io, options, *this);
  ASSERT_TRUE(trusting.ok());
  when_ready = [&](Token token) { trusting.value()->send(token); };
  trusting.value()->start(request(secure.url("/p")));
  run_until_done();
  EXPECT_EQ(done.back().failure, Failure::none) << done.back().failure_text;
  EXPECT_EQ(done.back().body, "secret");
}

TEST_F(CurlFetcherTest, a_missing_ca_file_or_bad_allow_entry_is_an_error_at_once) {
  options.ca_file = "/nowhere/ca.pem";
  EXPECT_FALSE(make_curl_fetcher(io, options, *this).ok());
  options.ca_file.clear();
  options.allow = {"nonsense"};
  EXPECT_FALSE(make_curl_fetcher(io, options, *this).ok());
}

}  // namespace
}  // namespace pollux::fetch

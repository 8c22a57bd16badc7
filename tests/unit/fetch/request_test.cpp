// What is sent: methods, bodies, URLs; and nothing of one request in the next.
#include "fetch_fixture.hpp"
#include "support/http2.hpp"

#include <mutex>

namespace pollux::fetch {
namespace {

class RequestTest : public FetchTest {
 protected:
  RequestTest() {
    origin.otherwise([this](Exchange& x) -> Step {
      std::size_t length = 0;
      if (const std::string text = x.header("content-length"); !text.empty()) {
        length = std::stoul(text);
      }
      std::string received;
      while (received.size() < length && x.connected()) received += co_await x.receive();
      {
        const std::lock_guard lock(mutex_);
        methods_.push_back(x.method);
        targets_.push_back(x.target);
        bodies_.push_back(std::move(received));
      }
      co_await x.respond(200, "Content-Type: text/plain; charset=utf-8\r\n", "taken");
    });
  }
  Request with_body(const std::string& method, std::string body) {
    Request r = request(origin.url("/hook"));
    r.method = method;
    r.body = std::move(body);
    r.headers = std::make_shared<const HeaderLines>(HeaderLines{"Content-Type: application/json"});
    return r;
  }
  std::string last(const std::vector<std::string>& of) {
    const std::lock_guard lock(mutex_);
    return of.empty() ? "" : of.back();
  }
  std::string header(const std::string& name) { return origin.last_header("/hook", name); }

  std::mutex mutex_;  // the lists are filled on the origin's thread
  std::vector<std::string> methods_, targets_, bodies_;
};
using RequestTest = RequestTest;

TEST_F(RequestTest, may_carry_a_body_by_any_method) {
  for (const char* method : {"POST", "PUT", "PATCH", "DELETE"}) {
    for (const std::size_t size : {10u, 3'000'000u}) {
      const std::string body(size, 'b');
      const Response r = fetch(with_body(method, body));
      EXPECT_EQ(r.failure, Failure::none) << r.failure_text;
      EXPECT_EQ(r.status, 200);
      EXPECT_EQ(r.body, "taken");
      EXPECT_EQ(last(methods_), method);
      EXPECT_EQ(last(bodies_), body);
      EXPECT_EQ(header("content-length"), std::to_string(size));
      EXPECT_EQ(header("content-type"), "application/json");
      EXPECT_EQ(header("expect"), "");
      EXPECT_EQ(header("transfer-encoding"), "");
    }
  }
  EXPECT_EQ(origin.connections(), 1u);
}

TEST_F(RequestTest, with_a_body_waits_for_its_word_too) {
  when_ready = [](Token) {};
  for (const std::size_t size : {10u, 3'000'000u}) {
    const std::size_t before = origin.requests();
    fetcher().start(with_body("POST", std::string(size, 'b')));
    run_until_ready();
    run_for(100ms);
    EXPECT_EQ(origin.requests(), before);
    fetcher().send(Token{1});
    run_until_done();
    EXPECT_EQ(done.back().body, "taken") << done.back().failure_text;
    EXPECT_EQ(last(bodies_), std::string(size, 'b'));
  }
}

TEST_F(RequestTest, leaves_no_trace_in_the_next) {
  fetch(with_body("POST", "a body"));
  fetch(request(origin.url("/hook")));
  EXPECT_EQ(last(methods_), "GET");
  EXPECT_EQ(last(bodies_), "");
  for (const char* name : {"content-length", "content-type"}) EXPECT_EQ(header(name), "") << name;
  Request empty = request(origin.url("/hook"));
  empty.method = "POST";
  EXPECT_EQ(fetch(empty).status, 200);
  EXPECT_EQ(header("content-length"), "0");
  EXPECT_EQ(header("content-type"), "") << "nobody named one";
}

TEST_F(RequestTest, may_ask_for_the_head_alone) {
  Request head = request(origin.url("/hook"));
  head.method = "HEAD";
  origin.on("/hook", serve::raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\nETag: \"v\"\r\n\r\n"));
  const Response r = fetch(head);
  EXPECT_EQ(r.failure, Failure::none) << r.failure_text;
  EXPECT_EQ(r.etag, "\"v\"");
  EXPECT_EQ(r.body_bytes, 0u);
}

TEST_F(RequestTest, with_a_method_that_is_none_does_not_leave) {
  for (const char* method : {"", "GET /x HTTP/1.1\r\nX: y", "get"}) {
    Request odd = request(origin.url("/hook"));
    odd.method = method;
    EXPECT_EQ(fetch(odd).failure, Failure::internal);
  }
  EXPECT_EQ(origin.requests(), 0u);
}

TEST_F(RequestTest, says_what_kind_of_answer_came_from_where) {
  const Response r = fetch("/hook?a=b");
  EXPECT_EQ(r.content_type, "text/plain; charset=utf-8");
  EXPECT_EQ(r.final_url, origin.url("/hook?a=b"));
  origin.on("/odd", serve::page("x", "Content-Type: text/\xc3\xa4\r\n"));
  EXPECT_EQ(fetch("/odd").content_type, "") << "not printable";
  origin.on("/long", serve::page("x", "Content-Type: " + std::string(1025, 'x') + "\r\n"));
  EXPECT_EQ(fetch("/long").content_type, "");
  origin.on("/none", serve::page("x"));
  EXPECT_EQ(fetch("/none").content_type, "");
  EXPECT_EQ(fetch(request("http://127.0.0.1:2/gone")).final_url, "http://127.0.0.1:2/gone");
}

// Handles are used again for the same host, with what they know of its URLs.
TEST_F(RequestTest, asks_for_its_own_path_and_query_and_no_other) {
  const char* targets[] = {
      "/a?x=1",   "/a",       "/b?",  "/b", "/?q=%20&r", "/",      "/c//d/e", "/c/d/",
      "/..?x=..", "/a%2Fb?c", "/a/b", "/?", "/~u;v=1",   "/x?y?z", "/%7e",    "/a.b/..c/.d?./../e",
      "/a"};
  for (int round = 0; round < 2; ++round) {
    for (const char* target : targets) {
      fetch(request(origin.url(target)));
      EXPECT_EQ(done.back().failure, Failure::none) << target << done.back().failure_text;
      const std::string wanted = target == std::string_view("/..?x=..") ? "/?x=.." : target;
      EXPECT_EQ(last(targets_), wanted);
    }
  }
  EXPECT_EQ(origin.connections(), 1u);
}

// A large body over HTTP/2 rests for want of credit like any other.
TEST_F(RequestTest, rests_over_http2_until_there_is_credit) {
  namespace http2 = test::http2;
  std::string text;
  for (int i = 0; text.size() < 200'000; ++i) text += std::to_string(i) + " ";
  Origin secure(Origin::Options{.tls = true, .http2 = true});
  trust(secure.ca_pem());
  secure.on("*", http2::server([&](unsigned, std::uint32_t stream) {
              constexpr unsigned char end_stream = 1, end_headers = 4;
              std::string bytes = http2::frame(http2::Type::headers, end_headers, stream, "\x88");
              for (std::size_t at = 0; at < text.size(); at += 16000) {
                const bool last = at + 16000 >= text.size();
                bytes += http2::frame(http2::Type::data, last ? end_stream : 0, stream,
                                      text.substr(at, 16000));
              }
              return http2::Reaction{bytes};
            }));
  options.piece_bytes = 10'000;
  Request r = request(secure.url("/p"));
  r.credit = 10'000;
  when_piece = [](Token) {};
  fetcher().start(r);
  run_for(100ms);
  EXPECT_EQ(pieces[Token{1}].size(), 1u);
  std::size_t granted = 1;
  while (done.empty()) {
    fetcher().grant(Token{1}, 10'000);
    run_for(1ms);
    ASSERT_LE(pieces[Token{1}].size(), ++granted);
  }
  EXPECT_EQ(done[0].failure, Failure::none) << done[0].failure_text;
  EXPECT_EQ(whole_body(done[0]), text);
}

TEST_F(RequestTest, may_be_given_credit_before_its_body_begins) {
  options.piece_bytes = 100;
  origin.on("/p", serve::page(std::string(1000, 'z')));
  when_piece = [](Token) {};
  Request r = request(origin.url("/p"));
  r.credit = 0;
  fetcher().start(r);
  fetcher().grant(Token{1}, 900);
  run_until_done();
  EXPECT_EQ(pieces[Token{1}].size(), 9u);
  EXPECT_EQ(whole_body(done.back()), std::string(1000, 'z'));
}

TEST_F(RequestTest, whose_body_has_come_waits_for_the_credit_of_its_pieces) {
  options.piece_bytes = 100;
  options.longest_rest = 300ms;
  origin.on("/p", serve::gzipped(std::string(5000, 'z')));
  when_piece = [](Token) {};
  Request r = request(origin.url("/p"));
  r.credit = 0;
  r.timeout = 700ms;
  fetcher().start(r);
  run_for(100ms);
  EXPECT_TRUE(done.empty());
  EXPECT_TRUE(pieces[Token{1}].empty());
  fetcher().grant(Token{1}, 100);
  run_for(20ms);
  EXPECT_EQ(pieces[Token{1}].size(), 1u);
  fetcher().grant(Token{1}, 5000);
  run_until_done();
  EXPECT_EQ(done.back().failure, Failure::none) << done.back().failure_text;
  EXPECT_LE(done.back().body.size(), 100u);
  EXPECT_EQ(whole_body(done.back()), std::string(5000, 'z'));
  // And not for ever.
  EXPECT_EQ(fetch(r).failure, Failure::timeout);
  EXPECT_EQ(fetcher().in_flight(), 0u);
}

}  // namespace
}  // namespace pollux::fetch

// Between on_ready() and send() nothing of the request leaves, whatever lies between us and the
// server.
#include "fetch_fixture.hpp"
#include "support/http2.hpp"
#include "support/proxy.hpp"
#include "wire_tap.hpp"

#include <ctime>
#include <set>

namespace pollux::fetch {
namespace {

namespace http2 = test::http2;

std::size_t open_descriptors() {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}));
}

// The other ends of our connections live in this process, too, and close a little later.
bool descriptors_fall_to(std::size_t count) {
  for (int i = 0; i < 500 && open_descriptors() > count; ++i) std::this_thread::sleep_for(10ms);
  return open_descriptors() <= count;
}

std::chrono::nanoseconds cpu_time() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

class HoldTest : public FetchTest {
 protected:
  HoldTest() {
    trust(secure.ca_pem() + multiplexing.ca_pem());
    origin.otherwise(serve::page("page"));
    secure.otherwise(serve::page("page"));
    multiplexing.on("*", http2::server([this](unsigned, std::uint32_t stream) {
                      ++streams;
                      return http2::Reaction{http2::page(stream, "page")};
                    }));
    when_ready = [](Token) {};
  }
  static void expect_page(const Response& response) {
    EXPECT_EQ(response.failure, Failure::none) << response.failure_text;
    EXPECT_EQ(response.body, "page");
  }
  void start_held(const std::string& url, std::uint64_t token = 1) {
    fetcher().start(request(url, token));
    run_until_ready();
  }

  Origin secure{Origin::Options{.tls = true}};
  Origin multiplexing{Origin::Options{.tls = true, .http2 = true}};
  std::atomic<std::size_t> streams = 0;
};
using HoldTest = HoldTest;

// What lies between the fetcher and the page.
struct Route {
  const char* name;
  const char* scheme;        // of the page
  const char* proxy_scheme;  // "": none
  bool http2 = false;
};
void PrintTo(const Route& route, std::ostream* out) {
  *out << route.name;
}

class EveryRoute : public HoldTest, public testing::WithParamInterface<Route> {};

TEST_P(EveryRoute, nothing_leaves_before_its_time_and_the_connection_is_used_again) {
  const Route& route = GetParam();
  const bool tls = route.scheme == std::string_view("https");
  Origin& server = route.http2 ? multiplexing : tls ? secure : origin;
  const test::Proxy proxy(server.port());
  const bool by_proxy = *route.proxy_scheme != '\0';
  WireTap tap(by_proxy ? proxy.port() : server.port());
  const std::string url = by_proxy ? server.url_at("localhost", "/p") : tap.url(route.scheme, "/p");
  if (by_proxy) options.proxy = tap.url(route.proxy_scheme, "");

  for (std::size_t round = 0; round < 3; ++round) {
    start_held(url);
    const std::size_t before = tap.sent().size();
    run_for(20ms);  // what TLS sent just now arrives
    const std::string prepared = tap.sent();
    const std::size_t bursts = tap.bursts();
    run_for(round == 0 ? 330ms : 120ms);
    EXPECT_EQ(tap.sent().size(), prepared.size()) << "round " << round;
    EXPECT_GE(prepared.size(), before);
    EXPECT_EQ(prepared.find("GET "), round == 0 || tls ? std::string::npos : prepared.find("GET "));
    EXPECT_EQ(route.http2 ? streams.load() : server.requests(), round);
    fetcher().send(Token{1});
    EXPECT_EQ(done.size(), round) << "never from inside send()";
    run_until_done();
    expect_page(done.back());
    EXPECT_EQ(route.http2 ? streams.load() : server.requests(), round + 1);
    EXPECT_GT(tap.sent().size(), prepared.size());
    EXPECT_LT(done.back().elapsed, 330ms) << "it counts from the sending";
    // One way there and the answer back: the handshake had been done.
    if (!route.http2) {
      EXPECT_LE(tap.bursts(), bursts + 1);
    }
    EXPECT_EQ(done.back().new_connection, round == 0);
  }
  EXPECT_EQ(server.connections(), 1u);
  EXPECT_EQ(ready.size(), 3u);
}

INSTANTIATE_TEST_SUITE_P(Hold, EveryRoute,
                         testing::Values(Route{"http", "http", ""}, Route{"https", "https", ""},
                                         Route{"http2", "https", "", true},
                                         Route{"http_proxy", "http", "http"},
                                         Route{"tunnel", "https", "http"},
                                         Route{"http2_in_a_tunnel", "https", "http", true},
                                         Route{"socks", "http", "socks5h"},
                                         Route{"https_by_socks", "https", "socks5h"},
                                         Route{"http2_by_socks", "https", "socks5h", true}),
                         [](const auto& instance) { return instance.param.name; });

TEST_F(HoldTest, is_skipped_by_a_request_that_leaves_when_it_is_ready) {
  Request r = request(origin.url("/p"));
  r.send_when_ready = true;
  expect_page(fetch(r));
  EXPECT_TRUE(ready.empty());
}

TEST_F(HoldTest, keeps_its_connection_for_itself) {
  start_held(origin.url("/held"), 1);
  Request other = request(origin.url("/other"), 2);
  other.send_when_ready = true;
  for (int i = 0; i < 3; ++i) expect_page(fetch(other));
  EXPECT_EQ(origin.connections(), 2u);
  fetcher().send(Token{1});
  run_until_done();
  EXPECT_EQ(done.back().token, Token{1});
  expect_page(done.back());
  EXPECT_EQ(origin.connections(), 2u);
}

TEST_F(HoldTest, of_one_stream_stops_none_of_the_others_on_its_connection) {
  Request other = request(multiplexing.url("/other"), 9);
  other.send_when_ready = true;
  expect_page(fetch(other));
  for (std::uint64_t i = 1; i <= 4; ++i) start_held(multiplexing.url("/held"), i);
  for (std::size_t i = 0; i < 3; ++i) expect_page(fetch(other));
  EXPECT_EQ(streams, 4u);
  for (const std::uint64_t token : {3u, 1u, 4u, 2u}) {
    const std::size_t before = streams;
    fetcher().send(Token{token});
    run_until_done();
    EXPECT_EQ(done.back().token, Token{token});
    expect_page(done.back());
    run_for(30ms);
    EXPECT_EQ(streams, before + 1) << "the others wait on";
  }
  EXPECT_EQ(multiplexing.connections(), 1u);
  EXPECT_EQ(ready.size(), 4u);
}

TEST_F(HoldTest, ends_with_cancel_and_the_server_has_heard_nothing) {
  for (Origin* server : {&origin, &secure, &multiplexing}) {
    WireTap tap(server->port());
    start_held(tap.url(server == &origin ? "http" : "https", "/p"), 1);
    start_held(tap.url(server == &origin ? "http" : "https", "/p"), 2);
    run_for(20ms);
    const std::size_t prepared = tap.sent().size();
    const std::size_t answered = done.size();
    fetcher().cancel(Token{1});
    EXPECT_EQ(done.size(), answered) << "never from inside cancel()";
    run_until_done();
    EXPECT_EQ(done.back().failure, Failure::cancelled);
    EXPECT_EQ(done.back().token, Token{1});
    EXPECT_EQ(done.back().exchange, Duration::zero());
    EXPECT_EQ(fetcher().in_flight(), 1u);
    fetcher().cancel_all();
    run_until_done();
    EXPECT_EQ(done.back().failure, Failure::cancelled);
    run_for(50ms);
    EXPECT_EQ(server->requests("/p"), 0u);
    // An alert that says goodbye may leave, a request is longer.
    EXPECT_LT(tap.sent().size(), prepared + 60);
    if (server == &origin) {
      EXPECT_EQ(tap.sent(), "");
    }
  }
  EXPECT_EQ(streams, 0u);
}

TEST_F(HoldTest, may_be_cancelled_from_inside_on_ready) {
  when_ready = [&](Token token) { fetcher().cancel(token); };
  for (const std::string& url : {origin.url("/p"), secure.url("/p"), multiplexing.url("/p")}) {
    EXPECT_EQ(fetch(request(url)).failure, Failure::cancelled);
  }
  EXPECT_EQ(origin.requests() + secure.requests("/p") + streams, 0u);
}

TEST_F(HoldTest, stops_the_clock_of_the_time_out_and_sending_starts_it_again) {
  for (Origin* server : {&origin, &secure, &multiplexing}) {
    server->on("/silence", serve::silence());
    Request r = request(server->url("/p"));
    r.timeout = 400ms;
    fetcher().start(r);
    run_until_ready();
    run_for(600ms);
    EXPECT_EQ(fetcher().in_flight(), 1u);
    fetcher().send(Token{1});
    run_until_done();
    expect_page(done.back());
  }
  multiplexing.on("*", http2::server([](unsigned, std::uint32_t) { return http2::Reaction{""}; }));
  for (Origin* server : {&origin, &secure, &multiplexing}) {
    Request r = request(server->url("/silence"));
    r.timeout = 400ms;
    r.fresh_connection = true;
    fetcher().start(r);
    run_until_ready();
    run_for(600ms);
    fetcher().send(Token{1});
    run_until_done();
    EXPECT_EQ(done.back().failure, Failure::timeout) << done.back().failure_text;
    EXPECT_GE(done.back().elapsed, 200ms);
    EXPECT_LT(done.back().elapsed, 20s);
  }
}

TEST_F(HoldTest, costs_no_turns) {
  for (std::uint64_t i = 0; i < 30; ++i) {
    Origin& server = i % 3 == 0 ? origin : i % 3 == 1 ? secure : multiplexing;
    start_held(server.url("/p"), i);
  }
  run_for(300ms);  // what curl's timers have left to say about the connecting
  const auto before = cpu_time();
  io.restart();
  const std::size_t turns = io.run_for(600ms);
  EXPECT_LT(turns, 20u) << "six ticks of the time-out, and little else";
  EXPECT_LT(cpu_time() - before, 100ms);
  for (std::uint64_t i = 0; i < 30; ++i) fetcher().send(Token{i});
  run_until_done(30);
  for (const Response& response : done) expect_page(response);
}

TEST_F(HoldTest, of_two_hundred_connections_lets_each_go_when_it_is_told) {
  options.http2 = false;
  constexpr std::uint64_t count = 200;
  for (std::uint64_t i = 0; i < count; ++i) {
    fetcher().start(request(secure.url("/p?" + std::to_string(i)), i));
  }
  run_until_ready(count);
  run_for(100ms);
  EXPECT_EQ(secure.requests(), 0u);
  EXPECT_EQ(secure.connections(), count);
  for (std::uint64_t i = 0; i < count; i += 2) fetcher().send(Token{i});
  run_until_done(count / 2);
  run_for(100ms);
  EXPECT_EQ(secure.requests(), count / 2);
  for (const Response& response : done)
    EXPECT_EQ(static_cast<std::uint64_t>(response.token) % 2, 0u);
  for (std::uint64_t i = 1; i < count; i += 2) fetcher().send(Token{i});
  run_until_done(count / 2);
  std::set<Token> tokens;
  for (const Response& response : done) {
    expect_page(response);
    EXPECT_TRUE(response.new_connection);
    EXPECT_FALSE(response.reused_connection);
    tokens.insert(response.token);
  }
  EXPECT_EQ(tokens.size(), count);
  EXPECT_EQ(secure.connections(), count);
}

TEST_F(HoldTest, whose_server_goes_away_ends_as_a_lost_connection) {
  for (const bool kept : {false, true}) {
    Origin leaving;
    leaving.on("/first", serve::page("page"));
    // On accept for the new one, after the first page for the kept one.
    if (kept) {
      leaving.on("/first", [](Exchange& x) -> Step {
        co_await x.respond(200, "", "page");
        co_await x.sleep(100ms);
        x.close();
      });
      start_held(leaving.url("/first"));
      fetcher().send(Token{1});
      run_until_done();
    } else {
      leaving.on_connect([](Exchange& x) -> Step {
        co_await x.sleep(100ms);
        x.close();
      });
    }
    start_held(leaving.url("/p"));
    run_for(300ms);
    fetcher().send(Token{1});
    run_until_done();
    EXPECT_EQ(done.back().failure, Failure::connection_lost) << done.back().failure_text;
    EXPECT_EQ(done.back().reused_connection, kept);
    EXPECT_EQ(done.back().status, 0);
    EXPECT_EQ(leaving.requests("/p"), 0u);
  }
}

TEST_F(HoldTest, on_a_shared_connection_that_ended_leaves_by_a_new_one) {
  std::atomic<bool> first = true;
  Origin leaving(Origin::Options{.tls = true, .http2 = true});
  trust(leaving.ca_pem());
  leaving.on("*", http2::server([&](unsigned, std::uint32_t stream) {
               return http2::Reaction{http2::page(stream, "page"),
                                      {},
                                      first.exchange(false) ? http2::Reaction::Then::close
                                                            : http2::Reaction::Then::go_on};
             }));
  fetcher().start(request(leaving.url("/p"), 1));
  run_until_ready();
  start_held(leaving.url("/p"), 2);
  fetcher().send(Token{1});
  run_until_done();
  run_for(50ms);
  fetcher().send(Token{2});
  run_until_done();
  expect_page(done.back());
  EXPECT_FALSE(done.back().reused_connection);
}

TEST_F(HoldTest, may_be_ended_from_inside_on_ready_of_another) {
  when_ready = [&](Token token) {
    if (token == Token{2}) fetcher().send(Token{1});
  };
  for (Origin* server : {&origin, &secure, &multiplexing}) {
    start_held(server->url("/p"), 1);
    fetcher().start(request(server->url("/q"), 2));
    run_until_done();
    EXPECT_EQ(done.back().token, Token{1});
    expect_page(done.back());
    fetcher().send(Token{2});
    run_until_done();
    expect_page(done.back());
  }
}

TEST_F(HoldTest, may_be_destroyed) {
  fetcher();  // what stays open for good is open
  const std::size_t descriptors = open_descriptors();
  {
    auto other = make_curl_fetcher(io, options, *this).value();
    for (std::uint64_t i = 0; i < 9; ++i) {
      Origin& server = i % 3 == 0 ? origin : i % 3 == 1 ? secure : multiplexing;
      other->start(request(server.url("/p"), i));
    }
    run_until_ready(9);
  }
  io.restart();
  io.poll();
  run_for(50ms);
  EXPECT_TRUE(descriptors_fall_to(descriptors));
  EXPECT_TRUE(done.empty());
}

TEST_F(HoldTest, leaks_no_descriptor_over_many_rounds) {
  for (int round = 0; round < 3; ++round) {
    start_held(origin.url("/p"));
    fetcher().send(Token{1});
    run_until_done();
  }
  const std::size_t descriptors = open_descriptors();
  for (int round = 0; round < 50; ++round) {
    start_held(origin.url("/p"));
    fetcher().send(Token{1});
    run_until_done();
    expect_page(done.back());
  }
  EXPECT_TRUE(descriptors_fall_to(descriptors));
  EXPECT_EQ(origin.connections(), 1u);
}

}  // namespace
}  // namespace pollux::fetch

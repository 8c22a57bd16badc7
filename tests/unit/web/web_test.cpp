// The web server as strangers, browsers and programs meet it.
#include "pollux/web/web.hpp"

#include "pollux/base/clock.hpp"
#include "pollux/store/store.hpp"
#include "support/fake_steering.hpp"
#include "support/temp_folder.hpp"
#include "support/web_client.hpp"

#include <memory>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <gtest/gtest.h>

namespace pollux::web {
namespace {

namespace asio = boost::asio;

class WebServer : public testing::Test, protected test::WebClient {
 protected:
  WebServer() {
    auto store = store::Store::open(database_);
    EXPECT_TRUE(store.ok());
    EXPECT_TRUE(
        (*store)
            ->reconcile({{.url = "https://example.org/<script>", .host = "example.org:443"}},
                        WallTime(std::chrono::hours(490'000)))
            .ok());
    store_ = std::move(*store);
    options_.port = 0;
    auto snapshot = std::make_shared<engine::Snapshot>();
    snapshot->totals.verdicts["changed"] = 3;
    board_.publish(std::move(snapshot));
  }
  void start() {
    auto made = Web::start(options_, database_, steering_, board_, clock_);
    ASSERT_TRUE(made.ok()) << made.error().message;
    web_ = std::move(made).value();
    meet(web_->url());
  }

  const test::TempFolder folder_;
  const std::string database_ = folder_.file("web.db");
  std::unique_ptr<store::Store> store_;
  test::FakeSteering steering_;
  engine::SnapshotBoard board_;
  ManualClock clock_{WallTime(std::chrono::hours(490'000))};
  Options options_;
  std::unique_ptr<Web> web_;
};

const std::string pause_body = R"({"urls": ["https://example.org/a"]})";

TEST_F(WebServer, reading_on_loopback_needs_nothing_and_a_change_needs_cookie_csrf_and_origin) {
  start();
  EXPECT_EQ(status(get("/api/v1/pages")), 200u);
  const std::string path = "/api/v1/pages/pause";
  EXPECT_EQ(status(post(path, pause_body, "")), 403u);
  EXPECT_EQ(status(post(path, pause_body, origin())), 403u);
  const std::string own = session(get("/api/v1/session"));
  EXPECT_EQ(status(post(path, pause_body, own)), 403u) << "without an Origin";
  EXPECT_EQ(status(post(path, pause_body, own + origin())), 200u);
  const std::string other = session(get("/api/v1/session"));
  const std::string mixed =
      own.substr(0, own.find("X-Pollux")) + other.substr(other.find("X-Pollux"));
  EXPECT_EQ(status(post(path, pause_body, mixed + origin())), 403u) << "another session's csrf";
}

TEST_F(WebServer, a_state_changing_GET_and_a_foreign_Origin_are_refused) {
  start();
  EXPECT_EQ(status(get("/api/v1/pages/pause")), 405u);
  const std::string own = session(get("/api/v1/session"));
  for (const char* from : {"http://evil.example", "null", "", "https://127.0.0.1"}) {
    const std::string header = "Origin: " + std::string(from) + "\r\n";
    EXPECT_EQ(status(post("/api/v1/pages/pause", pause_body, own + header)), 403u) << from;
    EXPECT_EQ(status(get("/api/v1/pages", header)), 403u) << from;
  }
}

TEST_F(WebServer, a_missing_a_double_and_a_foreign_Host_are_refused) {
  options_.hosts = {"pollux.example"};
  start();
  EXPECT_EQ(status(raw("GET / HTTP/1.0\r\n\r\n")), 400u);
  EXPECT_EQ(status(raw("GET / HTTP/1.1\r\nConnection: close\r\n\r\n")), 400u);
  EXPECT_EQ(status(raw("GET / HTTP/1.1\r\nHost: a\r\nHost: " + host_ + "\r\n\r\n")), 400u);
  const auto asked_as = [&](const std::string& host) {
    return status(
        raw("GET /api/v1/pages HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n"));
  };
  for (const char* host : {"rebound.example", "127.0.0.1.evil.example", "10.0.0.1", "[::1", "a:b"})
    EXPECT_EQ(asked_as(host), 421u) << host;
  for (const char* host : {"localhost", "LOCALHOST:99", "127.0.0.1", "pollux.example", "[::1]"})
    EXPECT_EQ(asked_as(host), 200u) << host;
}

TEST_F(WebServer, with_a_password_nothing_is_shown_before_the_log_in) {
  options_.password = "correct horse";
  start();
  EXPECT_EQ(status(get("/api/v1/pages")), 401u);
  EXPECT_EQ(status(get("/metrics")), 401u);
  EXPECT_EQ(status(get("/healthz")), 200u);
  EXPECT_EQ(status(get("/")), 200u) << "the page itself asks for it";
  const std::string before = get("/api/v1/session");
  EXPECT_NE(before.find("\"authenticated\": false"), std::string::npos) << before;
  EXPECT_EQ(status(post("/api/v1/session", R"({"password": "wrong"})", origin())), 401u);
  const std::string in = post("/api/v1/session", R"({"password": "correct horse"})", origin());
  ASSERT_EQ(status(in), 200u) << in;
  for (const char* word : {"HttpOnly", "SameSite=Strict", "Path=/"})
    EXPECT_NE(in.find(word), std::string::npos) << word;
  EXPECT_EQ(part(in, "Set-Cookie: [^=]+=([0-9a-f]+)").size(), 64u);
  const std::string own = session(in);
  EXPECT_EQ(status(get("/api/v1/pages", own)), 200u);
  EXPECT_EQ(status(post("/api/v1/pages/pause", pause_body, own + origin())), 200u);
  EXPECT_EQ(status(post("/api/v1/session/end", "{}", own + origin())), 200u);
  EXPECT_EQ(status(get("/api/v1/pages", own)), 401u);
}

TEST_F(WebServer, a_session_ends_after_half_a_day_without_a_request) {
  options_.password = "correct horse";
  start();
  const std::string own =
      session(post("/api/v1/session", R"({"password": "correct horse"})", origin()));
  clock_.advance(std::chrono::hours(11));
  EXPECT_EQ(status(get("/api/v1/pages", own)), 200u);
  clock_.advance(std::chrono::hours(13));
  EXPECT_EQ(status(get("/api/v1/pages", own)), 401u);
}

TEST_F(WebServer, guessing_the_password_is_slowed_down) {
  options_.password = "correct horse";
  start();
  const auto guess = [&](const char* word) {
    return post("/api/v1/session", "{\"password\": \"" + std::string(word) + "\"}", origin());
  };
  for (int i = 0; i < 5; ++i) EXPECT_EQ(status(guess("wrong")), 401u);
  const std::string refused = guess("correct horse");
  EXPECT_EQ(status(refused), 429u);
  EXPECT_NE(refused.find("Retry-After: 10\r\n"), std::string::npos) << refused;
  clock_.advance(std::chrono::seconds(11));
  EXPECT_EQ(status(guess("correct horse")), 200u);
}

TEST_F(WebServer, behind_a_proxy_the_address_that_it_has_added_is_the_one_that_guesses) {
  options_.password = "correct horse";
  options_.behind_proxy = true;
  start();
  const auto guess = [&](int attempt) {
    return post("/api/v1/session", R"({"password": "wrong"})",
                "Origin: https://" + host_ + "\r\nX-Forwarded-For: 10.0.0." +
                    std::to_string(attempt) + "\r\nX-Forwarded-For: 192.0.2.7\r\n");
  };
  for (int i = 0; i < 5; ++i) EXPECT_EQ(status(guess(i)), 401u);
  EXPECT_EQ(status(guess(6)), 429u) << "what the client has written itself counts for nothing";
}

TEST_F(WebServer, events_end_with_the_session) {
  options_.password = "correct horse";
  start();
  const std::string own =
      session(post("/api/v1/session", R"({"password": "correct horse"})", origin()));
  asio::io_context io;
  asio::ip::tcp::socket events = connected(io);
  asio::write(events, asio::buffer("GET /api/v1/events HTTP/1.1\r\nHost: " + host_ + "\r\n" + own +
                                   "\r\n"));
  std::string heard;
  asio::read_until(events, asio::dynamic_buffer(heard), ": pollux");
  EXPECT_EQ(status(post("/api/v1/session/end", "{}", own + origin())), 200u);
  boost::system::error_code ended;
  asio::read(events, asio::dynamic_buffer(heard), ended);
  EXPECT_TRUE(ended) << heard;  // or the test never ends
}

TEST_F(WebServer, tokens_have_scopes) {
  options_.password = "correct horse";
  options_.tokens = {{"reader", "read-0123456789abcdef"},
                     {"writer", "steer-0123456789abcdef", true}};
  start();
  const auto bearer = [](const std::string& word) {
    return "Authorization: Bearer " + word + "\r\n";
  };
  const std::string path = "/api/v1/pages/pause";
  EXPECT_EQ(status(get("/api/v1/pages", bearer("read-0123456789abcdef"))), 200u);
  EXPECT_EQ(status(get("/metrics", bearer("read-0123456789abcdef"))), 200u);
  EXPECT_EQ(status(post(path, pause_body, bearer("read-0123456789abcdef"))), 403u);
  EXPECT_EQ(status(post(path, pause_body, bearer("steer-0123456789abcdef"))), 200u);
  EXPECT_EQ(status(get("/api/v1/pages", bearer("read-0123456789abcde"))), 401u);
  EXPECT_EQ(status(get("/api/v1/pages", "Authorization: Basic eDp5\r\n")), 401u);
}

TEST_F(WebServer, all_is_below_base_path) {
  options_.base_path = "/pollux/";
  start();
  EXPECT_EQ(status(get("/pollux/api/v1/pages")), 200u);
  EXPECT_EQ(status(get("/pollux/")), 200u);
  EXPECT_EQ(status(get("/api/v1/pages")), 404u);
  EXPECT_NE(get("/pollux").find("Location: /pollux/\r\n"), std::string::npos);
  EXPECT_NE(get("/pollux/api/v1/session").find("Path=/pollux/;"), std::string::npos);
}

TEST_F(WebServer, every_answer_carries_the_headers_that_keep_foreign_text_from_running) {
  start();
  for (const char* path : {"/", "/api/v1/pages", "/nowhere", "/metrics", "/healthz"}) {
    const std::string answer = get(path);
    EXPECT_NE(answer.find("Content-Security-Policy: default-src 'none'; script-src 'self'"),
              std::string::npos)
        << path;
    EXPECT_NE(answer.find("X-Content-Type-Options: nosniff"), std::string::npos) << path;
    EXPECT_NE(answer.find("Referrer-Policy: no-referrer"), std::string::npos) << path;
  }
  EXPECT_NE(get("/api/v1/pages").find("Cache-Control: no-store"), std::string::npos);
}

TEST_F(WebServer, script_in_a_URL_is_served_as_JSON_and_never_as_html) {
  start();
  const std::string answer = get("/api/v1/pages");
  EXPECT_NE(answer.find("Content-Type: application/json"), std::string::npos);
  EXPECT_EQ(answer.find("text/html"), std::string::npos);
  const std::string nowhere = get("/<script>alert(1)</script>");
  EXPECT_EQ(status(nowhere), 404u);
  EXPECT_EQ(nowhere.find("text/html"), std::string::npos);
}

TEST_F(WebServer, a_POST_of_1_GB_is_refused_at_its_header_and_long_headers_are) {
  start();
  EXPECT_EQ(status(raw("POST /api/v1/pages HTTP/1.1\r\nHost: " + host_ +
                       "\r\nContent-Length: 1073741824\r\n\r\n")),
            413u);
  EXPECT_EQ(status(get("/", "X-Long: " + std::string(64u << 10, 'x') + "\r\n")), 431u);
}

TEST_F(WebServer, connections_beyond_the_limit_are_closed_and_those_held_are_served) {
  options_.connections = 8;
  start();
  asio::io_context io;
  std::vector<asio::ip::tcp::socket> held;
  for (int i = 0; i < 8; ++i) {
    // One client would get half of them.
    held.push_back(connected(io, i % 2 == 0 ? "127.0.0.1" : "127.0.0.2"));
    const std::string ask = "GET /healthz HTTP/1.1\r\nHost: " + host_ + "\r\n\r\n";
    asio::write(held.back(), asio::buffer(ask));
    char first = 0;
    asio::read(held.back(), asio::buffer(&first, 1));
    EXPECT_EQ(first, 'H');
  }
  EXPECT_EQ(raw("GET /healthz HTTP/1.1\r\nHost: " + host_ + "\r\n\r\n"), "");
  EXPECT_EQ(web_->connections(), 8u);
}

TEST_F(WebServer, readers_of_events_are_at_most_half_of_the_connections) {
  options_.connections = 8;
  start();
  asio::io_context io;
  std::vector<asio::ip::tcp::socket> held;
  const std::string ask = "GET /api/v1/events HTTP/1.1\r\nHost: " + host_ + "\r\n\r\n";
  for (int i = 0; i < 4; ++i) {
    held.push_back(connected(io, "127.0.0.2"));
    asio::write(held.back(), asio::buffer(ask));
    std::string head(12, ' ');
    asio::read(held.back(), asio::buffer(head));
    EXPECT_EQ(head, "HTTP/1.1 200");
  }
  EXPECT_EQ(status(raw(ask)), 503u);
}

TEST_F(WebServer, metrics_count_the_pages_that_are_paused) {
  const std::vector<PageId> pages{PageId(1)};
  ASSERT_TRUE(store_->pause_pages(pages, std::nullopt, store::Keep::yes).ok());
  start();
  EXPECT_NE(get("/metrics").find("\npollux_pages_paused 1\n"), std::string::npos);
}

TEST_F(WebServer, metrics_and_health_come_from_the_snapshot) {
  start();
  const std::string metrics = get("/metrics");
  EXPECT_NE(metrics.find("text/plain; version=0.0.4"), std::string::npos);
  EXPECT_NE(metrics.find("pollux_changes_total{verdict=\"changed\"} 3\n"), std::string::npos);
  EXPECT_EQ(metrics.find("example.org"), std::string::npos) << "no label per URL";
  EXPECT_NE(metrics.find("\npollux_ready 1\n"), std::string::npos);
  EXPECT_NE(metrics.find("\npollux_content_bytes 0\n"), std::string::npos) << "no file yet";
  EXPECT_EQ(status(get("/readyz")), 200u);
  auto snapshot = std::make_shared<engine::Snapshot>();
  snapshot->problem = "disk full";
  board_.publish(snapshot);
  EXPECT_EQ(status(get("/readyz")), 503u);
  EXPECT_EQ(status(get("/healthz")), 200u);
  clock_.advance(std::chrono::minutes(1));
  EXPECT_EQ(status(get("/healthz")), 503u) << "the engine has given no sign";
  const std::string later = get("/metrics");
  EXPECT_NE(later.find("\npollux_ready 0\n"), std::string::npos);
  EXPECT_NE(later.find("\npollux_writer_failing 1\n"), std::string::npos);
  EXPECT_GE(std::stod(part(later, "\npollux_engine_silent_seconds ([0-9.e+]+)\n")), 60);
  EXPECT_GT(std::stod(part(later, "\nprocess_resident_memory_bytes ([0-9.e+]+)\n")), 1e6);
}

TEST_F(WebServer, metrics_can_be_switched_off) {
  options_.metrics = false;
  start();
  EXPECT_EQ(status(get("/metrics")), 404u);
}

TEST_F(WebServer, a_taken_port_is_an_error_with_a_cure) {
  start();
  options_.port = static_cast<std::uint16_t>(std::stoi(port_));
  const auto second = Web::start(options_, database_, steering_, board_, clock_);
  ASSERT_FALSE(second.ok());
  EXPECT_NE(second.error().message.find("web.listen"), std::string::npos) << second.error().message;
}

}  // namespace
}  // namespace pollux::web

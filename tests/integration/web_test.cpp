// Clients of the web server that misbehave: slow, many, large, odd, or there when it ends.
#include "integration/web_daemon.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include <sys/resource.h>

namespace pollux::test {
namespace {

using boost::asio::ip::tcp;
using namespace std::chrono_literals;

class WebClients : public WebDaemon {
 protected:
  struct OneClient {
    tcp::socket socket;
    std::string heard = {};
    bool ended = false;

    // What has come so far; never waits.
    void listen() {
      boost::system::error_code error;
      char bytes[4096];
      while (!ended) {
        const std::size_t n = socket.read_some(boost::asio::buffer(bytes), error);
        heard.append(bytes, n);
        if (error == boost::asio::error::would_block) return;
        ended = static_cast<bool>(error);
      }
    }
  };
  OneClient& add_client(const std::string& bytes = "") {
    clients_.push_back({connected(io_)});
    if (!bytes.empty()) boost::asio::write(clients_.back().socket, boost::asio::buffer(bytes));
    clients_.back().socket.non_blocking(true);
    return clients_.back();
  }
  std::size_t held() {
    for (OneClient& client : clients_) client.listen();
    return static_cast<std::size_t>(
        std::ranges::count_if(clients_, [](const OneClient& client) { return !client.ended; }));
  }

  boost::asio::io_context io_;
  std::vector<OneClient> clients_;
};

TEST_F(WebClients, headers_byte_by_byte_end_with_the_limit_and_others_are_served_meanwhile) {
  serve();
  for (int i = 0; i < 20; ++i) add_client("GET /api/v1/status HTTP/1.1\r\nX-Slow: ");
  EXPECT_EQ(status(get("/healthz")), 200u);
  EXPECT_EQ(status(get("/api/v1/status")), 200u);
  EXPECT_EQ(held(), 20u);
  EXPECT_TRUE(polls_on());
  EXPECT_TRUE(eventually([&] {
    boost::system::error_code ignored;
    for (OneClient& client : clients_)
      if (!client.ended) client.socket.write_some(boost::asio::buffer("x", 1), ignored);
    std::this_thread::sleep_for(100ms);
    return held() == 0;
  }));
  for (const OneClient& client : clients_) EXPECT_EQ(status(client.heard), 408u) << client.heard;
}

TEST_F(WebClients, of_ten_thousand_idle_connections_256_are_held_and_the_rest_closed_at_once) {
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  limit.rlim_cur = limit.rlim_max;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
  const std::size_t many = std::min<std::size_t>(10'000, limit.rlim_cur - 500);
  ASSERT_GE(many, 1'000u);
  serve();
  while (clients_.size() < many) {
    for (int i = 0; i < 500 && clients_.size() < many; ++i) add_client();
    EXPECT_TRUE(eventually([&] { return held() <= 256; }));
  }
  EXPECT_GT(held(), 0u) << "not all are closed";
  EXPECT_TRUE(polls_on());
  clients_.clear();
  EXPECT_TRUE(eventually([&] { return status(get("/healthz")) == 200; }));
  EXPECT_EQ(stop().exit_code, 0);
}

TEST_F(WebClients, what_is_too_large_or_too_deep_is_refused) {
  serve();
  const std::string head = "POST /api/v1/pages HTTP/1.1\r\nHost: " + host_ + "\r\n";
  EXPECT_EQ(status(raw(head + "Content-Length: 1073741824\r\n\r\n")), 413u);
  EXPECT_EQ(status(raw(head + "Transfer-Encoding: chunked\r\n\r\n40000000\r\n")), 413u);
  EXPECT_EQ(status(get("/", "X-Long: " + std::string(64u << 10, 'x') + "\r\n")), 431u);
  EXPECT_EQ(status(get("/" + std::string(64u << 10, 'x'))), 431u);
  const std::string own = session(get("/api/v1/session")) + origin();
  const std::string deep = "{\"urls\": " + std::string(100'000, '[') + "}";
  EXPECT_EQ(status(post("/api/v1/pages/pause", deep, own)), 400u);
  EXPECT_EQ(state(), "active");
  EXPECT_EQ(status(get("/api/v1/status")), 200u);
}

TEST_F(WebClients, large_bodies_that_never_come_keep_out_no_small_one) {
  serve();
  const std::string own = session(get("/api/v1/session")) + origin();
  for (int i = 0; i < 4; ++i) {
    add_client("POST /api/v1/pages HTTP/1.1\r\nHost: " + host_ +
               "\r\nContent-Length: 16777216\r\n\r\n{");
  }
  // Two fill the room, the others hear so.
  EXPECT_TRUE(eventually([&] {
    held();
    return std::ranges::count_if(
               clients_, [](const OneClient& client) { return status(client.heard) == 503u; }) == 2;
  }));
  EXPECT_EQ(status(post("/api/v1/pages/pause", pause_body(), own)), 200u);
  EXPECT_EQ(state(), "paused");
}

TEST_F(WebClients, old_odd_and_hasty_requests_are_answered_or_refused) {
  serve();
  const std::string old = raw("GET /healthz HTTP/1.0\r\nHost: " + host_ + "\r\n\r\n");
  EXPECT_EQ(status(old), 200u) << "and closed: raw() has ended";
  std::string hasty;
  for (int i = 0; i < 50; ++i) hasty += "GET /healthz HTTP/1.1\r\nHost: " + host_ + "\r\n\r\n";
  const std::string answers =
      raw(hasty + "GET /nowhere HTTP/1.1\r\nHost: " + host_ + "\r\nConnection: close\r\n\r\n");
  std::size_t answered = 0;
  for (std::size_t at = 0; (at = answers.find("HTTP/1.1 200 OK", at)) != answers.npos; ++at)
    ++answered;
  EXPECT_EQ(answered, 50u);
  EXPECT_GT(answers.find("HTTP/1.1 404 "), answers.rfind("HTTP/1.1 200 ")) << "in their order";
  for (const char* method : {"PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"}) {
    EXPECT_EQ(status(ask(method, "/api/v1/pages/pause")), 405u) << method;
    EXPECT_EQ(status(ask(method, "/")), 405u) << method;
  }
  EXPECT_EQ(status(get("/api/v1/pages/pause")), 405u);
  for (const char* path :
       {"/assets/../../../etc/passwd", "/assets/..%2f..%2fetc%2fpasswd", "/../pollux.yaml",
        "//etc/passwd", "/assets/%2e%2e/index.html", "/./index.html", "/assets/..\\..\\x"}) {
    const std::string answer = get(path);
    EXPECT_EQ(status(answer), 404u) << path;
    EXPECT_EQ(answer.find("root:"), std::string::npos) << path;
  }
  EXPECT_EQ(status(raw("\x16\x03\x01 hello\r\n\r\n")), 400u);
  EXPECT_EQ(state(), "active");
}

TEST_F(WebClients, are_no_reason_to_end_late) {
  serve();
  const std::string line = "GET /api/v1/events HTTP/1.1\r\nHost: " + host_ + "\r\n\r\n";
  for (int i = 0; i < 20; ++i) add_client(line);
  for (int i = 0; i < 20; ++i) add_client();
  for (int i = 0; i < 20; ++i) add_client("GET /api/v1/status HTT");
  EXPECT_TRUE(eventually([&] {
    held();
    return std::all_of(clients_.begin(), clients_.begin() + 20, [](const OneClient& client) {
      return client.heard.find("event: poll\n") != std::string::npos;
    });
  }));
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_EQ(stop().exit_code, 0);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 60s);
  EXPECT_EQ(held(), 0u);
}

TEST_F(WebClients, that_come_back_hear_the_changes_they_missed_and_none_twice) {
  serve();
  const auto events = [&](const std::string& header) {
    return "GET /api/v1/events?what=change HTTP/1.1\r\nHost: " + host_ + "\r\n" + header + "\r\n";
  };
  const auto has = [](const OneClient& client, int id) {
    return client.heard.find("\nid: " + std::to_string(id) + "\n") != std::string::npos;
  };
  ASSERT_TRUE(eventually([&] {
    return get("/api/v1/changes").find("\"id\": 6") != std::string::npos;
  })) << get("/api/v1/changes");
  OneClient& back = add_client(events("Last-Event-ID: 2\r\n"));
  EXPECT_TRUE(eventually([&] {
    back.listen();
    return has(back, 6);
  })) << back.heard;
  EXPECT_FALSE(has(back, 2));
  for (int id = 3; id <= 6; ++id) {
    const std::string line = "\nid: " + std::to_string(id) + "\n";
    EXPECT_NE(back.heard.find(line), std::string::npos) << back.heard;
    EXPECT_EQ(back.heard.find(line), back.heard.rfind(line)) << back.heard;
  }
}

}  // namespace
}  // namespace pollux::test

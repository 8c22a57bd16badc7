#include "pollux/http/server.hpp"

#include <thread>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <gtest/gtest.h>

namespace pollux::http {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

// Tells what it was asked for.
class Echo final : public Handler {
 public:
  Response answer(const Request& request) override {
    Response response;
    response.body = std::string(request.method()) + ' ' + std::string(request.target()) + ' ' +
                    std::string(request.header("x-word")) + ' ' + std::string(request.body());
    response.headers.emplace_back("X-Answer", "yes");
    response.reset = request.target() == "/reset";
    return response;
  }
};

class HttpServer : public testing::Test {
 protected:
  void start(const ServerOptions& options = {}) {
    auto made = Server::start({{"127.0.0.1", 0}, {"127.0.0.2", 0}}, options, echo_);
    ASSERT_TRUE(made.ok()) << made.error().message;
    server_ = std::move(made).value();
  }
  // Sends this and reads until the server closes the connection.
  std::string exchange(const std::string& bytes, const char* address = "127.0.0.1") {
    asio::io_context io;
    asio::ip::tcp::socket socket(io);
    socket.connect({asio::ip::make_address(address), server_->port()});
    boost::system::error_code error;
    asio::write(socket, asio::buffer(bytes), error);
    std::string answer;
    asio::read(socket, asio::dynamic_buffer(answer), error);
    return answer;
  }
  Echo echo_;
  std::unique_ptr<Server> server_;
};

TEST_F(HttpServer, a_handler_sees_method_target_header_and_body) {
  start();
  const std::string answer = exchange(
      "POST /x?y HTTP/1.1\r\nHost: a\r\nX-Word: w\r\nContent-Length: 4\r\nConnection: close\r\n\r\n"
      "body");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\n")) << answer;
  EXPECT_NE(answer.find("X-Answer: yes\r\n"), std::string::npos) << answer;
  EXPECT_TRUE(answer.ends_with("POST /x?y w body")) << answer;
}

TEST_F(HttpServer, a_connection_carries_several_requests_on_every_address) {
  start();
  const std::string answer = exchange(
      "GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
      "127.0.0.2");
  EXPECT_NE(answer.find("GET /1 "), std::string::npos);
  EXPECT_TRUE(answer.ends_with("GET /2  ")) << answer;
}

TEST_F(HttpServer, head_gets_no_body) {
  start();
  const std::string answer = exchange("HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(answer.ends_with("\r\n\r\n")) << answer;
  EXPECT_NE(answer.find("Content-Length: 8\r\n"), std::string::npos) << answer;
}

TEST_F(HttpServer, what_is_too_large_is_refused_by_its_announcement) {
  start({.max_header_bytes = 1024, .max_body_bytes = 16});
  EXPECT_TRUE(exchange("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\n")
                  .starts_with("HTTP/1.1 413 "));
  EXPECT_TRUE(exchange("GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(2000, 'x') + "\r\n\r\n")
                  .starts_with("HTTP/1.1 431 "));
}

TEST_F(HttpServer, what_is_no_http_is_a_400) {
  start();
  EXPECT_TRUE(exchange("nonsense\r\n\r\n").starts_with("HTTP/1.1 400 "));
}

TEST_F(HttpServer, a_body_whose_end_is_not_known_is_refused_and_nothing_behind_it_is_read) {
  start();
  const std::string hidden = "GET /hidden HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
  for (const char* coding : {"xchunked", "identity", "chunked, identity", "gzip"}) {
    const std::string answer =
        exchange(std::string("POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: ") + coding +
                 "\r\n\r\n" + hidden);
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 400 ")) << coding << answer;
    EXPECT_EQ(answer.find("hidden"), std::string::npos) << coding;
  }
  const std::string old = exchange(
      "POST /x HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + hidden);
  EXPECT_TRUE(old.starts_with("HTTP/1.1 400 ")) << old;
  EXPECT_EQ(old.find("hidden"), std::string::npos);
}

TEST_F(HttpServer, a_request_that_never_ends_is_given_up) {
  start({.idle_limit = 200ms});
  const std::string answer = exchange("GET / HTTP/1.1\r\nHost:");
  EXPECT_TRUE(answer.empty() || answer.starts_with("HTTP/1.1 408 ")) << answer;
}

TEST_F(HttpServer, a_reset_is_no_answer) {
  start();
  EXPECT_EQ(exchange("GET /reset HTTP/1.1\r\nHost: a\r\n\r\n"), "");
}

TEST_F(HttpServer, connections_beyond_the_limit_are_closed) {
  start({.max_connections = 1});
  asio::io_context io;
  asio::ip::tcp::socket first(io);
  first.connect({asio::ip::make_address("127.0.0.1"), server_->port()});
  while (server_->connections() == 0) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n"), "");
}

TEST_F(HttpServer, one_client_does_not_keep_the_others_out) {
  start({.max_connections = 4, .max_connections_of_one = 2});
  asio::io_context io;
  std::vector<asio::ip::tcp::socket> held;
  for (int i = 0; i < 2; ++i) {
    held.emplace_back(io);
    held.back().open(asio::ip::tcp::v4());
    held.back().bind({asio::ip::make_address("127.0.0.9"), 0});
    held.back().connect({asio::ip::make_address("127.0.0.1"), server_->port()});
  }
  while (server_->connections() < 2) std::this_thread::sleep_for(1ms);
  const std::string request = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
  const auto ask_from = [&](const char* address) {
    asio::ip::tcp::socket socket(io);
    socket.open(asio::ip::tcp::v4());
    socket.bind({asio::ip::make_address(address), 0});
    socket.connect({asio::ip::make_address("127.0.0.1"), server_->port()});
    boost::system::error_code error;
    asio::write(socket, asio::buffer(request), error);
    std::string answer;
    asio::read(socket, asio::dynamic_buffer(answer), error);
    return answer;
  };
  EXPECT_EQ(ask_from("127.0.0.9"), "");
  EXPECT_TRUE(ask_from("127.0.0.8").starts_with("HTTP/1.1 200 "));
  // What it lets go is its own again.
  held.pop_back();
  while (server_->connections() > 1) std::this_thread::sleep_for(1ms);
  EXPECT_TRUE(ask_from("127.0.0.9").starts_with("HTTP/1.1 200 "));
}

TEST_F(HttpServer, a_port_in_use_is_told_with_a_cure) {
  start();
  const auto second = Server::start({{"127.0.0.1", server_->port()}}, {}, echo_);
  ASSERT_FALSE(second.ok());
  EXPECT_NE(second.error().message.find("choose another port"), std::string::npos);
}

}  // namespace
}  // namespace pollux::http

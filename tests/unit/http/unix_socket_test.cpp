#include "http/unix_socket.hpp"

#include "pollux/http/client.hpp"
#include "support/temp_folder.hpp"

#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace pollux::http {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

// Answers when the test says so, streams, or says what it was told.
class Patient final : public Handler {
 public:
  void handle(const Request& request, Responder responder) override {
    const std::string target(request.target());
    if (target == "/later") {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(std::move(responder));
      came_.notify_all();
    } else if (target == "/never") {
      // Dropped.
    } else if (target == "/throw") {
      throw std::runtime_error("a defect");
    } else if (target == "/stream") {
      Response head;
      head.content_type = "text/event-stream";
      head.body = "hello\n";
      const auto stream = responder.stream(std::move(head), [this] { ++woken; });
      const std::lock_guard lock(mutex_);
      stream_ = stream;
      came_.notify_all();
    } else {
      responder.answer({.body = target + " " + std::string(request.body())});
    }
  }
  Responder next() {
    std::unique_lock lock(mutex_);
    came_.wait(lock, [this] { return !waiting_.empty(); });
    Responder first = waiting_.front();
    waiting_.erase(waiting_.begin());
    return first;
  }
  std::shared_ptr<Stream> stream() {
    std::unique_lock lock(mutex_);
    came_.wait(lock, [this] { return stream_ != nullptr; });
    return std::exchange(stream_, nullptr);
  }
  std::atomic<int> woken = 0;

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  std::vector<Responder> waiting_;
  std::shared_ptr<Stream> stream_;
};

class UnixSocketServer : public testing::Test {
 protected:
  void start(const ServerOptions& options = {}) {
    auto made = Server::start_unix(UnixSocket{.path = path_}, options, handler_);
    ASSERT_TRUE(made.ok()) << made.error().message;
    server_ = std::move(made).value();
  }
  std::string exchange(const std::string& bytes) {
    asio::io_context io;
    asio::local::stream_protocol::socket socket(io);
    socket.connect(asio::local::stream_protocol::endpoint(path_));
    boost::system::error_code error;
    asio::write(socket, asio::buffer(bytes), error);
    std::string answer;
    asio::read(socket, asio::dynamic_buffer(answer), error);
    return answer;
  }
  Client client() {
    auto made = Client::connect(path_);
    EXPECT_TRUE(made.ok()) << made.error().message;
    return std::move(made).value();
  }

  test::TempFolder folder_;
  std::string path_ = folder_.file("control.socket");
  Patient handler_;
  std::unique_ptr<Server> server_;
};

mode_t mode_of(const std::string& path) {
  struct stat file {};
  return lstat(path.c_str(), &file) == 0 ? file.st_mode : 0;
}

// A socket file as a process that was killed leaves it.
void leave_dead_socket(const std::string& path) {
  const int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, path.size());
  ASSERT_EQ(bind(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  listen(descriptor, 1);
  close(descriptor);
}

TEST_F(UnixSocketServer, is_for_owner_and_group_and_goes_with_its_server) {
  const mode_t before = umask(0027);
  start();
  umask(before);
  EXPECT_TRUE(S_ISSOCK(mode_of(path_)));
  EXPECT_EQ(mode_of(path_) & 07777, 0660u);
  EXPECT_EQ(server_->port(), 0);
  server_.reset();
  EXPECT_EQ(mode_of(path_), 0u);
}

TEST_F(UnixSocketServer, answers_a_client_several_times_on_one_connection) {
  start();
  Client client = this->client();
  for (const char* body : {"one", "two"}) {
    const auto answer = client.ask(
        {.method = "POST", .target = "/echo", .content_type = "text/plain", .body = body});
    ASSERT_TRUE(answer.ok()) << answer.error().message;
    EXPECT_EQ(answer->status, 200u);
    EXPECT_EQ(answer->body, "/echo " + std::string(body));
  }
}

TEST_F(UnixSocketServer, replaces_the_socket_of_a_dead_server) {
  leave_dead_socket(path_);
  ASSERT_TRUE(S_ISSOCK(mode_of(path_)));
  start();
  EXPECT_EQ(client().ask({.target = "/x"})->status, 200u);
}

TEST_F(UnixSocketServer, refuses_a_path_that_is_in_use_and_leaves_it_alone) {
  start();
  const auto second = Server::start_unix(UnixSocket{.path = path_}, {}, handler_);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().exit_code, ExitCode::temporary);
  EXPECT_NE(second.error().message.find("another process listens there"), std::string::npos);
  EXPECT_EQ(client().ask({.target = "/x"})->status, 200u);
}

TEST_F(UnixSocketServer, never_touches_a_file_that_is_no_socket) {
  folder_.write("control.socket", "precious");
  const auto refused = Server::start_unix(UnixSocket{.path = path_}, {}, handler_);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("no socket"), std::string::npos);
  EXPECT_TRUE(S_ISREG(mode_of(path_)));
}

TEST_F(UnixSocketServer, at_its_end_leaves_a_file_that_is_another_ones) {
  start();
  ASSERT_EQ(unlink(path_.c_str()), 0);
  folder_.write("control.socket", "precious");
  server_.reset();
  EXPECT_TRUE(S_ISREG(mode_of(path_)));
}

TEST_F(UnixSocketServer, says_how_long_a_path_may_be) {
  path_ = folder_.file(std::string(200, 'x'));
  const auto refused = Server::start_unix(UnixSocket{.path = path_}, {}, handler_);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().exit_code, ExitCode::configuration);
  EXPECT_NE(refused.error().message.find("the system allows 107"), std::string::npos)
      << refused.error().message;
  EXPECT_FALSE(Client::connect(path_).ok());
}

TEST_F(UnixSocketServer, a_client_without_a_server_hears_that_nobody_is_there) {
  EXPECT_EQ(Client::connect(path_).error().exit_code, ExitCode::unavailable);
  leave_dead_socket(path_);
  EXPECT_EQ(Client::connect(path_).error().exit_code, ExitCode::unavailable);
}

TEST_F(UnixSocketServer, an_answer_may_come_later_from_another_thread) {
  start();
  std::thread daemon([this] { handler_.next().answer({.status = 202, .body = "at last"}); });
  const auto answer = client().ask({.target = "/later"});
  daemon.join();
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_EQ(answer->status, 202u);
  EXPECT_EQ(answer->body, "at last");
}

TEST_F(UnixSocketServer, one_that_waits_keeps_nobody_else_waiting) {
  start();
  std::thread first([this] { EXPECT_EQ(client().ask({.target = "/later"})->body, "late"); });
  const Responder responder = handler_.next();
  EXPECT_EQ(client().ask({.target = "/x"})->status, 200u);
  responder.answer({.body = "late"});
  responder.answer({.body = "twice is nothing"});
  first.join();
}

TEST_F(UnixSocketServer, an_answer_that_never_comes_is_a_503_or_a_504) {
  start({.answer_limit = 50ms});
  EXPECT_EQ(client().ask({.target = "/never"})->status, 503u);
  Client waiting = client();
  EXPECT_EQ(waiting.ask({.target = "/later"})->status, 504u);
  handler_.next().answer({.body = "too late"});
}

TEST_F(UnixSocketServer, a_handler_that_fails_costs_its_client_alone) {
  start();
  EXPECT_EQ(client().ask({.target = "/throw"})->status, 503u);
  EXPECT_EQ(client().ask({.target = "/x"})->status, 200u);
}

TEST_F(UnixSocketServer, who_answers_after_the_end_does_no_harm) {
  start();
  std::thread asking([this] { EXPECT_FALSE(client().ask({.target = "/later"}).ok()); });
  const Responder responder = handler_.next();
  server_.reset();
  asking.join();
  responder.answer({.body = "nobody there"});
}

TEST_F(UnixSocketServer, a_stream_goes_on_until_it_is_closed) {
  start();
  Client reader = client();
  const auto head = reader.begin_stream({.target = "/stream"});
  ASSERT_TRUE(head.ok()) << head.error().message;
  EXPECT_EQ(head->content_type, "text/event-stream");
  const auto stream = handler_.stream();
  stream->send("more\n");
  stream->close();
  std::string all, piece;
  while (reader.read(piece, 10s) == Client::Read::bytes) all += piece;
  EXPECT_EQ(all, "hello\nmore\n");
  EXPECT_EQ(reader.read(piece, 10s), Client::Read::end);
}

TEST_F(UnixSocketServer, a_stream_wakes_its_handler_when_all_was_taken_and_now_and_then) {
  start({.stream_tick = 20ms});
  Client reader = client();
  ASSERT_TRUE(reader.begin_stream({.target = "/stream"}).ok());
  const auto stream = handler_.stream();
  const int before = handler_.woken;
  while (handler_.woken < before + 3) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(stream->waiting(), 0u);
}

TEST_F(UnixSocketServer, a_reader_that_takes_nothing_is_closed_when_too_much_waits) {
  start({.max_waiting_bytes = 64u << 10});
  Client reader = client();
  ASSERT_TRUE(reader.begin_stream({.target = "/stream"}).ok());
  const auto stream = handler_.stream();
  while (server_->connections() > 0) {
    stream->send(std::string(64u << 10, 'x'));
    std::this_thread::sleep_for(1ms);
  }
  stream->send("nobody reads this");
  EXPECT_EQ(server_->connections(), 0u);
}

TEST_F(UnixSocketServer, a_reader_that_goes_away_is_noticed) {
  start();
  {
    Client reader = client();
    ASSERT_TRUE(reader.begin_stream({.target = "/stream"}).ok());
  }
  while (server_->connections() > 0) std::this_thread::sleep_for(1ms);
  SUCCEED() << "and nothing had to be sent for it";
}

TEST_F(UnixSocketServer, a_slow_request_is_a_408_and_silence_is_closed) {
  start({.idle_limit = 100ms});
  EXPECT_TRUE(exchange("GET / HTTP/1.1\r\nHost:").starts_with("HTTP/1.1 408 "));
  EXPECT_TRUE(exchange("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc")
                  .starts_with("HTTP/1.1 408 "));
  EXPECT_EQ(exchange(""), "");
}

TEST_F(UnixSocketServer, drop_by_drop_is_no_way_around_the_limit) {
  start({.idle_limit = 200ms});
  asio::io_context io;
  asio::local::stream_protocol::socket socket(io);
  socket.connect(asio::local::stream_protocol::endpoint(path_));
  boost::system::error_code error;
  for (int i = 0; i < 100'000 && !error; ++i) {
    asio::write(socket, asio::buffer(std::string(i == 0 ? "GET / HTTP/1.1\r\nX: " : "x")), error);
    std::this_thread::sleep_for(5ms);
    if (server_->connections() == 0 && i > 10) break;
  }
  std::string answer;
  asio::read(socket, asio::dynamic_buffer(answer), error);
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 408 ")) << answer;
}

TEST_F(UnixSocketServer, bodies_have_one_room_for_all_of_them) {
  start({.max_body_bytes = 100, .max_bodies_bytes = 150});
  asio::io_context io;
  asio::local::stream_protocol::socket first(io);
  first.connect(asio::local::stream_protocol::endpoint(path_));
  const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n";
  asio::write(first, asio::buffer(head + "x"));
  // The first one has its room as soon as its header is read.
  std::string second;
  const auto end = std::chrono::steady_clock::now() + 60s;
  while (!second.starts_with("HTTP/1.1 503 ") && std::chrono::steady_clock::now() < end) {
    second =
        exchange("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\nConnection: close\r\n\r\n" +
                 std::string(100, 'y'));
  }
  EXPECT_TRUE(second.starts_with("HTTP/1.1 503 ")) << second;
  asio::write(first, asio::buffer(std::string(99, 'x')));
  std::string answer(12, ' ');
  asio::read(first, asio::buffer(answer));
  EXPECT_EQ(answer, "HTTP/1.1 200");
}

TEST_F(UnixSocketServer, a_host_must_be_named_once) {
  start();
  EXPECT_TRUE(exchange("GET / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 400 "));
  EXPECT_TRUE(
      exchange("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n").starts_with("HTTP/1.1 400 "));
}

TEST_F(UnixSocketServer, who_asks_first_is_told_to_go_on) {
  start();
  const std::string answer = exchange(
      "POST /x HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n"
      "Connection: close\r\n\r\nok");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 ")) << answer;
}

TEST_F(UnixSocketServer, a_refusal_arrives_although_much_of_the_request_is_unread) {
  start({.max_body_bytes = 100});
  const std::string answer = exchange(
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 500000\r\n\r\n" + std::string(500'000, 'x'));
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 413 ")) << answer.substr(0, 100);
}

}  // namespace
}  // namespace pollux::http

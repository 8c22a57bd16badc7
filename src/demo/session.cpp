#include "demo/session.hpp"

#include <memory>
#include <optional>
#include <utility>

#include <boost/asio/dispatch.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>

namespace pollux::demo {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;

constexpr auto idle_limit = std::chrono::seconds(60);

class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(asio::ip::tcp::socket socket, Responder& responder)
      : stream_(std::move(socket)), timer_(stream_.get_executor()), responder_(responder) {}

  void read() {
    parser_.emplace();  // of an empty body: a request that brings one is refused
    stream_.expires_after(idle_limit);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](beast::error_code error, std::size_t) {
                       if (error) return self->close();
                       self->wait_then_answer();
                     });
  }

 private:
  void wait_then_answer() {
    const http::verb method = parser_->get().method();
    if (method != http::verb::get && method != http::verb::head) {
      Answer answer;
      answer.status = 405;
      return write(std::move(answer));
    }
    const auto target = parser_->get().target();
    const Duration delay = responder_.delay({target.data(), target.size()});
    if (delay == Duration{}) return answer();
    stream_.expires_never();
    timer_.expires_after(delay);
    timer_.async_wait([self = shared_from_this()](beast::error_code error) {
      if (!error) self->answer();
    });
  }

  void answer() {
    const auto& request = parser_->get();
    const auto view = [](auto text) { return std::string_view(text.data(), text.size()); };
    Answer answer =
        responder_.answer({view(request.target()), view(request[http::field::if_none_match]),
                           view(request[http::field::if_modified_since])});
    if (answer.reset) return reset();
    write(std::move(answer));
  }

  void write(Answer answer) {
    const auto& request = parser_->get();
    response_ = {};
    response_.version(request.version());
    response_.result(answer.status);
    response_.keep_alive(request.keep_alive());
    response_.set(http::field::server, "pollux-demo");
    if (!answer.etag.empty()) response_.set(http::field::etag, answer.etag);
    if (!answer.last_modified.empty()) {
      response_.set(http::field::last_modified, answer.last_modified);
    }
    if (!answer.location.empty()) response_.set(http::field::location, answer.location);
    if (answer.retry_after) {
      response_.set(http::field::retry_after, std::to_string(*answer.retry_after));
    }
    if (answer.status != 304) {
      response_.set(http::field::content_type, answer.status == 200 ? "text/html; charset=utf-8"
                                                                    : "text/plain; charset=utf-8");
      response_.content_length(answer.body.size());
      if (request.method() != http::verb::head) response_.body() = std::move(answer.body);
    }
    stream_.expires_after(idle_limit);
    http::async_write(stream_, response_,
                      [self = shared_from_this()](beast::error_code error, std::size_t) {
                        if (error || !self->response_.keep_alive()) return self->close();
                        self->read();
                      });
  }

  void reset() {
    beast::error_code ignored;
    auto& socket = stream_.socket();
    socket.set_option(asio::socket_base::linger(true, 0), ignored);
    socket.close(ignored);
  }

  void close() {
    beast::error_code ignored;
    auto& socket = stream_.socket();
    socket.shutdown(asio::ip::tcp::socket::shutdown_both, ignored);
    socket.close(ignored);
  }

  beast::tcp_stream stream_;
  asio::steady_timer timer_;
  Responder& responder_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::empty_body>> parser_;
  http::response<http::string_body> response_;
};

}  // namespace

void serve(asio::ip::tcp::socket socket, Responder& responder) {
  std::make_shared<Session>(std::move(socket), responder)->read();
}

}  // namespace pollux::demo

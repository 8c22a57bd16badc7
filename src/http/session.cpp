#include "http/session.hpp"

#include <limits>
#include <optional>
#include <utility>

#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>

namespace pollux::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace wire = boost::beast::http;

std::string_view view(beast::string_view text) {
  return {text.data(), text.size()};
}

class ReadRequest final : public Request {
 public:
  explicit ReadRequest(const wire::request<wire::string_body>& message) : message_(message) {}
  std::string_view method() const override { return view(message_.method_string()); }
  std::string_view target() const override { return view(message_.target()); }
  std::string_view header(std::string_view name) const override {
    return view(message_[beast::string_view(name.data(), name.size())]);
  }
  std::string_view body() const override { return message_.body(); }

 private:
  const wire::request<wire::string_body>& message_;
};

// A request that cannot be read, in HTTP's own words; none: the connection is just gone.
std::optional<unsigned> status_of(beast::error_code error) {
  if (error == wire::error::header_limit) return 431;
  if (error == wire::error::body_limit) return 413;
  if (error == beast::error::timeout) return 408;
  if (error == wire::error::end_of_stream || error == wire::error::partial_message) return {};
  if (error.category() == wire::make_error_code(wire::error::bad_method).category()) return 400;
  return {};
}

class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(asio::ip::tcp::socket socket, const ServerOptions& options, Handler& handler,
          std::shared_ptr<std::atomic<std::size_t>> open)
      : stream_(std::move(socket)),
        timer_(stream_.get_executor()),
        options_(options),
        handler_(handler),
        open_(std::move(open)) {
    ++*open_;
  }
  ~Session() { --*open_; }

  void read() {
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(
        std::min<std::size_t>(options_.max_header_bytes, std::numeric_limits<int>::max())));
    parser_->body_limit(options_.max_body_bytes);
    stream_.expires_after(options_.idle_limit);
    wire::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](beast::error_code error, std::size_t) {
                       if (!error) return self->wait_then_answer();
                       const auto status = status_of(error);
                       if (!status) return self->close();
                       self->keep_alive_ = false;
                       self->write({.status = *status});
                     });
  }

 private:
  void wait_then_answer() {
    const auto& message = parser_->get();
    keep_alive_ = message.keep_alive();
    is_head_ = message.method() == wire::verb::head;
    const Duration delay = handler_.delay(ReadRequest(message));
    if (delay == Duration{}) return answer();
    stream_.expires_never();
    timer_.expires_after(delay);
    timer_.async_wait([self = shared_from_this()](beast::error_code error) {
      if (!error) self->answer();
    });
  }

  void answer() {
    Response response = handler_.answer(ReadRequest(parser_->get()));
    if (response.reset) return reset();
    write(std::move(response));
  }

  void write(Response answer) {
    message_ = {};
    message_.version(11);
    message_.result(answer.status);
    message_.keep_alive(keep_alive_);
    message_.set(wire::field::server, options_.name);
    for (const auto& [name, value] : answer.headers) message_.insert(name, value);
    if (answer.status != 304) {
      message_.set(wire::field::content_type, answer.content_type);
      message_.content_length(answer.body.size());
      if (!is_head_) message_.body() = std::move(answer.body);
    }
    stream_.expires_after(options_.idle_limit);
    wire::async_write(stream_, message_,
                      [self = shared_from_this()](beast::error_code error, std::size_t) {
                        if (error || !self->keep_alive_) return self->close();
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
  const ServerOptions& options_;
  Handler& handler_;
  std::shared_ptr<std::atomic<std::size_t>> open_;
  beast::flat_buffer buffer_;
  std::optional<wire::request_parser<wire::string_body>> parser_;
  wire::response<wire::string_body> message_;
  bool keep_alive_ = true, is_head_ = false;
};

}  // namespace

void serve(asio::ip::tcp::socket socket, const ServerOptions& options, Handler& handler,
           std::shared_ptr<std::atomic<std::size_t>> open) {
  std::make_shared<Session>(std::move(socket), options, handler, std::move(open))->read();
}

}  // namespace pollux::http

#include "http/session.hpp"

#include "http/waiting_bytes.hpp"

#include <array>
#include <limits>
#include <optional>
#include <sstream>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

namespace pollux::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace wire = boost::beast::http;

// Of a connection that was refused: so that the refusal arrives before the reset does.
constexpr Duration linger_limit = std::chrono::seconds(1);
constexpr std::size_t linger_bytes = 1u << 20;

std::string_view view(beast::string_view text) {
  return {text.data(), text.size()};
}

class ReadRequest final : public Request {
 public:
  ReadRequest(const wire::request<wire::string_body>& message, std::string_view peer)
      : message_(message), peer_(peer) {}
  std::string_view method() const override { return view(message_.method_string()); }
  std::string_view target() const override { return view(message_.target()); }
  std::string_view header(std::string_view name) const override {
    return view(message_[beast::string_view(name.data(), name.size())]);
  }
  std::string_view last_header(std::string_view name) const override {
    const auto [first, last] = message_.equal_range(beast::string_view(name.data(), name.size()));
    return first == last ? std::string_view() : view(std::prev(last)->value());
  }
  bool has_header(std::string_view name) const override {
    return message_.count(beast::string_view(name.data(), name.size())) > 0;
  }
  std::string_view body() const override { return message_.body(); }
  std::string_view peer() const override { return peer_; }

 private:
  const wire::request<wire::string_body>& message_;
  const std::string_view peer_;
};

// A request that cannot be read, in HTTP's own words; none: the connection is just gone.
std::optional<unsigned> status_of(beast::error_code error) {
  if (error == wire::error::header_limit) return 431;
  if (error == wire::error::body_limit) return 413;
  if (error == wire::error::end_of_stream || error == wire::error::partial_message) return {};
  if (error.category() == wire::make_error_code(wire::error::bad_method).category()) return 400;
  return {};
}

class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(Socket socket, std::string peer, std::shared_ptr<Common> common)
      : socket_(std::move(socket), common->tls.get()),
        peer_(std::move(peer)),
        client_(Common::client_of(peer_)),
        delay_(socket_.get_executor()),
        deadline_(socket_.get_executor()),
        common_(std::move(common)),
        options_(common_->options) {
    ++common_->open;
    ++common_->open_of[client_];
  }
  ~Session() {
    give_room_back();
    if (stream_) {
      stream_->end();
      --common_->streams;
    }
    --common_->open;
    const auto held = common_->open_of.find(client_);
    if (--held->second == 0) common_->open_of.erase(held);
  }

  void begin() {
    if (!socket_.is_secure()) return read();
    limit(options_.idle_limit);
    socket_.shake_hands([self = shared_from_this()](beast::error_code error) {
      if (error) return self->close();
      self->read();
    });
  }

  void read() {
    stage_ = Stage::reading;
    timed_out_ = false;
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(
        std::min<std::size_t>(options_.max_header_bytes, std::numeric_limits<int>::max())));
    parser_->body_limit(options_.max_body_bytes);
    limit(options_.idle_limit);
    wire::async_read_header(socket_, buffer_, *parser_,
                            [self = shared_from_this()](beast::error_code error, std::size_t) {
                              if (error) return self->unreadable(error);
                              self->on_header();
                            });
  }

  // Of the request with this number; a later one, or one too many, is nobody's any more.
  void answer(std::uint64_t request, Response response) {
    if (request != request_ || stage_ != Stage::answering) return;
    if (response.reset) return reset();
    write(std::move(response));
  }
  void not_answered(std::uint64_t request) {
    if (request == request_ && stage_ == Stage::answering) refuse(503);
  }
  std::shared_ptr<Stream> stream(std::uint64_t request, Response head, std::function<void()> woken);

 private:
  enum class Stage { reading, answering, writing, streaming, lingering, closed };

  void on_header() {
    const auto& head = parser_->get();
    is_head_ = head.method() == wire::verb::head;
    const std::size_t hosts = head.count(wire::field::host);
    if (hosts > 1 || (hosts == 0 && head.version() > 10)) return refuse(400);
    // Where such a body ends, a proxy before us and we would not agree; what follows would be taken
    // for a request of its own.
    if (head.count(wire::field::transfer_encoding) > 0 &&
        (!parser_->chunked() || head.version() < 11))
      return refuse(400);
    if (!take_room()) return refuse(503);
    if (beast::iequals(head[wire::field::expect], "100-continue")) return ask_for_body();
    read_body();
  }

  // All bodies that are on their way have one room; who fills it keeps out no small one.
  bool take_room() {
    const auto announced = parser_->content_length();
    const std::size_t wanted = announced            ? static_cast<std::size_t>(*announced)
                               : parser_->chunked() ? options_.max_body_bytes
                                                    : 0;
    if (wanted <= options_.small_body_bytes) return true;
    if (common_->body_bytes + wanted > options_.max_bodies_bytes) return false;
    common_->body_bytes += wanted;
    room_ = wanted;
    return true;
  }
  void give_room_back() { common_->body_bytes -= std::exchange(room_, 0); }

  void ask_for_body() {
    static constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
    asio::async_write(socket_, asio::buffer(go_on),
                      [self = shared_from_this()](beast::error_code error, std::size_t) {
                        if (error) return self->close();
                        self->read_body();
                      });
  }

  void read_body() {
    wire::async_read(socket_, buffer_, *parser_,
                     [self = shared_from_this()](beast::error_code error, std::size_t) {
                       if (error) return self->unreadable(error);
                       self->wait_then_answer();
                     });
  }

  void unreadable(beast::error_code error) {
    if (timed_out_) return parser_->got_some() ? refuse(408) : close();
    const auto status = status_of(error);
    if (!status) return close();
    refuse(*status);
  }

  void wait_then_answer() {
    const auto& message = parser_->get();
    stage_ = Stage::answering;
    ++request_;
    keep_alive_ = message.keep_alive();
    const Duration delay = common_->handler.delay(ReadRequest(message, peer_));
    if (delay == Duration{}) return call_handler();
    deadline_.cancel();
    delay_.expires_after(delay);
    delay_.async_wait([self = shared_from_this()](beast::error_code error) {
      if (!error) self->call_handler();
    });
  }

  void call_handler();

  // What the server itself has to say; the connection ends with it.
  void refuse(unsigned status) {
    keep_alive_ = false;
    refused_ = true;
    write(common_->handler.refusal(status));
  }

  void set_head(Response& answer) {
    message_ = {};
    message_.version(11);
    message_.result(answer.status);
    message_.keep_alive(keep_alive_);
    message_.set(wire::field::server, options_.name);
    for (const auto& [name, value] : answer.headers) message_.insert(name, value);
    for (const auto& [name, value] : options_.headers)
      if (message_.count(name) == 0) message_.set(name, value);
    if (answer.status != 304) message_.set(wire::field::content_type, answer.content_type);
  }

  void write(Response answer) {
    stage_ = Stage::writing;
    set_head(answer);
    if (answer.status != 304) {
      message_.content_length(answer.body.size());
      if (!is_head_) message_.body() = std::move(answer.body);
    }
    limit(options_.idle_limit);
    wire::async_write(socket_, message_,
                      [self = shared_from_this()](beast::error_code error, std::size_t) {
                        if (error) return self->close();
                        if (self->refused_) return self->linger();
                        if (!self->keep_alive_) return self->close();
                        self->read();
                      });
  }

  void send_waiting();
  void watch_reader();

  // A close with bytes unread would be a reset, which may overtake what was written.
  void linger() {
    stage_ = Stage::lingering;
    beast::error_code ignored;
    socket_.socket().shutdown(Socket::shutdown_send, ignored);
    limit(linger_limit);
    drain();
  }
  void drain() {
    socket_.async_read_some(asio::buffer(rest_),
                            [self = shared_from_this()](beast::error_code error, std::size_t n) {
                              self->drained_ += n;
                              if (error || self->drained_ > linger_bytes) return self->close();
                              self->drain();
                            });
  }

  void limit(Duration time) {
    deadline_.expires_after(time);
    deadline_.async_wait([self = shared_from_this()](beast::error_code error) {
      if (!error && self->deadline_.expiry() <= std::chrono::steady_clock::now())
        self->out_of_time();
    });
  }
  void out_of_time() {
    beast::error_code ignored;
    switch (stage_) {
      case Stage::reading:
        timed_out_ = true;
        socket_.socket().cancel(ignored);
        return;
      case Stage::answering:
        return refuse(504);
      case Stage::streaming:
        if (is_sending_) return close();  // nothing of it was taken for so long
        return wake();
      case Stage::writing:
      case Stage::lingering:
      case Stage::closed:
        return close();
    }
  }
  void wake() {
    if (stage_ != Stage::streaming) return;
    if (!is_sending_) limit(options_.stream_tick);
    // It may end the stream, and with it itself.
    const std::function<void()> woken = woken_;
    stream_->woken();
    if (woken) woken();
  }

  void reset() {
    beast::error_code ignored;
    socket_.socket().set_option(asio::socket_base::linger(true, 0), ignored);
    end();
  }
  void close() {
    beast::error_code ignored;
    socket_.socket().shutdown(Socket::shutdown_both, ignored);
    end();
  }
  void end() {
    stage_ = Stage::closed;
    if (stream_) stream_->end();
    woken_ = nullptr;
    deadline_.cancel();
    beast::error_code ignored;
    socket_.socket().close(ignored);
  }

  Wire socket_;
  const std::string peer_, client_;
  asio::steady_timer delay_, deadline_;
  std::shared_ptr<Common> common_;
  const ServerOptions& options_;
  beast::flat_buffer buffer_;
  std::optional<wire::request_parser<wire::string_body>> parser_;
  wire::response<wire::string_body> message_;
  Stage stage_ = Stage::reading;
  std::uint64_t request_ = 0;
  bool keep_alive_ = true, is_head_ = false, refused_ = false, timed_out_ = false;
  std::size_t room_ = 0;         // taken of the room for bodies
  std::array<char, 1024> rest_;  // of what nobody wants to know
  std::size_t drained_ = 0;
  std::shared_ptr<WaitingBytes> stream_;  // of an answer that goes on
  std::function<void()> woken_;           // of its handler
  std::string sending_;                   // of it
  bool is_sending_ = false;
};

// Takes an answer to the server's thread, and to the session if it is still there.
class Exchange final : public Responder::Answering {
 public:
  Exchange(std::shared_ptr<Mailbox> mailbox, std::weak_ptr<Session> session, std::uint64_t request)
      : mailbox_(std::move(mailbox)), session_(std::move(session)), request_(request) {}
  ~Exchange() override {
    if (answered_) return;
    mailbox_->run([session = session_, request = request_] {
      if (const auto there = session.lock()) there->not_answered(request);
    });
  }

  void answer(Response response) override {
    if (answered_.exchange(true)) return;
    auto shared = std::make_shared<Response>(std::move(response));
    mailbox_->run([session = session_, request = request_, shared] {
      if (const auto there = session.lock()) there->answer(request, std::move(*shared));
    });
  }
  std::shared_ptr<Stream> stream(Response head, std::function<void()> woken) override {
    const auto there = session_.lock();
    if (!there || answered_.exchange(true)) return nullptr;
    return there->stream(request_, std::move(head), std::move(woken));
  }

 private:
  std::shared_ptr<Mailbox> mailbox_;
  std::weak_ptr<Session> session_;
  const std::uint64_t request_;
  std::atomic<bool> answered_ = false;
};

void Session::call_handler() {
  const auto self = shared_from_this();
  limit(options_.answer_limit);
  common_->handler.handle(
      ReadRequest(parser_->get(), peer_),
      Responder(std::make_shared<Exchange>(common_->mailbox, weak_from_this(), request_)));
  // Nobody may look at it any more, and an answer may be long in coming.
  std::string().swap(parser_->get().body());
  give_room_back();
}

std::shared_ptr<Stream> Session::stream(std::uint64_t request, Response head,
                                        std::function<void()> woken) {
  if (request != request_ || stage_ != Stage::answering) return nullptr;
  // It ends with the connection, so that its reader needs to know no length.
  keep_alive_ = false;
  if (is_head_) {
    write(std::move(head));
    return nullptr;
  }
  if (common_->streams >= options_.max_streams) {
    write(common_->handler.refusal(503));
    return nullptr;
  }
  ++common_->streams;
  const auto on_session = [weak = weak_from_this()](void (Session::*what)()) {
    return [weak, what] {
      if (const auto self = weak.lock()) (self.get()->*what)();
    };
  };
  stream_ = std::make_shared<WaitingBytes>(common_->mailbox, on_session(&Session::send_waiting),
                                           on_session(&Session::wake));
  woken_ = std::move(woken);
  stage_ = Stage::streaming;
  set_head(head);
  std::ostringstream text;
  text << message_.base();
  stream_->send(text.str() + head.body);
  watch_reader();
  return stream_;
}

void Session::send_waiting() {
  if (stage_ != Stage::streaming) return;
  if (stream_->waiting() > options_.max_waiting_bytes) return close();
  if (is_sending_) return;
  sending_ = stream_->take();
  if (sending_.empty()) {
    if (stream_->is_closing()) return close();
    return wake();
  }
  is_sending_ = true;
  limit(options_.idle_limit);
  asio::async_write(socket_, asio::buffer(sending_),
                    [self = shared_from_this()](beast::error_code error, std::size_t n) {
                      if (error) return self->close();
                      self->is_sending_ = false;
                      self->stream_->sent(n);
                      self->send_waiting();
                    });
}

// A reader that goes away is noticed, although it has nothing more to say.
void Session::watch_reader() {
  socket_.async_read_some(asio::buffer(rest_),
                          [self = shared_from_this()](beast::error_code error, std::size_t) {
                            if (error) return self->close();
                            self->watch_reader();
                          });
}

}  // namespace

std::string Common::client_of(const std::string& peer) {
  beast::error_code error;
  const auto address = asio::ip::make_address(peer, error);
  if (error || !address.is_v6() || address.to_v6().is_v4_mapped()) return peer;
  const auto bytes = address.to_v6().to_bytes();
  return {bytes.begin(), bytes.begin() + 8};
}

void serve(Socket socket, std::string peer, std::shared_ptr<Common> common) {
  std::make_shared<Session>(std::move(socket), std::move(peer), std::move(common))->begin();
}

}  // namespace pollux::http

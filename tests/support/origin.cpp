#include "support/origin.hpp"

#include <algorithm>
#include <cctype>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <sys/resource.h>

namespace pollux::test {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

struct PathLog {
  std::vector<SteadyTime> arrivals;
  std::map<std::string, std::string> last_headers;
};

struct Origin::State {
  mutable std::mutex mutex;
  std::map<std::string, std::shared_ptr<const Script>> scripts;
  std::shared_ptr<const Script> otherwise;
  std::shared_ptr<const Script> on_connect;
  std::map<std::string, PathLog> log;
  std::vector<SteadyTime> arrivals;
  std::size_t accepted = 0;
  std::size_t open = 0;
  std::size_t busy = 0;
  std::size_t max_busy = 0;
  std::map<SteadyTime, std::chrono::milliseconds> late;  // by when it was noticed

  Options options;
  Certificate certificate;
  std::uint16_t port = 0;
  asio::ssl::context tls{asio::ssl::context::tls_server};
  // After all that coroutines use: destroying it destroys those still suspended.
  asio::io_context io{1};
  std::optional<tcp::acceptor> acceptor;
  std::thread thread;

  Step accept_all();
  Step measure_lateness();
  Step serve(std::shared_ptr<Connection> connection);
  std::shared_ptr<const Script> arrived(Exchange& exchange);
};

class Connection {
 public:
  Connection(tcp::socket socket, const Origin::Options& options, asio::ssl::context& context)
      : socket_(std::move(socket)) {
    if (options.tls) tls_.emplace(socket_, context);
  }

  Step handshake(error_code& error) {
    if (!tls_) co_return;
    co_await tls_->async_handshake(asio::ssl::stream_base::server,
                                   asio::redirect_error(asio::use_awaitable, error));
  }

  Step read_head(std::string& head, error_code& error) {
    std::size_t size = 0;
    auto buffer = asio::dynamic_buffer(input_, 1u << 20);
    auto token = asio::redirect_error(asio::use_awaitable, error);
    if (tls_) {
      size = co_await asio::async_read_until(*tls_, buffer, "\r\n\r\n", token);
    } else {
      size = co_await asio::async_read_until(socket_, buffer, "\r\n\r\n", token);
    }
    if (error) co_return;
    head = input_.substr(0, size);
    input_.erase(0, size);
  }

  boost::asio::awaitable<std::string> read_some() {
    std::string bytes = std::exchange(input_, {});
    if (!bytes.empty() || !usable()) co_return bytes;
    bytes.resize(16384);
    error_code error;
    std::size_t size = 0;
    auto token = asio::redirect_error(asio::use_awaitable, error);
    if (tls_) {
      size = co_await tls_->async_read_some(asio::buffer(bytes), token);
    } else {
      size = co_await socket_.async_read_some(asio::buffer(bytes), token);
    }
    bytes.resize(error ? 0 : size);
    if (error) drop();
    co_return bytes;
  }

  Step write(std::string bytes) {
    error_code error;
    auto token = asio::redirect_error(asio::use_awaitable, error);
    if (tls_) {
      co_await asio::async_write(*tls_, asio::buffer(bytes), token);
    } else {
      co_await asio::async_write(socket_, asio::buffer(bytes), token);
    }
    if (error) drop();
  }

  Step wait_for_close() {
    char byte = 0;
    error_code error;
    while (!error && socket_.is_open()) {
      co_await socket_.async_read_some(asio::buffer(&byte, 1),
                                       asio::redirect_error(asio::use_awaitable, error));
    }
    drop();
  }

  Step say_goodbye() {
    error_code ignored;
    if (tls_) co_await tls_->async_shutdown(asio::redirect_error(asio::use_awaitable, ignored));
  }
  void finish() {
    error_code ignored;
    socket_.shutdown(tcp::socket::shutdown_send, ignored);
    finished_ = true;
  }
  void reset() {
    error_code ignored;
    socket_.set_option(asio::socket_base::linger(true, 0), ignored);
    drop();
  }
  void drop() {
    error_code ignored;
    socket_.close(ignored);
  }
  bool usable() const { return socket_.is_open() && !finished_; }

 private:
  tcp::socket socket_;
  std::optional<asio::ssl::stream<tcp::socket&>> tls_;
  std::string input_;
  bool finished_ = false;
};

namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

void parse_head(const std::string& head, Exchange& exchange) {
  const std::size_t first = head.find(' ');
  const std::size_t second = head.find(' ', first + 1);
  exchange.method = head.substr(0, first);
  exchange.target = head.substr(first + 1, second - first - 1);
  exchange.path = exchange.target.substr(0, exchange.target.find('?'));
  std::size_t at = head.find("\r\n") + 2;
  while (at < head.size()) {
    const std::size_t end = head.find("\r\n", at);
    const std::size_t colon = head.find(": ", at);
    if (end == at || end == std::string::npos) break;
    if (colon < end) {
      exchange.headers[lower(head.substr(at, colon - at))] =
          head.substr(colon + 2, end - colon - 2);
    }
    at = end + 2;
  }
}

// Counts something for as long as it lives, coroutine frames destroyed early included.
class Counted {
 public:
  Counted(std::mutex& mutex, std::size_t& count) : mutex_(mutex), count_(count) {
    const std::lock_guard lock(mutex_);
    ++count_;
  }
  ~Counted() {
    const std::lock_guard lock(mutex_);
    --count_;
  }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  std::mutex& mutex_;
  std::size_t& count_;
};

std::shared_ptr<const Script> shared(Script script) {
  return std::make_shared<const Script>(std::move(script));
}

}  // namespace

std::string Exchange::header(const std::string& lower_case_name) const {
  const auto found = headers.find(lower_case_name);
  return found == headers.end() ? std::string() : found->second;
}
Step Exchange::send(std::string bytes) {
  if (connection_.usable()) co_await connection_.write(std::move(bytes));
}
Step Exchange::sleep(std::chrono::milliseconds time) {
  asio::steady_timer timer(co_await asio::this_coro::executor, time);
  co_await timer.async_wait(asio::use_awaitable);
}
asio::awaitable<std::string> Exchange::receive() {
  co_return co_await connection_.read_some();
}
Step Exchange::wait_for_close() {
  co_await connection_.wait_for_close();
}
Step Exchange::respond(int status, std::string fields, std::string body) {
  std::string bytes = "HTTP/1.1 " + std::to_string(status) + " Status\r\n";
  if (status != 304 && status != 204) {
    bytes += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  }
  bytes += fields + "\r\n" + body;
  co_await send(std::move(bytes));
}
void Exchange::close() {
  connection_.finish();
}
Step Exchange::say_goodbye() {
  co_await connection_.say_goodbye();
}
void Exchange::reset() {
  connection_.reset();
}
bool Exchange::connected() const {
  return connection_.usable();
}

std::shared_ptr<const Script> Origin::State::arrived(Exchange& exchange) {
  const std::lock_guard lock(mutex);
  const SteadyTime now = std::chrono::steady_clock::now();
  PathLog& path = log[exchange.path];
  path.arrivals.push_back(now);
  path.last_headers = exchange.headers;
  arrivals.push_back(now);
  exchange.nth = static_cast<unsigned>(path.arrivals.size());
  max_busy = std::max(max_busy, busy);
  const auto found = scripts.find(exchange.path);
  return found == scripts.end() ? otherwise : found->second;
}

Step Origin::State::accept_all() {
  for (;;) {
    error_code error;
    tcp::socket socket =
        co_await acceptor->async_accept(asio::redirect_error(asio::use_awaitable, error));
    if (error) continue;
    error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    auto connection = std::make_shared<Connection>(std::move(socket), options, tls);
    asio::co_spawn(io, serve(std::move(connection)), asio::detached);
  }
}

Step Origin::State::measure_lateness() {
  constexpr auto every = std::chrono::milliseconds(5);
  asio::steady_timer timer(io);
  for (;;) {
    const SteadyTime due = std::chrono::steady_clock::now() + every;
    timer.expires_at(due);
    co_await timer.async_wait(asio::use_awaitable);
    const SteadyTime now = std::chrono::steady_clock::now();
    const auto by = std::chrono::ceil<std::chrono::milliseconds>(now - due);
    const std::lock_guard lock(mutex);
    if (by > every) late[now] = by;
  }
}

Step Origin::State::serve(std::shared_ptr<Connection> connection) {
  const Counted open_connection(mutex, open);
  std::shared_ptr<const Script> greeting;
  {
    const std::lock_guard lock(mutex);
    ++accepted;
    greeting = on_connect;
  }
  error_code error;
  if (greeting) {
    Exchange exchange(*connection);
    co_await (*greeting)(exchange);
  }
  if (connection->usable()) co_await connection->handshake(error);
  while (!error && connection->usable()) {
    std::string head;
    co_await connection->read_head(head, error);
    if (error) break;
    const Counted busy_request(mutex, busy);
    Exchange exchange(*connection);
    parse_head(head, exchange);
    const std::shared_ptr<const Script> script = arrived(exchange);
    co_await (*script)(exchange);
  }
  // A close with unread input would be a reset; the client may still want what was sent.
  if (!error) co_await connection->wait_for_close();
}

namespace {

int select_http2(SSL*, const unsigned char** out, unsigned char* out_size, const unsigned char*,
                 unsigned, void*) {
  static constexpr unsigned char h2[] = {'h', '2'};
  *out = h2;
  *out_size = sizeof h2;
  return SSL_TLSEXT_ERR_OK;
}

// Some tests hold a thousand connections, more than the usual soft limit of descriptors.
void use_all_descriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

Origin::Origin(Options options) : state_(std::make_unique<State>()) {
  use_all_descriptors();
  State& state = *state_;
  state.options = options;
  if (options.tls) {
    state.certificate = make_certificate(options.certificate);
    use_certificate(state.certificate);
    SSL_CTX* context = state.tls.native_handle();
    if (options.http2) SSL_CTX_set_alpn_select_cb(context, &select_http2, nullptr);
    // Every connection begins with a whole handshake, so that changes are noticed.
    SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  }
  state.otherwise = shared([](Exchange& x) -> Step { co_await x.respond(404, "", "not here"); });
  state.acceptor.emplace(state.io,
                         tcp::endpoint(asio::ip::make_address(options.address), options.port));
  state.acceptor->listen(4096);
  state.port = state.acceptor->local_endpoint().port();
  asio::co_spawn(state.io, state.accept_all(), asio::detached);
  if (options.measure_lateness) {
    asio::co_spawn(state.io, state.measure_lateness(), asio::detached);
  }
  state.thread = std::thread([&state] { state.io.run(); });
}

Origin::~Origin() {
  state_->io.stop();
  state_->thread.join();
}

void Origin::on(const std::string& path, Script script) {
  const std::lock_guard lock(state_->mutex);
  state_->scripts[path] = shared(std::move(script));
}
void Origin::otherwise(Script script) {
  const std::lock_guard lock(state_->mutex);
  state_->otherwise = shared(std::move(script));
}
void Origin::on_connect(Script script) {
  const std::lock_guard lock(state_->mutex);
  state_->on_connect = shared(std::move(script));
}

void Origin::use_certificate(const Certificate& certificate) {
  asio::dispatch(state_->io, [state = state_.get(), certificate] {
    state->tls.use_certificate(asio::buffer(certificate.pem), asio::ssl::context::pem);
    state->tls.use_private_key(asio::buffer(certificate.key_pem), asio::ssl::context::pem);
  });
}
void Origin::use_tls_1_0_only() {
  asio::dispatch(state_->io, [state = state_.get()] {
    SSL_CTX* context = state->tls.native_handle();
    SSL_CTX_set_min_proto_version(context, TLS1_VERSION);
    SSL_CTX_set_max_proto_version(context, TLS1_VERSION);
    SSL_CTX_set_cipher_list(context, "ALL:@SECLEVEL=0");
  });
}

std::string Origin::url(std::string_view path) const {
  return url_at(state_->options.address, path);
}
std::string Origin::url_at(std::string_view host, std::string_view path) const {
  return std::string(state_->options.tls ? "https://" : "http://") + std::string(host) + ":" +
         std::to_string(state_->port) + std::string(path);
}
std::uint16_t Origin::port() const {
  return state_->port;
}
std::string Origin::ca_pem() const {
  return state_->certificate.pem;
}

std::size_t Origin::requests() const {
  const std::lock_guard lock(state_->mutex);
  return state_->arrivals.size();
}
std::size_t Origin::requests(const std::string& path) const {
  return arrivals(path).size();
}
std::vector<SteadyTime> Origin::arrivals() const {
  const std::lock_guard lock(state_->mutex);
  return state_->arrivals;
}
std::vector<SteadyTime> Origin::arrivals(const std::string& path) const {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->log.find(path);
  return found == state_->log.end() ? std::vector<SteadyTime>() : found->second.arrivals;
}
std::string Origin::last_header(const std::string& path, const std::string& name) const {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->log.find(path);
  if (found == state_->log.end()) return {};
  const auto field = found->second.last_headers.find(name);
  return field == found->second.last_headers.end() ? std::string() : field->second;
}
std::size_t Origin::connections() const {
  const std::lock_guard lock(state_->mutex);
  return state_->accepted;
}
std::size_t Origin::open_connections() const {
  const std::lock_guard lock(state_->mutex);
  return state_->open;
}
std::chrono::milliseconds Origin::lateness(SteadyTime from, SteadyTime to) const {
  const std::lock_guard lock(state_->mutex);
  std::chrono::milliseconds most{5};  // less is not looked for
  // What was noticed after `to` may have begun before.
  for (auto at = state_->late.lower_bound(from); at != state_->late.end(); ++at) {
    if (at->first - at->second > to) break;
    most = std::max(most, at->second);
  }
  return most;
}
std::size_t Origin::max_concurrent() const {
  const std::lock_guard lock(state_->mutex);
  return state_->max_busy;
}

}  // namespace pollux::test

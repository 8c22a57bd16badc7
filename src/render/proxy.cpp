#include "render/proxy.hpp"

#include "pollux/base/bad_ports.hpp"
#include "pollux/base/text.hpp"
#include "render/proxy_heads.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <list>
#include <optional>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

namespace pollux::render {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using fetch::Failure;

constexpr auto as_result = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t most_connections = 256;  // browsers have 32 to a proxy
constexpr std::size_t piece_size = 16u << 10;
constexpr auto longest_connect = std::chrono::seconds(10);
constexpr auto pause_after_failed_accept = std::chrono::milliseconds(100);

constexpr std::string_view refused_answer =
    "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
constexpr std::string_view failed_answer =
    "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
constexpr std::string_view tunnel_answer = "HTTP/1.1 200 Connection established\r\n\r\n";

struct Pair {
  explicit Pair(tcp::socket socket) : browser(std::move(socket)), server(browser.get_executor()) {}
  tcp::socket browser, server;
  void close() {
    boost::system::error_code ignored;
    browser.close(ignored);
    server.close(ignored);
  }
};

// Ends the attempt when it takes too long.
class Deadline {
 public:
  Deadline(std::shared_ptr<Pair> pair, std::chrono::steady_clock::duration limit)
      : timer_(pair->server.get_executor(), limit) {
    timer_.async_wait([pair = std::move(pair)](boost::system::error_code error) {
      boost::system::error_code ignored;
      if (!error) pair->server.close(ignored);
    });
  }

 private:
  asio::steady_timer timer_;
};

}  // namespace

struct Proxy::State : std::enable_shared_from_this<State> {
  State(asio::io_context& context, int descriptor, std::shared_ptr<const ProxyRules> rules_in_force,
        Names& book)
      : io(context),
        acceptor(context, tcp::v4(), descriptor),
        rules(std::move(rules_in_force)),
        names(book) {}

  asio::awaitable<void> accept_all();
  asio::awaitable<void> serve(std::shared_ptr<Pair> pair);
  asio::awaitable<std::optional<std::string>> read_head(tcp::socket& from, std::string& buffer);
  asio::awaitable<std::optional<ProxyRefusal>> connect(std::shared_ptr<Pair> pair,
                                                       const ProxyRequest& request);
  asio::awaitable<bool> answer_head(Pair& pair);
  asio::awaitable<void> copy(std::shared_ptr<Pair> pair, tcp::socket& from, tcp::socket& to);
  asio::awaitable<bool> send(tcp::socket& to, std::string_view text);
  void refuse(const ProxyRefusal& refusal) {
    const auto tell = listener.refused;  // it may end us
    if (open && tell) tell(refusal);
  }
  bool count(std::size_t more);
  void exceed(std::string what);
  void close_all();

  asio::io_context& io;
  tcp::acceptor acceptor;
  const std::shared_ptr<const ProxyRules> rules;
  Names& names;
  Listener listener;
  ProxyLimits limits;
  bool open = false;
  std::uint64_t bytes = 0;
  std::size_t requests = 0;
  std::list<std::weak_ptr<Pair>> pairs;
};

Proxy::Proxy(asio::io_context& io, int listener, std::shared_ptr<const ProxyRules> rules,
             Names& names)
    : state_(std::make_shared<State>(io, listener, std::move(rules), names)) {
  asio::co_spawn(io, state_->accept_all(), asio::detached);
}

Proxy::~Proxy() {
  end();
  boost::system::error_code ignored;
  state_->acceptor.close(ignored);
}

void Proxy::begin(const ProxyLimits& limits, Listener listener) {
  end();
  state_->limits = limits;
  state_->listener = std::move(listener);
  state_->bytes = state_->requests = 0;
  state_->open = true;
}

void Proxy::end() {
  state_->open = false;
  state_->listener = {};
  state_->close_all();
}

std::uint64_t Proxy::bytes() const {
  return state_->bytes;
}

void Proxy::State::close_all() {
  for (const auto& weak : std::exchange(pairs, {})) {
    if (const auto pair = weak.lock()) pair->close();
  }
}

bool Proxy::State::count(std::size_t more) {
  bytes += more;
  if (bytes > limits.bytes)
    exceed("it moves more than render.max_traffic, " + std::to_string(limits.bytes) + " bytes");
  return open;
}

void Proxy::State::exceed(std::string what) {
  if (!std::exchange(open, false)) return;
  close_all();
  if (const auto tell = std::exchange(listener, {}).exceeded) tell(std::move(what));
}

// Coroutines keep the state alive; once the proxy has ended they ask nothing of `names`.
asio::awaitable<void> Proxy::State::accept_all() {
  const auto self = shared_from_this();
  while (acceptor.is_open()) {
    auto [error, socket] = co_await acceptor.async_accept(as_result);
    if (!acceptor.is_open()) co_return;
    if (error) {  // no descriptor left, for example
      asio::steady_timer pause(io, pause_after_failed_accept);
      co_await pause.async_wait(as_result);
      continue;
    }
    std::erase_if(pairs, [](const auto& weak) { return weak.expired(); });
    if (!open || pairs.size() >= most_connections) continue;
    if (++requests > limits.requests) {
      exceed("it opens more connections than render.max_requests, " +
             std::to_string(limits.requests));
      continue;
    }
    auto pair = std::make_shared<Pair>(std::move(socket));
    pairs.push_back(pair);
    asio::co_spawn(io, serve(std::move(pair)), asio::detached);
  }
}

asio::awaitable<void> Proxy::State::serve(std::shared_ptr<Pair> pair) {
  const auto self = shared_from_this();
  std::string buffer;
  const std::optional<std::string> head = co_await read_head(pair->browser, buffer);
  if (!head || !open) co_return;
  const std::optional<ProxyRequest> request = parse_proxy_request(*head);
  if (!request) {
    co_await send(pair->browser, refused_answer);
    co_return;
  }
  // A wait never stands in a condition: g++ 12 would free what is temporary there twice.
  const std::optional<ProxyRefusal> refusal = co_await connect(pair, *request);
  if (refusal) {
    refuse(*refusal);
    const bool refused = refusal->failure == Failure::address_refused;
    co_await send(pair->browser, refused ? refused_answer : failed_answer);
    co_return;
  }
  // What came behind the head belongs to the server.
  const std::string first = request->head + buffer;
  if (request->tunnel) co_await send(pair->browser, tunnel_answer);
  if (!first.empty()) co_await send(pair->server, first);
  asio::co_spawn(io, copy(pair, pair->browser, pair->server), asio::detached);
  if (!request->tunnel) {
    const bool answered = co_await answer_head(*pair);
    if (!answered) pair->close();
  }
  co_await copy(pair, pair->server, pair->browser);
}

asio::awaitable<std::optional<std::string>> Proxy::State::read_head(tcp::socket& from,
                                                                    std::string& buffer) {
  std::array<char, piece_size> piece;
  for (;;) {
    if (const auto length = head_length(buffer)) {
      std::string head = buffer.substr(0, *length);
      buffer.erase(0, *length);
      co_return head;
    }
    if (buffer.size() > longest_head) co_return std::nullopt;
    const auto [error, size] = co_await from.async_read_some(asio::buffer(piece), as_result);
    if (error || !count(size)) co_return std::nullopt;
    buffer.append(piece.data(), size);
  }
}

asio::awaitable<std::optional<ProxyRefusal>> Proxy::State::connect(std::shared_ptr<Pair> pair,
                                                                   const ProxyRequest& request) {
  const std::string shown = printable(request.host_port, 100);
  ProxyRefusal refusal{request.host_port, Failure::address_refused, {}};
  const auto& allowed = rules->allow_ports;
  if (is_bad_port(request.port) && std::ranges::find(allowed, request.port) == allowed.end()) {
    refusal.text = shown +
                   ": no web page is fetched from this port; network.allow_ports can "
                   "permit it";
    co_return refusal;
  }
  const fetch::Lookup found = co_await names.resolve(request.host);
  if (!open) co_return refusal;
  if (!found.error.empty()) {
    refusal.failure = Failure::dns;
    refusal.text = shown + ": " + printable(found.error, 200);
    co_return refusal;
  }
  for (const std::string& text : found.addresses) {
    boost::system::error_code bad;
    const auto address = asio::ip::make_address(text, bad);
    if (bad) continue;
    const tcp::endpoint endpoint(address, request.port);
    if (!rules->gate.permits(*endpoint.data())) {
      if (refusal.text.empty())
        refusal.text = shown + ": the address " + text + " is refused; network.allow can permit it";
      continue;
    }
    boost::system::error_code error;
    pair->server.close(error);
    pair->server.open(endpoint.protocol(), error);
    if (!error) {
      const Deadline deadline(pair, longest_connect);
      std::tie(error) = co_await pair->server.async_connect(endpoint, as_result);
    }
    if (!open) co_return refusal;
    if (!error) {
      pair->server.set_option(tcp::no_delay(true), error);
      co_return std::nullopt;
    }
    refusal.failure = Failure::connect;
    refusal.text = shown + ": " + error.message();
  }
  co_return refusal;
}

// Interim answers pass by; the answer itself is told that its connection ends with it, so that the
// browser sends nothing after it: that would reach the wrong server.
asio::awaitable<bool> Proxy::State::answer_head(Pair& pair) {
  std::string buffer;
  for (int interim = 0; interim < 8; ++interim) {
    const std::optional<std::string> head = co_await read_head(pair.server, buffer);
    if (!head) co_return false;
    const std::optional<AnswerLine> answer = parse_answer(*head);
    if (!answer || answer->status == 101) co_return false;
    if (answer->status / 100 == 1) continue;
    const std::string first = answer->head + buffer;
    const bool sent = co_await send(pair.browser, first);
    co_return sent;
  }
  co_return false;
}

asio::awaitable<bool> Proxy::State::send(tcp::socket& to, std::string_view text) {
  const auto [error, size] = co_await asio::async_write(to, asio::buffer(text), as_result);
  co_return !error;
}

asio::awaitable<void> Proxy::State::copy(std::shared_ptr<Pair> pair, tcp::socket& from,
                                         tcp::socket& to) {
  const auto self = shared_from_this();
  std::array<char, piece_size> piece;
  for (;;) {
    const auto [error, size] = co_await from.async_read_some(asio::buffer(piece), as_result);
    bool goes_on = size > 0 && count(size) && !error;
    if (goes_on) goes_on = co_await send(to, std::string_view(piece.data(), size));
    if (goes_on) continue;
    if (error == asio::error::eof && open && &from == &pair->browser) {
      boost::system::error_code ignored;  // the answer may still come
      to.shutdown(tcp::socket::shutdown_send, ignored);
      co_return;
    }
    pair->close();
    co_return;
  }
}

}  // namespace pollux::render

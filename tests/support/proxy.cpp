#include "support/proxy.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

namespace pollux::test {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using Step = asio::awaitable<void>;
using Clock = std::chrono::steady_clock;
// Errors end the coroutine by exception; whoever spawned it lets them pass.
using asio::use_awaitable;

namespace {

std::string without_port(std::string_view authority) {
  return std::string(authority.substr(0, authority.find(':')));
}

std::size_t content_length(const std::string& head) {
  const std::string_view name = "\r\nContent-Length: ";
  const std::size_t at = head.find(name);
  std::size_t length = 0;
  if (at != std::string::npos) {
    std::from_chars(head.data() + at + name.size(), head.data() + head.size(), length);
  }
  return length;
}

// A socket and what has been read from it beyond the last message.
struct Peer {
  explicit Peer(tcp::socket connected) : socket(std::move(connected)) {}
  tcp::socket socket;
  std::string input;

  asio::awaitable<std::string> read_head() {
    const std::size_t size = co_await asio::async_read_until(
        socket, asio::dynamic_buffer(input, 1u << 20), "\r\n\r\n", use_awaitable);
    co_return take(size);
  }
  asio::awaitable<std::string> read(std::size_t size) {
    if (input.size() < size) {
      co_await asio::async_read(socket, asio::dynamic_buffer(input),
                                asio::transfer_exactly(size - input.size()), use_awaitable);
    }
    co_return take(size);
  }
  Step write(const std::string& bytes) {
    co_await asio::async_write(socket, asio::buffer(bytes), use_awaitable);
  }

 private:
  std::string take(std::size_t size) {
    std::string taken = input.substr(0, size);
    input.erase(0, size);
    return taken;
  }
};

Step pass_on(std::shared_ptr<Peer> from, std::shared_ptr<Peer> to,
             std::function<void(const std::string&)> look) {
  error_code error;
  while (!error) {
    std::string bytes = std::exchange(from->input, {});
    if (bytes.empty()) {
      bytes.resize(16384);
      bytes.resize(co_await from->socket.async_read_some(
          asio::buffer(bytes), asio::redirect_error(use_awaitable, error)));
    }
    look(bytes);
    if (!error) {
      co_await asio::async_write(to->socket, asio::buffer(bytes),
                                 asio::redirect_error(use_awaitable, error));
    }
  }
  to->socket.close(error);
  from->socket.close(error);
}

}  // namespace

struct Proxy::State {
  mutable std::mutex mutex;
  std::map<std::string, std::chrono::milliseconds> delays;
  std::vector<Forwarded> forwarded;
  std::size_t accepted = 0;
  bool broken = false;
  int refusal = 0;
  std::string received;
  std::string mark;

  std::uint16_t origin_port = 0;
  std::uint16_t port = 0;
  asio::io_context io{1};
  std::optional<tcp::acceptor> acceptor;
  std::thread thread;

  Step accept_all() {
    while (true) {
      tcp::socket socket = co_await acceptor->async_accept(use_awaitable);
      auto client = std::make_shared<Peer>(std::move(socket));
      {
        const std::lock_guard lock(mutex);
        ++accepted;
        if (broken) continue;
      }
      client->socket.set_option(tcp::no_delay(true));
      asio::co_spawn(io, serve(client), [](const std::exception_ptr&) {});
    }
  }

  Step serve(std::shared_ptr<Peer> client) {
    const std::string first_byte = co_await client->read(1);
    client->input.insert(0, first_byte);
    if (first_byte == "\x05") {
      co_await serve_socks(client);
      co_return;
    }
    std::shared_ptr<Peer> origin;
    while (true) {
      const std::string head = co_await client->read_head();
      keep(head);
      const Clock::time_point begun = Clock::now();
      const std::size_t first = head.find(' '), second = head.find(' ', first + 1);
      const std::string method = head.substr(0, first);
      std::string target = head.substr(first + 1, second - first - 1);
      if (const int status = refusal_now(); status != 0) {
        const std::string refused =
            "HTTP/1.1 " + std::to_string(status) + " No\r\nContent-Length: 0\r\n\r\n";
        co_await client->write(refused);
        continue;
      }
      if (method == "CONNECT") {
        const std::string far = without_port(target);
        co_await wait_for(far);
        const std::string opened = "HTTP/1.1 200 Connection established\r\nVia: a proxy\r\n\r\n";
        co_await client->write(opened);
        co_await tunnel(client);
        co_return;
      }
      target.erase(0, std::min(target.find("://") + 3, target.size()));
      const std::size_t slash = std::min(target.find('/'), target.size());
      const std::string site = without_port(target.substr(0, slash));
      const auto delay = co_await wait_for(site);
      if (is_broken()) co_return;
      if (!origin) origin = co_await connect();
      const std::string forwarded_head =
          method + " " + target.substr(slash) + marked(head.substr(second));
      co_await origin->write(forwarded_head);
      std::string answer = co_await origin->read_head();
      const bool has_body = !answer.starts_with("HTTP/1.1 304");
      const std::size_t length = has_body ? content_length(answer) : 0;
      const std::string body = co_await origin->read(length);
      answer += body;
      note(site, begun, delay);  // before the client can know of it
      co_await client->write(answer);
    }
  }

  // The rest of a head, with our line before its end.
  std::string marked(std::string rest) {
    const std::lock_guard lock(mutex);
    if (!mark.empty()) rest.insert(rest.size() - 2, mark + "\r\n");
    return rest;
  }

  // RFC 1928, without a login, by name only: what socks5h sends.
  Step serve_socks(std::shared_ptr<Peer> client) {
    const std::string methods = co_await client->read(2);
    co_await client->read(static_cast<unsigned char>(methods[1]));
    const std::string no_login("\x05\x00", 2);
    co_await client->write(no_login);
    const std::string request = co_await client->read(5);
    const std::string site = co_await client->read(static_cast<unsigned char>(request[4]));
    co_await client->read(2);
    const Clock::time_point begun = Clock::now();
    const auto delay = co_await wait_for(site);
    const std::string granted("\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00", 10);
    const bool by_name = request[3] == 3;
    if (!by_name) co_return;
    if (refusal_now() != 0) {
      const std::string refused("\x05\x05\x00\x01\x00\x00\x00\x00\x00\x00", 10);
      co_await client->write(refused);
      co_return;
    }
    co_await client->write(granted);
    note(site, begun, delay);
    co_await tunnel(client);
  }

  Step tunnel(std::shared_ptr<Peer> client) {
    const std::shared_ptr<Peer> origin = co_await connect();
    asio::co_spawn(io, pass_on(origin, client, [](const std::string&) {}), asio::detached);
    co_await pass_on(client, origin, [this](const std::string& bytes) { keep(bytes); });
  }

  asio::awaitable<std::shared_ptr<Peer>> connect() {
    auto origin = std::make_shared<Peer>(tcp::socket(io));
    const tcp::endpoint where(asio::ip::address_v4::loopback(), origin_port);
    co_await origin->socket.async_connect(where, use_awaitable);
    origin->socket.set_option(tcp::no_delay(true));
    co_return origin;
  }

  asio::awaitable<std::chrono::milliseconds> wait_for(std::string site) {
    std::chrono::milliseconds delay{};
    {
      const std::lock_guard lock(mutex);
      const auto found = delays.find(site);
      if (found != delays.end()) delay = found->second;
    }
    if (delay.count() > 0) {
      asio::steady_timer timer(io, delay);
      co_await timer.async_wait(use_awaitable);
    }
    co_return delay;
  }

  void keep(const std::string& bytes) {
    const std::lock_guard lock(mutex);
    received += bytes;
  }
  int refusal_now() const {
    const std::lock_guard lock(mutex);
    return refusal;
  }
  bool is_broken() const {
    const std::lock_guard lock(mutex);
    return broken;
  }
  void note(const std::string& site, Clock::time_point begun, std::chrono::milliseconds delay) {
    const auto taken = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begun);
    const std::lock_guard lock(mutex);
    forwarded.push_back({site, begun, delay, taken});
  }
};

Proxy::Proxy(std::uint16_t origin_port) : state_(std::make_unique<State>()) {
  state_->origin_port = origin_port;
  state_->acceptor.emplace(state_->io, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  state_->port = state_->acceptor->local_endpoint().port();
  asio::co_spawn(state_->io, state_->accept_all(), [](const std::exception_ptr&) {});
  state_->thread = std::thread([state = state_.get()] { state->io.run(); });
}

Proxy::~Proxy() {
  state_->io.stop();
  state_->thread.join();
}

void Proxy::set_delay(const std::string& site, std::chrono::milliseconds delay) {
  const std::lock_guard lock(state_->mutex);
  state_->delays[site] = delay;
}

void Proxy::set_mark(const std::string& header) {
  const std::lock_guard lock(state_->mutex);
  state_->mark = header;
}
void Proxy::set_broken(bool broken) {
  const std::lock_guard lock(state_->mutex);
  state_->broken = broken;
}

void Proxy::set_refusal(int status) {
  const std::lock_guard lock(state_->mutex);
  state_->refusal = status;
}

std::string Proxy::received() const {
  const std::lock_guard lock(state_->mutex);
  return state_->received;
}

std::string Proxy::url(const std::string& scheme) const {
  return scheme + "://127.0.0.1:" + std::to_string(state_->port);
}

std::uint16_t Proxy::port() const {
  return state_->port;
}

std::size_t Proxy::connections() const {
  const std::lock_guard lock(state_->mutex);
  return state_->accepted;
}

std::size_t Proxy::requests(const std::string& site) const {
  const std::vector<Forwarded> all = forwarded();
  return static_cast<std::size_t>(std::count_if(
      all.begin(), all.end(), [&](const Forwarded& one) { return one.site == site; }));
}

std::vector<Proxy::Forwarded> Proxy::forwarded() const {
  const std::lock_guard lock(state_->mutex);
  return state_->forwarded;
}

}  // namespace pollux::test

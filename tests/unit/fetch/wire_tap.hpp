// Stands between a client and a server on loopback and notes what the client sends, and when it
// speaks after the server has: the wire's own view, below TLS and HTTP.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>

namespace pollux::fetch {

namespace asio = boost::asio;

class WireTap {
 public:
  explicit WireTap(std::uint16_t server_port)
      : server_port_(server_port), acceptor_(io_, {asio::ip::address_v4::loopback(), 0}) {
    accept_next();
    thread_ = std::thread([this] { io_.run(); });
  }
  ~WireTap() {
    io_.stop();
    thread_.join();
  }
  WireTap(const WireTap&) = delete;
  WireTap& operator=(const WireTap&) = delete;

  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
  std::string url(const std::string& scheme, const std::string& path) const {
    return scheme + "://127.0.0.1:" + std::to_string(port()) + path;
  }
  std::string sent() const {  // by clients, all of it
    const std::lock_guard lock(mutex_);
    return sent_;
  }
  std::size_t bursts() const {  // how often a client spoke first or after the server had
    const std::lock_guard lock(mutex_);
    return bursts_;
  }

 private:
  struct Link {
    Link(asio::ip::tcp::socket accepted, asio::io_context& io)
        : client(std::move(accepted)), server(io) {}
    asio::ip::tcp::socket client, server;
    std::array<char, 16384> from_client, from_server;
    bool client_speaks = false;
  };
  using Shared = std::shared_ptr<Link>;

  void accept_next() {
    acceptor_.async_accept([this](boost::system::error_code error, asio::ip::tcp::socket accepted) {
      if (error) return;
      const auto link = std::make_shared<Link>(std::move(accepted), io_);
      link->server.connect({asio::ip::address_v4::loopback(), server_port_}, error);
      if (!error) {
        link->client.set_option(asio::ip::tcp::no_delay(true));
        link->server.set_option(asio::ip::tcp::no_delay(true));
        relay(link, true);
        relay(link, false);
      }
      accept_next();
    });
  }
  void relay(const Shared& link, bool up) {
    asio::ip::tcp::socket& from = up ? link->client : link->server;
    asio::ip::tcp::socket& to = up ? link->server : link->client;
    std::array<char, 16384>& buffer = up ? link->from_client : link->from_server;
    from.async_read_some(
        asio::buffer(buffer),
        [=, this, &to, &buffer](boost::system::error_code error, std::size_t size) {
          if (error) {
            to.shutdown(asio::ip::tcp::socket::shutdown_send, error);
            return;
          }
          note(*link, up, {buffer.data(), size});
          asio::async_write(to, asio::buffer(buffer.data(), size),
                            [=, this](boost::system::error_code failed, std::size_t) {
                              if (!failed) relay(link, up);
                            });
        });
  }
  void note(Link& link, bool up, std::string_view bytes) {
    const std::lock_guard lock(mutex_);
    if (up) {
      sent_ += bytes;
      if (!link.client_speaks) ++bursts_;
    }
    link.client_speaks = up;
  }

  const std::uint16_t server_port_;
  asio::io_context io_{1};
  asio::ip::tcp::acceptor acceptor_;
  mutable std::mutex mutex_;
  std::string sent_;
  std::size_t bursts_ = 0;
  std::thread thread_;
};

}  // namespace pollux::fetch

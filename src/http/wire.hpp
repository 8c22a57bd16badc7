// A connection's bytes: a socket, or TLS on one. What Beast and Asio want of a stream, and no more.
#pragma once

#include <optional>
#include <utility>

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>

namespace pollux::http {

using Socket = boost::asio::generic::stream_protocol::socket;  // TCP or Unix

class Wire {
 public:
  using executor_type = Socket::executor_type;
  // `tls`: null for none.
  Wire(Socket socket, boost::asio::ssl::context* tls) : socket_(std::move(socket)) {
    if (tls != nullptr) tls_.emplace(socket_, *tls);
  }
  Wire(const Wire&) = delete;

  executor_type get_executor() { return socket_.get_executor(); }
  bool is_secure() const { return tls_.has_value(); }
  template <typename Done>
  void shake_hands(Done done) {
    tls_->async_handshake(boost::asio::ssl::stream_base::server, std::move(done));
  }
  template <typename Buffers, typename Done>
  void async_read_some(const Buffers& buffers, Done&& done) {
    if (tls_)
      tls_->async_read_some(buffers, std::forward<Done>(done));
    else
      socket_.async_read_some(buffers, std::forward<Done>(done));
  }
  template <typename Buffers, typename Done>
  void async_write_some(const Buffers& buffers, Done&& done) {
    if (tls_)
      tls_->async_write_some(buffers, std::forward<Done>(done));
    else
      socket_.async_write_some(buffers, std::forward<Done>(done));
  }
  Socket& socket() { return socket_; }

 private:
  Socket socket_;
  std::optional<boost::asio::ssl::stream<Socket&>> tls_;
};

}  // namespace pollux::http

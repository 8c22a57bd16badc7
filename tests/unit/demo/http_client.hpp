// A plain HTTP client for the tests of the demo site: one connection, one request after the other.
#pragma once

#include <cstdint>
#include <string>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

namespace pollux::demo {

class HttpClient {
 public:
  using Response = boost::beast::http::response<boost::beast::http::string_body>;
  using Fields = boost::beast::http::fields;

  explicit HttpClient(std::uint16_t port, const std::string& address = "127.0.0.1")
      : socket_(context_) {
    socket_.connect({boost::asio::ip::make_address(address), port});
  }

  // Both throw boost::system::system_error when the connection breaks.
  void send(const std::string& target, const Fields& headers = {},
            boost::beast::http::verb method = boost::beast::http::verb::get) {
    namespace http = boost::beast::http;
    http::request<http::empty_body> request(method, target, 11);
    for (const auto& field : headers) request.insert(field.name_string(), field.value());
    request.set(http::field::host, "demo");
    http::write(socket_, request);
    head_ = method == http::verb::head;
  }
  Response receive() {
    namespace http = boost::beast::http;
    http::response_parser<http::string_body> parser;
    parser.skip(head_);
    http::read(socket_, buffer_, parser);
    return parser.release();
  }
  Response get(const std::string& target, const Fields& headers = {},
               boost::beast::http::verb method = boost::beast::http::verb::get) {
    send(target, headers, method);
    return receive();
  }

 private:
  boost::asio::io_context context_;
  boost::asio::ip::tcp::socket socket_;
  boost::beast::flat_buffer buffer_;
  bool head_ = false;
};

}  // namespace pollux::demo

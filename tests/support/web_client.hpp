// A client of the daemon's web server that writes bytes as it likes: a browser, a program or worse.
#pragma once

#include <cstdint>
#include <regex>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

namespace pollux::test {

class WebClient {
 protected:
  // `url`: as the server writes its address.
  void meet(const std::string& url) {
    const std::size_t colon = url.rfind(':');
    port_ = url.substr(colon + 1, url.find('/', colon) - colon - 1);
    host_ = "127.0.0.1:" + port_;
  }
  // `from`: the address of the client.
  boost::asio::ip::tcp::socket connected(boost::asio::io_context& io,
                                         const std::string& from = "127.0.0.1") const {
    boost::asio::ip::tcp::socket socket(io, {boost::asio::ip::make_address(from), 0});
    socket.connect(
        {boost::asio::ip::make_address("127.0.0.1"), static_cast<std::uint16_t>(std::stoi(port_))});
    return socket;
  }
  // Sends these bytes and reads until the server closes.
  std::string raw(const std::string& bytes) const {
    boost::asio::io_context io;
    boost::asio::ip::tcp::socket socket = connected(io);
    boost::system::error_code error;
    boost::asio::write(socket, boost::asio::buffer(bytes), error);
    std::string answer;
    boost::asio::read(socket, boost::asio::dynamic_buffer(answer), error);
    return answer;
  }
  std::string ask(const std::string& method, const std::string& path,
                  const std::string& headers = "") const {
    return raw(method + " " + path + " HTTP/1.1\r\nHost: " + host_ + "\r\nConnection: close\r\n" +
               headers + "\r\n");
  }
  std::string get(const std::string& path, const std::string& headers = "") const {
    return ask("GET", path, headers);
  }
  std::string post(const std::string& path, const std::string& body,
                   const std::string& headers) const {
    return raw("POST " + path + " HTTP/1.1\r\nHost: " + host_ +
               "\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: " +
               std::to_string(body.size()) + "\r\n" + headers + "\r\n" + body);
  }
  std::string origin() const { return "Origin: http://" + host_ + "\r\n"; }
  static unsigned status(const std::string& answer) {
    return answer.size() < 12 ? 0 : static_cast<unsigned>(std::stoi(answer.substr(9, 3)));
  }
  static std::string part(const std::string& text, const std::string& pattern) {
    std::smatch match;
    return std::regex_search(text, match, std::regex(pattern)) ? match[1].str() : "";
  }
  // Cookie and csrf of an answer, as headers of the next request.
  static std::string session(const std::string& answer) {
    return "Cookie: " + part(answer, "Set-Cookie: ([^;]+)") +
           "\r\nX-Pollux-Csrf: " + part(answer, "\"csrf\": ?\"([0-9a-f]+)\"") + "\r\n";
  }

  std::string port_, host_;
};

}  // namespace pollux::test

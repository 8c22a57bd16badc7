// A small HTTP/1.1 server: keep-alive, bounded requests, one thread of its own. The demo site
// stands on it, and the daemon's API will. What is answered is the Handler's; the protocol is
// Boost.Beast's, which nobody else sees. Threading: Server from any thread; the handler is called
// on the server's thread.
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/base/time.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pollux::http {

// Valid during the call it is handed to.
class Request {
 public:
  virtual ~Request() = default;
  virtual std::string_view method() const = 0;
  virtual std::string_view target() const = 0;
  virtual std::string_view header(std::string_view name) const = 0;  // empty: there is none
  virtual std::string_view body() const = 0;
};

struct Response {
  unsigned status = 200;
  std::string content_type = "text/plain; charset=utf-8";  // not sent with a 304
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};
  bool reset = false;  // no answer at all: the connection is reset
};

class Handler {
 public:
  virtual ~Handler() = default;
  // How long to wait before answer() is called.
  virtual Duration delay(const Request&) { return {}; }
  virtual Response answer(const Request& request) = 0;
};

struct Endpoint {
  std::string address;     // numeric
  std::uint16_t port = 0;  // 0: a free one
};

struct ServerOptions {
  std::string name = "pollux";                     // the Server header
  std::size_t max_header_bytes = 64u << 10;        // more: 431
  std::size_t max_body_bytes = 1u << 20;           // more: 413, also when only announced
  Duration idle_limit = std::chrono::seconds(60);  // for a whole request to arrive, and to be sent
  std::size_t max_connections = 4096;              // more are closed at once
};

class Server {
 public:
  // Listening on all of them when it returns. Endpoints with port 0 share one free port.
  static Result<std::unique_ptr<Server>> start(const std::vector<Endpoint>& endpoints,
                                               const ServerOptions& options, Handler& handler);
  ~Server();                   // closes every connection
  std::uint16_t port() const;  // of the first endpoint
  std::size_t connections() const;

 private:
  struct State;
  explicit Server(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace pollux::http

// A small HTTP/1.1 server: keep-alive, bounded requests, one thread of its own, on TCP or on a Unix
// socket. The demo site stands on it, and the daemon's API. What is answered is the Handler's; the
// protocol is Boost.Beast's, which nobody else sees.
//
// Everything has a bound: the bytes of a header (431) and of a body (413), of all bodies together
// (503), the time that a request takes to arrive (408) and to be answered (504), the connections,
// and what waits for a reader that is too slow (it is closed).
// Threading: Server from any thread; the handler is called on the server's thread; a Responder and
// a Stream may be used on any thread, also when the server has gone: then nothing happens.
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/base/time.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
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
  // The last of those with this name: what a proxy adds stands behind what a client wrote.
  virtual std::string_view last_header(std::string_view name) const { return header(name); }
  virtual bool has_header(std::string_view name) const = 0;  // it may be empty
  virtual std::string_view body() const = 0;
  virtual std::string_view peer() const = 0;  // its numeric address; empty on a Unix socket
};

struct Response {
  unsigned status = 200;
  std::string content_type = "text/plain; charset=utf-8";  // not sent with a 304
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};
  bool reset = false;  // no answer at all: the connection is reset
};

// An answer that goes on, until one of the two has enough.
class Stream {
 public:
  virtual ~Stream() = default;
  // Behind what was sent before; never waits. Who sends more than ServerOptions::max_waiting_bytes
  // to a reader that does not take it closes the connection: look at waiting() first.
  virtual void send(std::string bytes) = 0;
  virtual std::size_t waiting() const = 0;  // bytes that the reader has not taken yet
  virtual void wake() = 0;                  // has `woken` called soon
  virtual void close() = 0;                 // after what waits
};

// The way to answer one request: once, now or later. One that is dropped without an answer is a
// 503.
class Responder {
 public:
  class Answering {
   public:
    virtual ~Answering() = default;
    virtual void answer(Response response) = 0;
    virtual std::shared_ptr<Stream> stream(Response head, std::function<void()> woken) = 0;
  };
  explicit Responder(std::shared_ptr<Answering> to) : to_(std::move(to)) {}

  void answer(Response response) const { to_->answer(std::move(response)); }
  // Sends the head now, its body first. `woken` is called on the server's thread when all that was
  // sent has been taken, after wake(), and every ServerOptions::stream_tick; it is dropped when the
  // reader has gone. On the server's thread only.
  std::shared_ptr<Stream> stream(Response head, std::function<void()> woken) const {
    return to_->stream(std::move(head), std::move(woken));
  }

 private:
  std::shared_ptr<Answering> to_;
};

class Handler {
 public:
  virtual ~Handler() = default;
  // How long to wait before the answer.
  virtual Duration delay(const Request&) { return {}; }
  // Who can answer at once overrides this one, ...
  virtual Response answer(const Request&) { return {.status = 404}; }
  // ... who cannot, this one.
  virtual void handle(const Request& request, Responder responder) {
    responder.answer(answer(request));
  }
  // What the server itself says of a request: 400, 408, 413, 431, 503 or 504.
  virtual Response refusal(unsigned status) { return {.status = status}; }
};

struct Endpoint {
  std::string address;     // numeric
  std::uint16_t port = 0;  // 0: a free one
};

struct UnixSocket {
  std::string path;
  unsigned mode = 0660;  // who may connect: file modes are all the log-in there is
};
// Bytes that the name of a Unix socket may have.
extern const std::size_t longest_socket_path;

// Files in PEM format: a certificate with those that vouch for it, and its private key.
struct TlsFiles {
  std::string certificate, key;
};

struct ServerOptions {
  std::string name = "pollux";                      // the Server header
  std::size_t max_header_bytes = 64u << 10;         // more: 431
  std::size_t max_body_bytes = 1u << 20;            // more: 413, also when only announced
  std::size_t max_bodies_bytes = 64u << 20;         // of all requests together; more: 503
  std::size_t small_body_bytes = 0;                 // announced bodies up to this one always pass
  Duration idle_limit = std::chrono::seconds(60);   // for a whole request to arrive, and to be sent
  Duration answer_limit = std::chrono::minutes(5);  // for the handler to answer
  std::size_t max_connections = 4096;               // more are closed at once
  std::size_t max_connections_of_one = 4096;        // likewise of one client: see Common::client_of
  std::size_t max_waiting_bytes = 1u << 20;         // in a Stream; more: it is closed
  Duration stream_tick = std::chrono::seconds(15);  // how often a Stream is woken at least
  std::size_t max_streams = 4096;                   // answers that go on; more: 503
  std::vector<std::pair<std::string, std::string>> headers = {};  // of every answer
  std::optional<TlsFiles> tls = {};                               // absent: in the clear
};

class Server {
 public:
  // Listening on all of them when it returns. Endpoints with port 0 share one free port.
  static Result<std::unique_ptr<Server>> start(const std::vector<Endpoint>& endpoints,
                                               const ServerOptions& options, Handler& handler);
  // The socket file of a server that has died is replaced, one that is in use is refused
  // (ExitCode::temporary), and a file that is no socket is never touched. It is removed at the end.
  static Result<std::unique_ptr<Server>> start_unix(const UnixSocket& socket,
                                                    const ServerOptions& options, Handler& handler);
  ~Server();                   // closes every connection
  std::uint16_t port() const;  // of the first endpoint; 0: there is none
  std::size_t connections() const;

 private:
  struct State;
  explicit Server(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace pollux::http

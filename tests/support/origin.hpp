// A small HTTP origin for tests, on a loopback port of its own and a thread of its own, that can
// misbehave in any way a server can. What it does with a request is a script: a coroutine that
// sends bytes, sleeps, resets or closes. Ready-made scripts are in namespace `serve`
// (behaviours.hpp); a new one is a lambda.
//
//   Origin origin;
//   origin.on("/news", serve::page("hello"));
//   origin.on("/odd", [](Exchange& x) -> Step { co_await x.send("HTTP/1.1 200 OK\r\n\r\n?"); });
//   fetch(origin.url("/news"));
//   EXPECT_EQ(origin.requests("/news"), 1u);
//
// Threading: every public function of Origin may be called from any thread. Scripts run on the
// origin's thread, one at a time between two co_awaits.
#pragma once

#include "support/certificate.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/awaitable.hpp>

namespace pollux::test {

using Step = boost::asio::awaitable<void>;
using SteadyTime = std::chrono::steady_clock::time_point;

class Connection;

// One request and the way to answer it.
class Exchange {
 public:
  explicit Exchange(Connection& connection) : connection_(connection) {}

  std::string method;
  std::string target;  // path and query
  std::string path;
  std::map<std::string, std::string> headers;  // names in lower case
  unsigned nth = 0;                            // 1 for the first request to this path

  std::string header(const std::string& lower_case_name) const;
  Step send(std::string bytes);
  Step sleep(std::chrono::milliseconds time);
  // What else the client sends, as it comes; empty when it has gone.
  boost::asio::awaitable<std::string> receive();
  // Waits until the client has gone (or the origin ends).
  Step wait_for_close();
  // A complete, correct response with Content-Length. `fields`: "Name: value\r\n" each.
  Step respond(int status, std::string fields, std::string body);
  void close();        // FIN, after what has been sent; over TLS without a close_notify
  Step say_goodbye();  // the close_notify of TLS, and the client's
  void reset();        // RST
  bool connected() const;

 private:
  Connection& connection_;
};

using Script = std::function<Step(Exchange&)>;

class Origin {
 public:
  struct Options {
    bool tls = false;  // with a certificate made on the spot; see ca_pem()
    CertificateOptions certificate = {};
    bool http2 = false;  // ALPN says h2: the script of the path "*" gets the connection
    std::string address = "127.0.0.1";
    std::uint16_t port = 0;  // 0: a free one
    bool measure_lateness = false;
  };
  Origin() : Origin(Options{}) {}
  explicit Origin(Options options);
  ~Origin();
  Origin(const Origin&) = delete;
  Origin& operator=(const Origin&) = delete;

  // The script for a path, replacing an older one; other paths get a 404.
  void on(const std::string& path, Script script);
  void otherwise(Script script);
  // Runs when a connection is accepted, before any request (and before TLS) is read.
  void on_connect(Script script);

  // For the connections that come after it.
  void use_certificate(const Certificate& certificate);
  void use_tls_1_0_only();

  std::string url(std::string_view path) const;  // on Options::address
  std::string url_at(std::string_view host, std::string_view path) const;
  std::uint16_t port() const;
  std::string ca_pem() const;  // what a client must trust; empty without TLS

  std::size_t requests() const;
  std::size_t requests(const std::string& path) const;
  std::vector<SteadyTime> arrivals() const;
  std::vector<SteadyTime> arrivals(const std::string& path) const;
  std::string last_header(const std::string& path, const std::string& lower_case_name) const;
  std::size_t connections() const;       // accepted so far
  std::size_t open_connections() const;  // now
  std::size_t max_concurrent() const;    // requests being answered at one moment
  // What arrived then may have been here so much earlier, because our own thread was late. Needs
  // Options::measure_lateness.
  std::chrono::milliseconds lateness(SteadyTime from, SteadyTime to) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pollux::test

// Stage 1: one HTTP request, start to end. The only user of libcurl.
//
// Contract: every start() is answered by exactly one on_done(), never from inside start(), at the
// latest `timeout` + 250 ms after it began, whatever the server does. A redirect is not followed:
// it is reported (Response::redirect_to), because every hop costs a poll of the budget, obeys the
// politeness of its own host and passes the address gate. Nothing is queued inside curl: the caller
// admits as many as it wants in flight.
// Threading: everything, callbacks included, on the thread that runs the io_context.
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/base/time.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pollux::fetch {

// The caller's name for a request; unique among those in flight.
enum class Token : std::uint64_t {};

// "Name: value" each; may hold secrets.
using HeaderLines = std::vector<std::string>;

// A way out of this machine: one of interface, address and proxy, the others empty.
struct AccessPoint {
  std::string name;
  std::string interface;    // "eth1"
  std::string address;      // a local one, numeric
  std::string proxy;        // in place of Options::proxy; what is said there holds here too
  std::string proxy_login;  // "user:password", or empty
  bool operator==(const AccessPoint&) const = default;
};

struct Request {
  Token token{};
  std::string url;            // normalised by parse_url
  std::string etag;           // as received, or empty: sent as If-None-Match
  std::string last_modified;  // as received, or empty: sent as If-Modified-Since
  Duration timeout = std::chrono::seconds(20);
  std::uint64_t max_body = 10ull << 20;  // after decompression; one byte more is an error
  std::string user_agent;
  std::optional<std::uint32_t> access_point;  // index into Options::access_points; none: any way
  bool fresh_connection = false;              // no kept one will do: that is what has just failed
  bool cut_body = false;  // a longer body is no error: its first max_body bytes are taken
  std::shared_ptr<const HeaderLines> headers;  // sent as they are, to this URL's host only; or null
  bool wants_modified = false;                 // fill in Response::modified_ago
};

// Why a request has no usable answer. Stable names: they are stored and shown (error_name).
enum class Failure : std::uint8_t {
  none,
  timeout,
  dns,
  connect,
  tls,
  address_refused,  // the gate: private, loopback, link-local … and not allowed
  body_too_large,
  headers_too_large,
  bad_encoding,     // broken gzip and the like
  protocol,         // not HTTP, wrong lengths, bad chunks, HTTP/2 errors
  connection_lost,  // reset, closed early
  cancelled,
  internal
};
std::string_view failure_name(Failure failure);

struct Response {
  Token token{};
  Failure failure = Failure::none;
  std::string failure_text;   // for people; printable
  int status = 0;             // 0 when there was no status line
  std::string etag;           // printable ASCII, at most 1 KiB, else dropped
  std::string last_modified;  // same rule
  // From Last-Modified to the answer's own Date (or to now), of a 2xx; only when asked for.
  std::optional<Duration> modified_ago = {};
  std::string redirect_to;              // absolute target of a 3xx with Location, not yet checked
  std::optional<Duration> retry_after;  // delay asked for (429, 503), clamped 1 s … 24 h
  std::optional<Duration> fresh_for;    // as the cache headers of a 2xx or 304 say
  std::string body;                     // the last piece of the body (all of it when it is small)
  std::uint64_t body_bytes = 0;         // decompressed, whole body
  Duration elapsed{};
  // The part of it after the connection (TLS included) was ready: what a poll takes wherever the
  // connection came from. Zero when there was none.
  Duration exchange{};
  bool new_connection = false;
  // The request was first sent on a kept connection. A failure with it and status 0 may only mean
  // that the server had closed the connection meanwhile: new_connection does not tell, because curl
  // may have opened another one before the second sending was refused.
  bool reused_connection = false;
};

// Receives what a Fetcher produces.
class Handler {
 public:
  enum class Flow { go_on, pause };
  virtual ~Handler() = default;
  // A piece of a large body (bodies up to Options::piece_bytes come whole, in the Response). Only
  // 2xx bodies are delivered. `pause` stops this transfer until resume(token); the piece has been
  // taken.
  virtual Flow on_piece(Token token, std::string piece) = 0;
  virtual void on_done(Response response) = 0;
  // The answer to a Fetcher::resolved() that said false.
  virtual void on_resolved(Token token) = 0;
};

class Fetcher {
 public:
  virtual ~Fetcher() = default;
  // True when start() by this access point would send at once: the host to connect to (the proxy,
  // where there is one: that looks the page's name up) is numeric or its address is known (perhaps
  // a little old, while a fresh lookup runs). Otherwise a lookup begins (or is joined) and
  // Handler::on_resolved(token) follows exactly once, whatever it brings (also when the fetcher
  // gives up on it, after 10 s), never from inside this call; a start() right after that sends at
  // once or fails at once with Failure::dns. Not counted by in_flight(), not ended by cancel_all().
  virtual bool resolved(const std::string& url, Token token,
                        std::optional<std::uint32_t> access_point) = 0;
  // Without resolved() before, it waits for the lookup itself.
  virtual void start(Request request) = 0;
  virtual void resume(Token token) = 0;  // no effect when it is not paused
  virtual void cancel_all() = 0;         // each one still gets its on_done(cancelled)
  virtual std::size_t in_flight() const = 0;
  // In place of Options::access_points, for requests from now on. An index that was in use keeps
  // its meaning: entries may be added at the end, none may change.
  virtual void set_access_points(std::vector<AccessPoint> points) = 0;
};

struct Options {
  std::vector<std::string> allow;  // CIDRs exempt from the address gate
  Duration connect_timeout = std::chrono::seconds(10);
  std::size_t piece_bytes = 64u << 10;  // larger bodies are delivered in pieces of this size
  std::size_t max_header_bytes = 64u << 10;
  std::size_t max_idle_connections = 256;
  std::string ca_file;  // empty: the system's bundle
  bool http2 = true;
  // "http://host:port", "https://…" or "socks5h://…"; empty: none, whatever the environment says.
  // The proxy looks names up and connects, so the gate sees only addresses written in URLs.
  std::string proxy;
  std::string proxy_login;  // "user:password", or empty
  // A connection made through one of them is never used for another.
  std::vector<AccessPoint> access_points;
  bool operator==(const Options&) const = default;
};

// The proxy of this access point, or the one for everything; empty: none.
const std::string& proxy_for(const Options& options, std::optional<std::uint32_t> access_point);

}  // namespace pollux::fetch

// One HTTP request, start to end. The only user of libcurl.
//
// A request has two steps. start() prepares: name, connection, TLS. Then the handler hears
// on_ready(token), and nothing of the request leaves before send(token): that is the moment at
// which a server is asked, and at which the budget and the politeness of its host must agree. Every
// start() is answered by exactly one on_done(), never from inside start(), send() or cancel(): at
// the latest `timeout` + 250 ms after it began, the time between on_ready and send left out,
// whatever the server does. A redirect is not followed: it is reported (Response::redirect_to),
// because every hop is a request of its own, obeys the politeness of its own host and passes the
// address gate. Nothing is queued here: the caller admits as many as it wants in flight.
//
// Bodies come within the credit that the caller grants, so that a slow reader is never flooded;
// what time a body waits for credit its time-out rests, for Options::longest_rest at most. curl
// stands behind one implementation; nothing here is curl's, so that a remote agent can be another
// one. Threading: everything, callbacks included, on one thread.
#pragma once

#include "pollux/base/byte_room.hpp"
#include "pollux/base/result.hpp"
#include "pollux/base/time.hpp"

#include <array>
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

// An access point, as long as the process lives: see Fetcher::set_access_points. The n-th entry of
// the list has the id n.
enum class AccessPointId : std::uint32_t {};

// "Name: value" each; may hold secrets.
using HeaderLines = std::vector<std::string>;

// A cookie each, as in Netscape's cookie file; secrets.
using CookieLines = std::vector<std::string>;

// What requests leave by: one of interface, address, proxy and agent, the others empty.
struct AccessPoint {
  std::string name;
  std::string interface;    // "eth1"
  std::string address;      // a local one, numeric
  std::string proxy;        // in place of Options::proxy; what is said there holds here too
  std::string proxy_login;  // "user:password", or empty
  std::string agent = {};   // on another machine, which fetches in our place: see Router
  bool operator==(const AccessPoint&) const = default;
};

// For whoever fetches far away: what of the body is wanted here, so that only what is news travels.
struct Remote {
  enum class Wish : std::uint8_t {
    hash,     // nothing but its SHA-256
    content,  // what `rules` keep of it: Response::extracted
    bytes     // all of it
  };
  using Hash = std::array<std::uint8_t, 32>;
  Wish wish = Wish::hash;
  std::string rules;                  // with Wish::content; packed by whoever understands them
  std::optional<Hash> known_body;     // bytes that are known are not sent
  std::optional<Hash> known_content;  // likewise what is kept of them
  bool wants_whole = false;           // also what would be kept without rules
};

struct Request {
  Token token{};
  std::string url;  // normalised by parse_url
  std::string method = "GET";
  std::string body;           // sent with it; its Content-Type is one of `headers`
  std::string etag;           // as received, or empty: sent as If-None-Match
  std::string last_modified;  // as received, or empty: sent as If-Modified-Since
  Duration timeout = std::chrono::seconds(20);
  std::uint64_t max_body = 10ull << 20;  // after decompression; one byte more is an error
  std::string user_agent;
  std::optional<AccessPointId> access_point;  // none: by Options::proxy, or as the system routes
  bool fresh_connection = false;              // no kept one will do: that is what has just failed
  bool send_when_ready = false;  // as if send() were called from on_ready(), which is not called
  bool cut_body = false;         // a longer body is no error: its first max_body bytes are taken
  bool render = false;           // its scripts are to run: for a browser (render), not for curl
  // What it counts for wherever requests per second are paced, in ordinary ones; 1 or more.
  std::uint32_t price = 1;
  // Who hashes the body counts it there and gives it back, too (see Response::kept_body); null:
  // not.
  std::shared_ptr<ByteRoom> keep_in = {};
  std::shared_ptr<const HeaderLines> headers;  // sent as they are, to this URL's host only; or null
  std::optional<CookieLines> cookies = {};     // a jar; sent as far as they are for this URL
  bool wants_modified = false;                 // fill in Response::modified_ago
  std::size_t credit = 64u << 10;              // bytes of pieces that may come before grant()
  std::shared_ptr<const Remote> remote = {};   // where the access point is an agent; or null
};

inline bool is_success(int status) {
  return status >= 200 && status < 300;
}

// Why a request has no usable answer. Stable names: they are stored and shown (failure_name).
enum class Failure : std::uint8_t {
  none,
  timeout,
  dns,
  connect,
  tls,
  address_refused,  // the gate: private, loopback, link-local …, or a bad port; and not allowed
  body_too_large,
  headers_too_large,
  bad_encoding,     // broken gzip and the like
  protocol,         // not HTTP, wrong lengths, bad chunks, HTTP/2 errors
  connection_lost,  // reset, closed early
  rendering,        // what its scripts did: the page crashed, or wanted more than it may
  cancelled,
  internal,
  agent  // it was lost, or could not ask: that says nothing of the page, nor of its host
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
  std::string content_type;             // as received: printable, at most 1 KiB, else dropped
  std::string challenge;                // cf-mitigated or x-amzn-waf-action, likewise
  std::string final_url;                // the URL that gave this answer
  std::string redirect_to;              // absolute target of a 3xx with Location, not yet checked
  std::optional<Duration> retry_after;  // delay asked for (429, 503), clamped 1 s … 24 h
  std::optional<Duration> fresh_for;    // as the cache headers of a 2xx or 304 say
  std::string body;                     // the last piece of the body (all of it when it is small)
  std::uint64_t body_bytes = 0;         // decompressed, whole body
  // In the clear, without a length of any kind: where the connection ended, the body did. It may
  // have been cut short, and nothing tells. (Over TLS an end without a word is a failure.)
  bool until_close = false;
  // SHA-256 of the body, where whoever fetched has hashed it: then no piece came, `body` is empty,
  // and the whole one is here if it was to be kept.
  std::optional<std::array<std::uint8_t, 32>> body_hash = {};
  std::shared_ptr<CountedBytes> kept_body = {};
  // `kept_body` is not the body but what was kept of it far away (Remote::Wish::content), packed.
  // Null while bytes were wanted: they are the known ones.
  bool extracted = false;
  bool sent = true;          // false with Failure::agent: no request has left
  CookieLines cookies = {};  // the jar with what the answer set; only where the request had one
  // How long its body waited for credit. A server may lose patience meanwhile.
  Duration rested{};
  Duration elapsed{};  // from send() (or, if it never came to that, from start()) to the end
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
  virtual ~Handler() = default;
  // The connection is there: send() may be called, also from inside this call. Not called when the
  // preparation fails (then on_done() is) nor for Request::send_when_ready.
  virtual void on_ready(Token token) = 0;
  // A piece of a large body (bodies up to Options::piece_bytes come whole, in the Response). Only
  // 2xx bodies are delivered. Its size comes off the credit; when that is used up the transfer
  // rests until grant() and takes in no more than a connection's buffers hold.
  virtual void on_piece(Token token, std::string piece) = 0;
  virtual void on_done(Response response) = 0;
};

class Fetcher {
 public:
  virtual ~Fetcher() = default;
  virtual void start(Request request) = 0;
  // After on_ready(), once: the request leaves.
  virtual void send(Token token) = 0;
  // More of the body may come. No effect on a token that is not in flight.
  virtual void grant(Token token, std::size_t bytes) = 0;
  virtual void cancel(Token token) = 0;  // its on_done(cancelled) follows
  virtual void cancel_all() = 0;         // each one still gets its on_done(cancelled)
  virtual std::size_t in_flight() const = 0;
  // In place of Options::access_points, for requests from now on. An id that was in use keeps its
  // meaning: entries may be added at the end, none may change.
  virtual void set_access_points(std::vector<AccessPoint> points) = 0;
};

struct Options {
  std::vector<std::string> allow;          // CIDRs exempt from the address gate
  std::vector<std::uint16_t> allow_ports;  // exempt from the list of bad ports
  Duration connect_timeout = std::chrono::seconds(10);
  Duration longest_rest = std::chrono::minutes(5);
  std::size_t piece_bytes = 64u << 10;  // larger bodies are delivered in pieces of this size
  std::size_t max_header_bytes = 64u << 10;
  std::size_t max_idle_connections = 256;
  std::size_t name_threads = 128;  // that may look names up; those that hang included
  std::string ca_file;             // empty: the system's bundle
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
const std::string& proxy_for(const Options& options, std::optional<AccessPointId> access_point);

}  // namespace pollux::fetch

#include "fetch/transfer.hpp"

#include "fetch/cookies.hpp"
#include "fetch/describe.hpp"
#include "fetch/failure.hpp"
#include "fetch/multi_driver.hpp"
#include "pollux/base/text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

namespace pollux::fetch {
namespace {

// An unwanted body is read to its end to keep the connection; beyond this a new one is cheaper.
constexpr std::size_t max_unwanted = 64u << 10;

std::string address_text(const sockaddr& address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address.sa_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &address, sizeof v4);
    inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
  } else if (address.sa_family == AF_INET6) {
    sockaddr_in6 v6{};
    std::memcpy(&v6, &address, sizeof v6);
    inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof text);
  }
  return text;
}

bool is_method(std::string_view method) {
  return !method.empty() &&
         std::all_of(method.begin(), method.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

}  // namespace

Transfer::Transfer(TransferEnvironment& environment)
    : easy(curl_easy_init()), environment_(environment) {
  if (easy == nullptr || !url_) throw std::bad_alloc();
}

Transfer::~Transfer() {
  curl_easy_cleanup(easy);
  release_lists();
}

void Transfer::accept(Request&& new_request, TimePoint now) {
  request = std::move(new_request);
  origin = origin_of(request.url);
  proxy_origin_ = origin_of(proxy());
  lookup = proxy_origin_.empty() ? origin : proxy_origin_;
  started_ = sent_at_ = now;
  ready_at_ = {};
  rests_since_.reset();
  rested_ = {};
  stage = Stage::queued;
  may_send = request.send_when_ready;
  paused_by_curl = cancelled = known = in_line = false;
  opened_socket_ = opened_any_socket_ = false;
  wants_body_ = enough_ = conditional_ = reused_connection_ = request_sent_ = false;
  unwanted_bytes_ = 0;
  held_socket_ = CURL_SOCKET_BAD;
  failure_ = Failure::none;
  failure_text_.clear();
  name_error.clear();
  error_text_[0] = '\0';
  headers_.reset(environment_.options.max_header_bytes);
  body.begin(request, environment_.options.piece_bytes, environment_.body_quota);
}

Duration Transfer::time_left(Duration limit, TimePoint now) const {
  const auto used = std::chrono::duration_cast<Duration>(now - started_);
  return std::max(Duration::zero(), limit - used);
}

bool Transfer::is_late(TimePoint now) const {
  switch (stage) {
    case Stage::held:
    case Stage::parking:
    case Stage::parked:
      return false;
    case Stage::waiting_for_name:
      return time_left(std::min(request.timeout, environment_.options.connect_timeout), now) ==
             Duration::zero();
    default:
      if (rests_since_) return rested_ + (now - *rests_since_) >= environment_.options.longest_rest;
      return time_left(request.timeout, now) == Duration::zero();
  }
}

bool Transfer::prepare(curl_slist* name_list, TimePoint now) {
  release_lists();
  names = name_list;
  if (!is_method(request.method)) return false;
  // Nothing may go from one host to another; for the same host everything that varies is set anew
  // anyway, and starting from zero costs a tenth of a small request.
  const bool get = request.method == "GET" && request.body.empty();
  if (origin != prepared_for_ || request.access_point != prepared_access_point_ || !get ||
      !prepared_for_get_) {
    prepared_for_ = origin;
    prepared_access_point_ = request.access_point;
    prepared_for_get_ = get;
    url_parsed_ = false;
    curl_easy_reset(easy);
    set_constant_options();
    if (!get) set_method();
  }
  opened_socket_ = false;
  set_request_options(now);
  return true;
}

void Transfer::become_known() {
  if (!std::exchange(known, true)) environment_.heard_of.emplace(request.token, this);
}

CURLcode Transfer::tls_callback(CURL*, void* context, void* self) {
  auto& transfer = *static_cast<Transfer*>(self);
  // A limit only on the lowest layer: what a proxy's TLS has already taken from the kernel would
  // not be announced again.
  MultiDriver& driver = transfer.environment_.driver;
  TurnQuota& quota = transfer.tls_layers_++ == 0 ? driver.quota() : driver.no_quota();
  quota.put_on(static_cast<SSL_CTX*>(context));
  return CURLE_OK;
}

std::size_t Transfer::header_callback(char* data, std::size_t, std::size_t size, void* self) {
  auto& transfer = *static_cast<Transfer*>(self);
  transfer.environment_.driver.note_content(size);
  return transfer.take_header({data, size}) ? size : 0;
}

bool Transfer::take_header(std::string_view line) {
  const bool was_complete = headers_.complete();
  switch (headers_.add(line)) {
    case HeaderFields::Verdict::too_large:
      return fail(Failure::headers_too_large, "the headers are larger than the limit");
    case HeaderFields::Verdict::malformed:
      return fail(Failure::protocol, "the headers contradict each other or hold control bytes");
    case HeaderFields::Verdict::ok:
      break;
  }
  if (was_complete || !headers_.complete()) return true;
  wants_body_ = is_success(headers_.status());
  if (headers_.chunked()) {
    chunk_heads_.begin(find_socket());
    curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
  }
  if (headers_.status() == 304 && !conditional_) {
    return fail(Failure::protocol, "304 to a request that was not conditional");
  }
  if (wants_body_ && headers_.encoding() == HeaderFields::Encoding::unsupported) {
    return fail(Failure::bad_encoding, "the body has an encoding that was not asked for");
  }
  if (wants_body_ && headers_.encoding() == HeaderFields::Encoding::gzip) body.expect_gzip();
  if (wants_body_ && headers_.content_length()) {
    if (*headers_.content_length() > request.max_body && !request.cut_body) {
      return fail(Failure::body_too_large, "the announced length is larger than max_body");
    }
    body.expect_length(*headers_.content_length());
  }
  return true;
}

// curl tells the socket itself only of connections that it has handed over for good.
curl_socket_t Transfer::find_socket() const {
  char *local_address = nullptr, *peer_address = nullptr;
  long local_port = 0, peer_port = 0;
  curl_easy_getinfo(easy, CURLINFO_LOCAL_IP, &local_address);
  curl_easy_getinfo(easy, CURLINFO_PRIMARY_IP, &peer_address);
  curl_easy_getinfo(easy, CURLINFO_LOCAL_PORT, &local_port);
  curl_easy_getinfo(easy, CURLINFO_PRIMARY_PORT, &peer_port);
  if (local_address == nullptr || peer_address == nullptr) return CURL_SOCKET_BAD;
  return environment_.driver.find_socket(
      {local_address, peer_address, static_cast<int>(local_port), static_cast<int>(peer_port)});
}

// Whenever curl has read from a connection, while a body comes in chunks.
int Transfer::progress_callback(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  auto& transfer = *static_cast<Transfer*>(self);
  if (!transfer.chunk_heads_.are_a_flood(std::chrono::steady_clock::now())) return 0;
  transfer.fail(Failure::protocol, "the body is lost among the heads of its chunks");
  return 1;
}

std::size_t Transfer::body_callback(char* data, std::size_t, std::size_t size, void* self) {
  return static_cast<Transfer*>(self)->take_body({data, size});
}

std::size_t Transfer::take_body(std::string_view data) {
  if (body.held_back() || !body.may_take()) {
    paused_by_curl = true;
    if (body.waits_for_turn()) {
      become_known();
      go_on_later();
    }
    return CURL_WRITEFUNC_PAUSE;
  }
  environment_.driver.note_content(data.size());
  chunk_heads_.note_content(data.size());
  if (!wants_body_) {
    unwanted_bytes_ += data.size();
    enough_ = unwanted_bytes_ > max_unwanted;
    return enough_ ? 0 : data.size();
  }
  environment_.speaking = this;
  const Body::Verdict verdict = body.take(data, environment_.handler);
  environment_.speaking = nullptr;
  if (body.in_pieces() || body.held_back()) become_known();
  if (body.waits_for_turn()) go_on_later();
  rest_without_credit();
  return accept_verdict(verdict) ? data.size() : 0;
}

void Transfer::rest_without_credit() {
  if (rests_since_ || !body.held_back() || body.waits_for_turn()) return;
  rests_since_ = std::chrono::steady_clock::now();
}

void Transfer::grant(std::size_t bytes) {
  body.grant(bytes);
  if (!rests_since_) return;
  const auto rested = std::chrono::steady_clock::now() - *std::exchange(rests_since_, {});
  started_ += rested;
  rested_ += std::chrono::duration_cast<Duration>(rested);
}

bool Transfer::go_on() {
  environment_.speaking = this;
  const Body::Verdict verdict = body.go_on(environment_.handler);
  environment_.speaking = nullptr;
  if (body.waits_for_turn()) go_on_later();
  rest_without_credit();
  return accept_verdict(verdict);
}

void Transfer::go_on_later() {
  if (!std::exchange(in_line, true)) environment_.may_go_on.push_back(request.token);
}

bool Transfer::accept_verdict(Body::Verdict verdict) {
  switch (verdict) {
    case Body::Verdict::ok:
      return true;
    case Body::Verdict::enough:
      enough_ = true;
      return false;
    case Body::Verdict::too_large:
      return fail(Failure::body_too_large, "the body is larger than max_body");
    case Body::Verdict::unfolds_too_much:
      return fail(Failure::body_too_large,
                  "the compressed body unfolds to more than 250 times its size");
    case Body::Verdict::damaged:
      return fail(Failure::bad_encoding, "the compressed body is damaged");
  }
  return false;
}

curl_socket_t Transfer::socket_callback(void* self, curlsocktype, curl_sockaddr* address) {
  return static_cast<Transfer*>(self)->open_socket(*address);
}

curl_socket_t Transfer::open_socket(const curl_sockaddr& address) {
  const bool by_proxy = !proxy().empty();  // chosen by the user, wherever it is
  if (!by_proxy && !environment_.gate.permits(address.addr)) {
    fail(Failure::address_refused, "the address " + address_text(address.addr) +
                                       " is not public; network.allow can permit it");
    return CURL_SOCKET_BAD;
  }
  const curl_socket_t fd = environment_.driver.open_socket(address);
  if (fd != CURL_SOCKET_BAD) {
    opened_socket_ = opened_any_socket_ = true;
    tls_layers_ = 0;
  } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
    fail(Failure::internal, "no descriptor left for a connection; raise LimitNOFILE");
  }
  return fd;
}

// curl repeats a request by itself when a kept connection turns out dead. That second request would
// be a poll nobody counted, so it is refused here and reported.
int Transfer::request_callback(void* self, char* peer_address, char* local_address, int peer_port,
                               int local_port) {
  auto& transfer = *static_cast<Transfer*>(self);
  const ConnectionEnds ends{local_address, peer_address, local_port, peer_port};
  // HTTP/2 may say something at any time, and tells whom it answers.
  const bool stale = !transfer.opened_socket_ && transfer.environment_.driver.is_stale(ends) &&
                     !transfer.is_multiplexed();
  if (transfer.stage == Stage::preparing && !stale) {
    transfer.on_connection(ends);
    return CURL_PREREQFUNC_OK;
  }
  if (stale) transfer.reused_connection_ = true;
  transfer.fail(Failure::connection_lost,
                stale ? "the server had answered on the kept connection before it was asked"
                : transfer.reused_connection_ ? "the server had closed the kept connection"
                                              : "the server asked for a retry");
  return CURL_PREREQFUNC_ABORT;
}

// Name, connection, tunnel and TLS are there, and curl is about to write the request.
void Transfer::on_connection(const ConnectionEnds& ends) {
  reused_connection_ = !opened_socket_;
  if (!may_send) {
    environment_.speaking = this;
    environment_.handler.on_ready(request.token);
    environment_.speaking = nullptr;
  }
  left_at_ = std::chrono::steady_clock::now();
  if (!may_send) {
    hold(ends);
    return;
  }
  if (ready_at_ == TimePoint{}) sent_at_ = left_at_;
  stage = Stage::sent;
  request_sent_ = true;
}

// A connection of HTTP/1 is the request's own and is held as it is. One of HTTP/2 carries others,
// too: the request lets go of it and comes back when it may be sent. CONNECT_ONLY, set at this
// moment, makes curl stop before the request and keep the connection; PREREQFUNCTION could only
// abort, and that would close it.
void Transfer::hold(const ConnectionEnds& ends) {
  ready_at_ = left_at_;
  become_known();
  if (!is_multiplexed()) {
    held_socket_ = environment_.driver.find_socket(ends);
    if (held_socket_ != CURL_SOCKET_BAD && environment_.driver.hold(held_socket_)) {
      stage = Stage::held;
      curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 0L);
      return;
    }
  }
  stage = Stage::parking;
  curl_easy_setopt(easy, CURLOPT_CONNECT_ONLY, 1L);
}

bool Transfer::is_multiplexed() const {
  const curl_tlssessioninfo* tls = nullptr;
  if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &tls) != CURLE_OK || tls == nullptr ||
      tls->internals == nullptr) {
    return false;
  }
  const unsigned char* protocol = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(static_cast<const SSL*>(tls->internals), &protocol, &size);
  return std::string_view(reinterpret_cast<const char*>(protocol), size) == "h2";
}

bool Transfer::let_go(TimePoint now) {
  if (may_send) return false;
  may_send = true;
  sent_at_ = now;
  started_ += now - ready_at_;
  if (stage != Stage::held) return stage == Stage::parked;
  left_at_ = now;
  stage = Stage::sent;
  request_sent_ = true;
  set_low_speed_limit();
  environment_.driver.release(held_socket_);
  return false;
}

// Always false, for the callbacks: the first reason counts.
bool Transfer::fail(Failure failure, std::string text) {
  if (failure_ == Failure::none) {
    failure_ = failure;
    failure_text_ = std::move(text);
  }
  return false;
}

bool Transfer::is_over(CURLcode code) const {
  return (code != CURLE_OK && !enough_) || !body.held_back();
}

Response Transfer::finish(CURLcode code, TimePoint now) {
  if (enough_) return answer(Failure::none, {}, now);
  // Another address of the same name was tried after one had been refused.
  const bool refused_first = failure_ == Failure::address_refused && opened_any_socket_;
  if (failure_ != Failure::none && !refused_first) return answer(failure_, failure_text_, now);
  if (code == CURLE_OK && body.cut_short()) {
    return answer(Failure::bad_encoding, "the compressed body ends too early", now);
  }
  if (code == CURLE_OK) return answer(Failure::none, {}, now);
  // How curl 7.88 reports one header line beyond its own limit.
  if (code == CURLE_OUT_OF_MEMORY && request_sent_ && !headers_.complete()) {
    return answer(Failure::headers_too_large, "a header line is larger than the limit", now);
  }
  // How curl 7.88 reports a GOAWAY that leaves the request undone. On a new connection it may be
  // anything.
  if (code == CURLE_HTTP2 && reused_connection_ && headers_.status() == 0) {
    return answer(Failure::connection_lost, "the server had closed the kept connection", now);
  }
  const std::string_view text = error_text_[0] != '\0' ? error_text_ : curl_easy_strerror(code);
  return answer(classify(code, text), text, now);
}

Response Transfer::finish(Failure failure, std::string_view text, TimePoint now) {
  return answer(failure, text, now);
}

Response Transfer::answer(Failure failure, std::string_view text, TimePoint now) {
  Response response;
  response.token = request.token;
  response.failure = failure;
  if (!text.empty()) response.failure_text = printable(text);
  if (rests_since_)
    rested_ += std::chrono::duration_cast<Duration>(now - *std::exchange(rests_since_, {}));
  response.rested = rested_;
  response.elapsed = std::chrono::duration_cast<Duration>(now - sent_at_) - rested_;
  if (request_sent_)
    response.exchange = std::chrono::duration_cast<Duration>(now - left_at_) - rested_;
  response.status = headers_.status();
  if (headers_.complete()) describe(response);
  if (wants_body_) {
    response.body_bytes = body.bytes();
    response.until_close =
        headers_.until_close() && !origin.starts_with("https:") && !body.has_own_end();
    if (failure == Failure::none) response.body = std::move(body.last_piece());
  }
  body.drop();
  // Without an answer the handle may not even have been prepared: its jar would be another's.
  if (request.cookies)
    response.cookies = headers_.complete() ? cookies_of(easy) : std::move(*request.cookies);
  response.reused_connection = reused_connection_;
  response.new_connection = opened_any_socket_;
  return response;
}

void Transfer::describe(Response& response) {
  fetch::describe(headers_, request, response);
}

}  // namespace pollux::fetch

#include "fetch/transfer.hpp"

#include "fetch/failure.hpp"
#include "fetch/multi_driver.hpp"
#include "fetch/names.hpp"
#include "pollux/base/text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace pollux::fetch {
namespace {

constexpr std::size_t max_reserve = 64u << 10;
// An unwanted body is read to its end to keep the connection; beyond this a new one is cheaper.
constexpr std::size_t max_unwanted = 64u << 10;
// No real page beyond this size is compressed this well.
constexpr std::uint64_t largest_unfolding = 1u << 20;
constexpr std::uint64_t most_unfolding = 250;
constexpr long low_speed_seconds = 30;
constexpr long low_speed_bytes = 10;

const AccessPoint* find_access_point(const Options& options, std::optional<std::uint32_t> index) {
  const auto& known = options.access_points;
  return index && *index < known.size() ? &known[*index] : nullptr;
}

long milliseconds(Duration duration) {
  const auto ms = std::chrono::ceil<std::chrono::milliseconds>(duration).count();
  return static_cast<long>(std::clamp<std::int64_t>(ms, 1, 24ll * 3600 * 1000));
}

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

std::string absolute_target(const std::string& base, const std::string& location) {
  const std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> url(curl_url(), curl_url_cleanup);
  constexpr unsigned flags = CURLU_URLENCODE | CURLU_NON_SUPPORT_SCHEME;
  if (!url || curl_url_set(url.get(), CURLUPART_URL, base.c_str(), 0) != CURLUE_OK ||
      curl_url_set(url.get(), CURLUPART_URL, location.c_str(), flags) != CURLUE_OK) {
    return {};
  }
  char* text = nullptr;
  if (curl_url_get(url.get(), CURLUPART_URL, &text, 0) != CURLUE_OK) return {};
  std::string target = text;
  curl_free(text);
  return target;
}

std::int64_t unix_seconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

const std::string& proxy_for(const Options& options, std::optional<std::uint32_t> access_point) {
  const AccessPoint* const way = find_access_point(options, access_point);
  return way != nullptr && !way->proxy.empty() ? way->proxy : options.proxy;
}

Transfer::Transfer(TransferEnvironment& environment)
    : easy(curl_easy_init()), environment_(environment) {
  if (easy == nullptr) throw std::bad_alloc();
}

Transfer::~Transfer() {
  curl_easy_cleanup(easy);
  release_lists();
}

void Transfer::release_lists() {
  curl_slist_free_all(std::exchange(request_headers_, nullptr));
  curl_slist_free_all(std::exchange(names, nullptr));
}

void Transfer::accept(Request new_request, TimePoint now) {
  request = std::move(new_request);
  origin = origin_of(request.url);
  lookup = proxy().empty() ? origin : origin_of(proxy());
  started = now;
  stage = Stage::queued;
  paused = held_by_curl = cancelled = socket_opened = false;
  body_started_ = wants_body_ = enough_ = conditional_ = reused_connection_ = false;
  body_bytes_ = encoded_bytes_ = 0;
  requests_sent_ = 0;
  failure_ = Failure::none;
  failure_text_.clear();
  name_error.clear();
  error_text_[0] = '\0';
  headers_.reset(environment_.options.max_header_bytes);
}

Duration Transfer::time_left(Duration limit, TimePoint now) const {
  const auto used = std::chrono::duration_cast<Duration>(now - started);
  return std::max(Duration::zero(), limit - used);
}

void Transfer::prepare(curl_slist* name_list, TimePoint now) {
  release_lists();
  names = name_list;
  // Nothing may go from one host to another; for the same host everything that varies is set anew
  // anyway, and starting from zero costs a tenth of a small request.
  if (origin != prepared_for_ || request.access_point != prepared_access_point_) {
    prepared_for_ = origin;
    prepared_access_point_ = request.access_point;
    curl_easy_reset(easy);
    set_constant_options();
  }
  set_request_options(now);
}

void Transfer::set_constant_options() {
  const Options& options = environment_.options;
  curl_easy_setopt(easy, CURLOPT_PRIVATE, this);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, error_text_);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &Transfer::body_callback);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, this);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &Transfer::header_callback);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, &Transfer::socket_callback);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, this);
  curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, &MultiDriver::close_socket);
  curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, &environment_.driver);
  curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, &Transfer::tls_callback);
  curl_easy_setopt(easy, CURLOPT_SSL_CTX_DATA, this);
  curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, &Transfer::request_callback);
  curl_easy_setopt(easy, CURLOPT_PREREQDATA, this);
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
  curl_easy_setopt(easy, CURLOPT_DNS_CACHE_TIMEOUT, -1L);
  set_way_out();
  curl_easy_setopt(easy, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  curl_easy_setopt(easy, CURLOPT_CAPATH, nullptr);
  curl_easy_setopt(easy, CURLOPT_CAINFO, options.ca_file.c_str());
  curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "gzip");
  curl_easy_setopt(easy, CURLOPT_HTTP_CONTENT_DECODING, 0L);
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION,
                   options.http2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1);
  curl_easy_setopt(easy, CURLOPT_MAXLIFETIME_CONN, static_cast<long>(connection_lifetime.count()));
}

const AccessPoint* Transfer::access_point() const {
  return find_access_point(environment_.options, request.access_point);
}

const std::string& Transfer::proxy() const {
  return proxy_for(environment_.options, request.access_point);
}

// curl uses a connection again only for the same proxy and the same local end. A request that names
// no local end could be given any connection, but every access point names one of the two; and
// after the last of them was removed such a request makes its own until the kept ones are gone.
void Transfer::set_way_out() {
  curl_easy_setopt(easy, CURLOPT_PROXY, proxy().c_str());
  if (!proxy().empty()) set_proxy_options();
  const AccessPoint* const way = access_point();
  if (way == nullptr) return;
  std::string local;
  if (!way->interface.empty()) local = "if!" + way->interface;
  if (!way->address.empty()) local = "host!" + way->address;
  if (!local.empty()) curl_easy_setopt(easy, CURLOPT_INTERFACE, local.c_str());
}

void Transfer::set_proxy_options() {
  const Options& options = environment_.options;
  const AccessPoint* const way = access_point();
  const bool own = way != nullptr && !way->proxy.empty();
  const std::string& login = own ? way->proxy_login : options.proxy_login;
  curl_easy_setopt(easy, CURLOPT_NOPROXY, "");  // the environment has no say
  curl_easy_setopt(easy, CURLOPT_PROXY_CAPATH, nullptr);
  curl_easy_setopt(easy, CURLOPT_PROXY_CAINFO, options.ca_file.c_str());
  curl_easy_setopt(easy, CURLOPT_PROXYAUTH, static_cast<long>(CURLAUTH_BASIC));
  // What is meant for the page is not told to the proxy.
  curl_easy_setopt(easy, CURLOPT_HEADEROPT, static_cast<long>(CURLHEADER_SEPARATE));
  // Answers to CONNECT are none of the server's.
  curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  if (!login.empty()) curl_easy_setopt(easy, CURLOPT_PROXYUSERPWD, login.c_str());
}

void Transfer::set_request_options(TimePoint now) {
  curl_easy_setopt(easy, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(easy, CURLOPT_USERAGENT,
                   request.user_agent.empty() ? nullptr : request.user_agent.c_str());
  const long total = milliseconds(time_left(request.timeout, now));
  const Duration connect = std::min(environment_.options.connect_timeout, request.timeout);
  const bool any_would_do = access_point() == nullptr && now < environment_.strays_until;
  curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, request.fresh_connection || any_would_do ? 1L : 0L);
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, total);
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, milliseconds(time_left(connect, now)));
  // The check costs a timer a second: only where it can fire before the total time-out.
  const bool watch_speed = total > low_speed_seconds * 1000;
  curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, watch_speed ? low_speed_bytes : 0L);
  curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, watch_speed ? low_speed_seconds : 0L);
  add_header("If-None-Match: ", request.etag);
  add_header("If-Modified-Since: ", request.last_modified);
  if (request.headers) {
    for (const std::string& line : *request.headers) {
      request_headers_ = curl_slist_append(request_headers_, line.c_str());
    }
  }
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, request_headers_);
  curl_easy_setopt(easy, CURLOPT_RESOLVE, names);
}

void Transfer::add_header(std::string_view name, std::string_view value) {
  if (!is_clean_validator(value)) return;
  header_line_.assign(name).append(value);
  request_headers_ = curl_slist_append(request_headers_, header_line_.c_str());
  conditional_ = true;
}

CURLcode Transfer::tls_callback(CURL*, void* context, void* self) {
  auto& transfer = *static_cast<Transfer*>(self);
  // Only on the lowest layer: what a proxy's TLS has already taken from the kernel would not be
  // announced again.
  if (transfer.tls_layers_++ == 0) {
    transfer.environment_.driver.quota().put_on(static_cast<SSL_CTX*>(context));
  }
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
  wants_body_ = headers_.status() >= 200 && headers_.status() < 300;
  if (headers_.status() == 304 && !conditional_) {
    return fail(Failure::protocol, "304 to a request that was not conditional");
  }
  if (wants_body_ && headers_.encoding() == HeaderFields::Encoding::unsupported) {
    return fail(Failure::bad_encoding, "the body has an encoding that was not asked for");
  }
  if (wants_body_ && headers_.encoding() == HeaderFields::Encoding::gzip) {
    inflater_ = std::make_unique<Inflater>();
  }
  if (wants_body_ && headers_.content_length()) {
    if (*headers_.content_length() > request.max_body && !request.cut_body) {
      return fail(Failure::body_too_large, "the announced length is larger than max_body");
    }
    body_.reserve(std::min<std::uint64_t>(*headers_.content_length(), max_reserve));
  }
  return true;
}

std::size_t Transfer::body_callback(char* data, std::size_t, std::size_t size, void* self) {
  auto& transfer = *static_cast<Transfer*>(self);
  transfer.environment_.driver.note_content(size);
  return transfer.take_body({data, size}) ? size : 0;
}

bool Transfer::take_body(std::string_view data) {
  body_started_ = true;
  if (wants_body_) return inflater_ ? take_encoded(data) : take_decoded(data);
  body_bytes_ += data.size();
  enough_ = body_bytes_ > max_unwanted;
  return !enough_;
}

bool Transfer::take_encoded(std::string_view data) {
  encoded_bytes_ += data.size();
  for (;;) {
    std::string_view output;
    switch (inflater_->decode(data, output)) {
      case Inflater::Step::need_input:
        return true;
      case Inflater::Step::corrupt:
        return fail(Failure::bad_encoding, "the compressed body is damaged");
      case Inflater::Step::output:
        if (!take_decoded(output)) return false;
        // Everything waits while a bomb unfolds, so it is recognised before it has.
        if (body_bytes_ > largest_unfolding &&
            body_bytes_ / most_unfolding > encoded_bytes_ - data.size()) {
          return fail(Failure::body_too_large,
                      "the compressed body unfolds to more than 250 times its size");
        }
    }
  }
}

bool Transfer::take_decoded(std::string_view data) {
  if (request.cut_body && data.size() > request.max_body - body_bytes_) {
    data = data.substr(0, request.max_body - body_bytes_);
    enough_ = true;
  }
  body_bytes_ += data.size();
  if (body_bytes_ > request.max_body) {
    return fail(Failure::body_too_large, "the body is larger than max_body");
  }
  const std::size_t piece = environment_.options.piece_bytes;
  while (!paused && body_.size() + data.size() > piece) {
    const std::size_t fits = piece - std::min(piece, body_.size());
    body_.append(data.substr(0, fits));
    data.remove_prefix(fits);
    const Handler::Flow flow =
        environment_.handler.on_piece(request.token, std::exchange(body_, {}));
    if (flow == Handler::Flow::pause) {
      // curl may not be paused from in here without giving this data back: it has been taken.
      paused = true;
      environment_.pause_wanted.push_back(this);
    }
  }
  body_.append(data);
  return !enough_;
}

bool Transfer::deliver_held_back() {
  const std::size_t piece = environment_.options.piece_bytes;
  while (body_.size() > piece) {
    std::string rest = body_.substr(piece);
    body_.resize(piece);
    const Handler::Flow flow =
        environment_.handler.on_piece(request.token, std::exchange(body_, std::move(rest)));
    if (flow == Handler::Flow::pause) return false;
  }
  paused = false;
  return true;
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
    socket_opened = true;
    tls_layers_ = 0;
  } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
    fail(Failure::internal, "no descriptor left for a connection; raise LimitNOFILE");
  }
  return fd;
}

// curl repeats a request by itself when a kept connection turns out dead. That second request would
// be a poll nobody counted, so it is refused here and reported.
int Transfer::request_callback(void* self, char*, char*, int, int) {
  auto& transfer = *static_cast<Transfer*>(self);
  if (++transfer.requests_sent_ == 1) {
    transfer.reused_connection_ = !transfer.socket_opened;
    return CURL_PREREQFUNC_OK;
  }
  transfer.fail(Failure::connection_lost, transfer.reused_connection_
                                              ? "the server had closed the kept connection"
                                              : "the server wants to be asked again");
  return CURL_PREREQFUNC_ABORT;
}

// Always false, for the callbacks: the first reason counts.
bool Transfer::fail(Failure failure, std::string text) {
  if (failure_ == Failure::none) {
    failure_ = failure;
    failure_text_ = std::move(text);
  }
  return false;
}

Response Transfer::finish(CURLcode code, TimePoint now) {
  if (code == CURLE_OK && cut_short()) {
    return answer(Failure::bad_encoding, "the compressed body ends too early", now);
  }
  if (code == CURLE_OK || enough_) return answer(Failure::none, {}, now);
  // Another address of the same name was tried after one had been refused.
  const bool refused_first = failure_ == Failure::address_refused && socket_opened;
  if (failure_ != Failure::none && !refused_first) return answer(failure_, failure_text_, now);
  // How curl 7.88 reports one header line beyond its own limit.
  if (code == CURLE_OUT_OF_MEMORY && requests_sent_ > 0 && !headers_.complete()) {
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

Duration Transfer::exchange_time() const {
  curl_off_t total = 0, ready = 0;  // microseconds
  if (stage != Stage::running || requests_sent_ == 0 ||
      curl_easy_getinfo(easy, CURLINFO_TOTAL_TIME_T, &total) != CURLE_OK ||
      curl_easy_getinfo(easy, CURLINFO_PRETRANSFER_TIME_T, &ready) != CURLE_OK) {
    return {};
  }
  return std::chrono::microseconds(std::max<curl_off_t>(total - ready, 0));
}

Response Transfer::answer(Failure failure, std::string_view text, TimePoint now) {
  Response response;
  response.token = request.token;
  response.failure = failure;
  if (!text.empty()) response.failure_text = printable(text);
  response.elapsed = std::chrono::duration_cast<Duration>(now - started);
  response.status = headers_.status();
  if (headers_.complete()) {
    response.etag = std::move(headers_.etag());
    response.last_modified = std::move(headers_.last_modified());
    const int status = headers_.status();
    if (request.wants_modified && status / 100 == 2) {
      response.modified_ago =
          parse_modified_ago(response.last_modified, headers_.date(), unix_seconds());
    }
    if (status / 100 == 3 && status != 304 && !headers_.location().empty()) {
      response.redirect_to = absolute_target(request.url, headers_.location());
    }
    if ((status == 429 || status == 503) && !headers_.retry_after().empty()) {
      // An unreadable wish to be left alone is one, too.
      response.retry_after =
          parse_retry_after(headers_.retry_after(), headers_.date(), unix_seconds())
              .value_or(std::chrono::seconds(1));
    }
    if (status / 100 == 2 || status == 304)
      response.fresh_for = parse_freshness(headers_.freshness(), unix_seconds());
  }
  if (wants_body_) {
    response.body_bytes = body_bytes_;
    if (failure == Failure::none) response.body = std::move(body_);
  }
  body_.clear();
  inflater_.reset();
  response.reused_connection = reused_connection_;
  response.exchange = exchange_time();
  long connections = 0;
  if (stage == Stage::running &&
      curl_easy_getinfo(easy, CURLINFO_NUM_CONNECTS, &connections) == CURLE_OK) {
    response.new_connection = connections > 0;
  }
  return response;
}

}  // namespace pollux::fetch

// The options that curl is given for one request.
#include "fetch/cookies.hpp"
#include "fetch/multi_driver.hpp"
#include "fetch/transfer.hpp"

#include <algorithm>
#include <utility>

namespace pollux::fetch {
namespace {

constexpr long low_speed_seconds = 30;
constexpr long low_speed_bytes = 10;
constexpr long smallest_buffer = 16384;  // curl takes one for every request over TLS

const AccessPoint* find_access_point(const Options& options, std::optional<AccessPointId> id) {
  const auto& known = options.access_points;
  const auto index = static_cast<std::size_t>(id.value_or(AccessPointId{}));
  return id && index < known.size() ? &known[index] : nullptr;
}

bool is_plain(std::string_view path_and_query) {
  if (path_and_query.empty() || path_and_query.front() != '/') return false;
  if (path_and_query.back() == '?') return false;
  char before = '\0';
  for (const char c : path_and_query) {
    if (c <= ' ' || c > '~' || c == '#' || c == '%' || (c == '.' && before == '/')) return false;
    before = c;
  }
  return true;
}

bool is_content_type(const std::string& line) {
  constexpr std::string_view name = "content-type:";
  return line.size() >= name.size() &&
         std::equal(name.begin(), name.end(), line.begin(), [](char a, char b) {
           return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b + ('a' - 'A')) : b);
         });
}

long milliseconds(Duration duration) {
  const auto ms = std::chrono::ceil<std::chrono::milliseconds>(duration).count();
  return static_cast<long>(std::clamp<std::int64_t>(ms, 1, 24ll * 3600 * 1000));
}

}  // namespace

const std::string& proxy_for(const Options& options, std::optional<AccessPointId> access_point) {
  const AccessPoint* const point = find_access_point(options, access_point);
  return point != nullptr && !point->proxy.empty() ? point->proxy : options.proxy;
}

void Transfer::release_lists() {
  if (last_constant_header_ != nullptr) last_constant_header_->next = nullptr;
  curl_slist_free_all(std::exchange(request_headers_, nullptr));
  curl_slist_free_all(std::exchange(names, nullptr));
}

void Transfer::set_constant_options() {
  const Options& options = environment_.options;
  curl_easy_setopt(easy, CURLOPT_PRIVATE, this);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, error_text_);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &Transfer::body_callback);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, this);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &Transfer::header_callback);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, &Transfer::progress_callback);
  curl_easy_setopt(easy, CURLOPT_XFERINFODATA, this);
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
  set_access_point();
  curl_easy_setopt(easy, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  curl_easy_setopt(easy, CURLOPT_CAPATH, nullptr);
  curl_easy_setopt(easy, CURLOPT_CAINFO, options.ca_file.c_str());
  curl_easy_setopt(easy, CURLOPT_HTTP_CONTENT_DECODING, 0L);
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION,
                   options.http2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1);
  curl_easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE, smallest_buffer);
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
void Transfer::set_access_point() {
  curl_easy_setopt(easy, CURLOPT_PROXY, proxy().c_str());
  curl_easy_setopt(easy, CURLOPT_NOPROXY, "");  // the environment has no say, and is not searched
  if (!proxy().empty()) set_proxy_options();
  const AccessPoint* const point = access_point();
  if (point == nullptr) return;
  std::string local;
  if (!point->interface.empty()) local = "if!" + point->interface;
  if (!point->address.empty()) local = "host!" + point->address;
  if (!local.empty()) curl_easy_setopt(easy, CURLOPT_INTERFACE, local.c_str());
}

void Transfer::set_proxy_options() {
  const Options& options = environment_.options;
  const AccessPoint* const point = access_point();
  const bool own = point != nullptr && !point->proxy.empty();
  const std::string& login = own ? point->proxy_login : options.proxy_login;
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
  set_url();
  // For its CONNECT alone; the page sees the header.
  if (!proxy().empty()) curl_easy_setopt(easy, CURLOPT_USERAGENT, request.user_agent.c_str());
  const Duration connect = std::min(environment_.options.connect_timeout, request.timeout);
  const bool any_would_do = access_point() == nullptr && now < environment_.strays_until;
  curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, request.fresh_connection || any_would_do ? 1L : 0L);
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, milliseconds(time_left(connect, now)));
  curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, low_speed_seconds);
  set_low_speed_limit();
  curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 1L);
  add_header("If-None-Match: ", request.etag);
  add_header("If-Modified-Since: ", request.last_modified);
  if (!prepared_for_get_) {
    // curl would ask first whether a large one is welcome, and guess its type.
    request_headers_ = curl_slist_append(request_headers_, "Expect:");
    const bool typed = request.headers && std::any_of(request.headers->begin(),
                                                      request.headers->end(), is_content_type);
    if (!typed) request_headers_ = curl_slist_append(request_headers_, "Content-Type:");
  }
  set_jar();
  if (request.headers) {
    for (const std::string& line : *request.headers) {
      if (const char* own = request.cookies ? cookie_header(line) : nullptr) {
        curl_easy_setopt(easy, CURLOPT_COOKIE, own);
        continue;
      }
      request_headers_ = curl_slist_append(request_headers_, line.c_str());
    }
  }
  set_constant_headers();
  last_constant_header_->next = request_headers_;
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, constant_headers_.get());
  curl_easy_setopt(easy, CURLOPT_RESOLVE, names);
}

// curl_easy_reset() leaves cookies: a handle that has had any starts with the request's own.
void Transfer::set_jar() {
  if (!request.cookies && !has_jar_) return;
  has_jar_ = true;
  set_cookies(easy, request.cookies.value_or(CookieLines()));
}

// For a page of the host that the handle was last used for, only path and query are set anew: the
// rest has been taken apart before. curl would write %2F as %2f, would not resolve dots and would
// leave an empty query out, so such URLs are parsed whole.
void Transfer::set_url() {
  const std::string_view path_and_query = std::string_view(request.url).substr(origin.size());
  if (!is_plain(path_and_query)) {
    url_parsed_ = false;
    curl_easy_setopt(easy, CURLOPT_CURLU, nullptr);
    curl_easy_setopt(easy, CURLOPT_URL, request.url.c_str());
    return;
  }
  if (!url_parsed_) {
    url_parsed_ = curl_url_set(url_.get(), CURLUPART_URL, request.url.c_str(), 0) == CURLUE_OK;
    curl_easy_setopt(easy, CURLOPT_URL, request.url.c_str());
    curl_easy_setopt(easy, CURLOPT_CURLU, url_parsed_ ? url_.get() : nullptr);
    return;
  }
  const std::size_t question = path_and_query.find('?');
  url_part_ = path_and_query.substr(0, question);
  curl_url_set(url_.get(), CURLUPART_PATH, url_part_.c_str(), 0);
  if (question == std::string_view::npos) {
    curl_url_set(url_.get(), CURLUPART_QUERY, nullptr, 0);
    return;
  }
  url_part_ = path_and_query.substr(question + 1);
  curl_url_set(url_.get(), CURLUPART_QUERY, url_part_.c_str(), 0);
}

// The check costs a timer every second: only where it can fire before the total time-out.
void Transfer::set_low_speed_limit() {
  const bool wanted = request.timeout > std::chrono::seconds(low_speed_seconds);
  curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, wanted ? low_speed_bytes : 0L);
}

// A body of any method is sent as that of a POST would be; what a HEAD has none of is not waited
// for.
void Transfer::set_method() {
  const std::string& method = request.method;
  if (method == "HEAD") curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
  if (!request.body.empty() || method == "POST" || method == "PUT" || method == "PATCH") {
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(request.body.size()));
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request.body.c_str());
  }
  curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method.c_str());
}

// The same for every request, as a rule: curl's own options for them are put together anew each
// time.
void Transfer::set_constant_headers() {
  if (constant_headers_ && introduced_as_ == request.user_agent) return;
  introduced_as_ = request.user_agent;
  // Without a value the header is left out, and curl's own with it.
  header_line_.assign("User-Agent:");
  if (!introduced_as_.empty()) header_line_.append(" ").append(introduced_as_);
  curl_slist* list = curl_slist_append(nullptr, "Accept-Encoding: gzip");
  last_constant_header_ = curl_slist_append(list, header_line_.c_str())->next;
  constant_headers_.reset(list);
}

void Transfer::add_header(std::string_view name, std::string_view value) {
  if (!is_clean_validator(value)) return;
  header_line_.assign(name).append(value);
  request_headers_ = curl_slist_append(request_headers_, header_line_.c_str());
  conditional_ = true;
}

}  // namespace pollux::fetch

#include "web/front.hpp"

#include "pollux/base/text.hpp"
#include "web/answers.hpp"
#include "web/assets.hpp"
#include "web/fields.hpp"
#include "web/letters.hpp"
#include "web/secrets.hpp"

#include <algorithm>

#include <boost/json/object.hpp>

namespace pollux::web {
namespace {

constexpr std::string_view session_path = "/api/v1/session";
constexpr std::string_view log_out_path = "/api/v1/session/end";
constexpr std::string_view status_path = "/api/v1/status";
constexpr std::size_t longest_password = 8u << 10;

// The same request, with its target below base_path.
class RequestBelow final : public http::Request {
 public:
  RequestBelow(const http::Request& whole, std::string_view target)
      : whole_(whole), target_(target) {}
  std::string_view method() const override { return whole_.method(); }
  std::string_view target() const override { return target_; }
  std::string_view header(std::string_view name) const override { return whole_.header(name); }
  std::string_view last_header(std::string_view name) const override {
    return whole_.last_header(name);
  }
  bool has_header(std::string_view name) const override { return whole_.has_header(name); }
  std::string_view body() const override { return whole_.body(); }
  std::string_view peer() const override { return whole_.peer(); }

 private:
  const http::Request& whole_;
  const std::string_view target_;
};

// Passes an answer on, and keeps it. It is answered before the call returns.
class Keeping final : public http::Responder::Answering {
 public:
  Keeping(http::Responder to, KeptAnswer& kept, const Clock& clock)
      : to_(std::move(to)), kept_(kept), clock_(clock), asked_(clock.now()) {}
  void answer(http::Response response) override {
    kept_.keep(response, asked_, clock_.now());
    to_.answer(std::move(response));
  }
  std::shared_ptr<http::Stream> stream(http::Response head, std::function<void()> woken) override {
    return to_.stream(std::move(head), std::move(woken));
  }

 private:
  http::Responder to_;
  KeptAnswer& kept_;
  const Clock& clock_;
  const Instant asked_;
};

bool is_read(const http::Request& request) {
  return request.method() == "GET" || request.method() == "HEAD";
}

http::Response plain_text(unsigned status, std::string text) {
  http::Response response;
  response.status = status;
  response.headers = {{"Cache-Control", "no-store"}};
  response.body = std::move(text);
  return response;
}

http::Response moved(std::string to) {
  http::Response response = plain_text(308, "it is at " + to + "\n");
  response.headers.emplace_back("Location", std::move(to));
  return response;
}

http::Response wrong_method_here(std::string allowed) {
  http::Response response = problem(405, "this method is not possible here", "use " + allowed);
  response.headers.emplace_back("Allow", std::move(allowed));
  return response;
}

// The value of a cookie; empty: there is none.
std::string_view cookie_of(std::string_view header, std::string_view name) {
  while (!header.empty()) {
    const std::size_t end = header.find(';');
    std::string_view pair = header.substr(0, end);
    header = end == header.npos ? std::string_view() : header.substr(end + 1);
    while (pair.starts_with(' ')) pair.remove_prefix(1);
    const std::size_t equals = pair.find('=');
    if (equals != pair.npos && pair.substr(0, equals) == name) return pair.substr(equals + 1);
  }
  return {};
}

// Cookies know nothing of ports: two daemons on one machine must not share one.
std::string cookie_name(const http::Request& request) {
  const std::string_view host = request.header("Host");
  const std::size_t colon = host.rfind(':');
  const bool has_port = colon != host.npos && host.find(']', colon) == host.npos;
  return has_port ? "pollux_" + std::string(host.substr(colon + 1)) : "pollux";
}

// A session that has ended takes its streams along.
class UntilLogOut final : public http::Responder::Answering {
 public:
  UntilLogOut(http::Responder to, const Sessions& sessions, std::string cookie, const Clock& clock)
      : to_(std::move(to)), sessions_(sessions), cookie_(std::move(cookie)), clock_(clock) {}
  void answer(http::Response response) override { to_.answer(std::move(response)); }
  std::shared_ptr<http::Stream> stream(http::Response head, std::function<void()> woken) override {
    const auto held = std::make_shared<std::weak_ptr<http::Stream>>();
    auto guarded = [held, woken = std::move(woken), &sessions = sessions_, cookie = cookie_,
                    &clock = clock_] {
      if (sessions.is_open(cookie, clock.now())) return woken();
      if (const auto there = held->lock()) there->close();
    };
    std::shared_ptr<http::Stream> stream = to_.stream(std::move(head), std::move(guarded));
    *held = stream;
    return stream;
  }

 private:
  const http::Responder to_;
  const Sessions& sessions_;
  const std::string cookie_;
  const Clock& clock_;
};

bool starts_with_word(std::string_view text, std::string_view word) {
  return text.size() >= word.size() &&
         std::equal(word.begin(), word.end(), text.begin(),
                    [](char a, char b) { return a == small_letter(b); });
}

}  // namespace

void Front::handle(const http::Request& request, http::Responder responder) {
  const std::string_view host = request.header("Host");
  if (host.empty()) {
    return responder.answer(problem(400, "there is no Host", "write HTTP/1.1 with one Host"));
  }
  if (!origins_.is_our_host(host)) {
    return responder.answer(problem(421,
                                    "this server does not go by the name " + printable(host, 100),
                                    "ask for its address, or list the name in web.hosts"));
  }
  if (request.has_header("Origin") && !origins_.is_our_origin(request.header("Origin"), host)) {
    return responder.answer(
        problem(403, "this was asked by a page of " + printable(request.header("Origin"), 100),
                "only Pollux's own page may ask, and programs without an Origin"));
  }
  std::string_view target = request.target();
  const std::string_view base = std::string_view(options_.base_path);
  const std::string_view path = target.substr(0, target.find('?'));
  if (path == base.substr(0, base.size() - 1) && base.size() > 1)
    return responder.answer(moved(options_.base_path));
  if (!target.starts_with(base)) {
    return responder.answer(
        problem(404, "there is no " + printable(path, 200), "all is below " + options_.base_path));
  }
  target.remove_prefix(base.size() - 1);
  const RequestBelow below(request, target);
  const std::string_view path_below = target.substr(0, target.find('?'));
  if (path_below.starts_with(api_prefix)) return serve_api(below, path_below, std::move(responder));
  if (!is_read(below)) return responder.answer(wrong_method_here("GET, HEAD"));
  if (path_below == "/metrics" || path_below == "/healthz" || path_below == "/readyz")
    return serve_vitals(below, path_below, std::move(responder));
  responder.answer(asset(page_files(), path_below, below));
}

void Front::serve_vitals(const http::Request& request, std::string_view path,
                         http::Responder responder) {
  if (path == "/healthz") return responder.answer(vitals_.health());
  if (path == "/readyz") return responder.answer(vitals_.ready());
  if (!options_.metrics)
    return responder.answer(problem(404, "metrics are switched off", "see web.metrics"));
  if (std::optional<http::Response> refused = may_not(request, visitor(request), Scope::read))
    return responder.answer(std::move(*refused));
  responder.answer(vitals_.metrics({connections_(), options_.connections}));
}

Front::Visitor Front::visitor(const http::Request& request) {
  Visitor who;
  who.cookie = cookie_of(request.header("Cookie"), cookie_name(request));
  // Another scheme is the business of a proxy before us.
  constexpr std::string_view bearer = "bearer ";
  if (const std::string_view login = request.header("Authorization");
      starts_with_word(login, bearer)) {
    who.is_token = true;
    who.bad_token = true;
    // All are looked at, so that the time tells nothing.
    for (const Token& token : options_.tokens) {
      if (!same_secret(token.secret, login.substr(bearer.size()))) continue;
      who.may = token.may_steer ? Scope::steer : Scope::read;
      who.bad_token = false;
    }
    return who;
  }
  if (options_.password.empty() || sessions_.knows(who.cookie, clock_.now()))
    who.may = Scope::steer;
  return who;
}

// Behind a proxy the last address is the one that it has seen itself.
std::string Front::peer_of(const http::Request& request) const {
  if (!options_.behind_proxy) return std::string(request.peer());
  std::string_view all = request.last_header("X-Forwarded-For");
  if (const std::size_t comma = all.rfind(','); comma != all.npos) all.remove_prefix(comma + 1);
  while (all.starts_with(' ')) all.remove_prefix(1);
  return std::string(all.empty() ? request.peer() : all.substr(0, 64));
}

void Front::serve_api(const http::Request& request, std::string_view path,
                      http::Responder responder) {
  const Visitor who = visitor(request);
  if (who.bad_token) {
    http::Response response = problem(401, "nobody knows this token", "see web.tokens");
    response.headers.emplace_back("WWW-Authenticate", "Bearer");
    return responder.answer(std::move(response));
  }
  if (path == session_path) {
    if (is_read(request)) return responder.answer(session_of(request, who));
    if (request.method() == "POST") return responder.answer(log_in(request));
    return responder.answer(wrong_method_here("GET, HEAD, POST"));
  }
  if (path == log_out_path) {
    if (request.method() != "POST") return responder.answer(wrong_method_here("POST"));
    return responder.answer(log_out(request, who));
  }
  const Found found = find_route(request.method(), path);
  const Scope needed = found.route == nullptr ? Scope::read : found.route->scope;
  if (std::optional<http::Response> refused = may_not(request, who, needed))
    return responder.answer(std::move(*refused));
  if (!options_.password.empty() && !who.is_token) {
    responder = http::Responder(
        std::make_shared<UntilLogOut>(std::move(responder), sessions_, who.cookie, clock_));
  }
  if (path != status_path || request.target() != path || !is_read(request))
    return api_.call(request, responder);
  if (std::optional<http::Response> kept = status_.get(clock_.now()))
    return responder.answer(std::move(*kept));
  api_.call(request,
            http::Responder(std::make_shared<Keeping>(std::move(responder), status_, clock_)));
}

std::optional<http::Response> Front::may_not(const http::Request& request, const Visitor& who,
                                             Scope needed) {
  if (!who.may || who.bad_token)
    return problem(401, "nobody is logged in", "log in, or send a token of web.tokens");
  if (needed == Scope::read) return std::nullopt;
  if (who.may != Scope::steer) {
    return problem(403, "this token may only read", "its scope in web.tokens must be steer");
  }
  return who.is_token ? std::nullopt : is_no_own_page(request, who);
}

// What a browser sends on its own (a cookie) is not enough to change something.
std::optional<http::Response> Front::is_no_own_page(const http::Request& request,
                                                    const Visitor& who) {
  if (!request.has_header("Origin")) {
    return problem(403, "a change without an Origin comes from no page of ours",
                   "programs send a token of web.tokens, or use the control socket");
  }
  if (!sessions_.is_csrf(who.cookie, request.header("X-Pollux-Csrf"))) {
    return problem(403, "the header X-Pollux-Csrf is not that of this session",
                   "send what GET /api/v1/session calls csrf, with its cookie");
  }
  return std::nullopt;
}

http::Response Front::session_answer(std::optional<Scope> may, const std::string& cookie) const {
  namespace json = boost::json;
  const bool has_session = may && !cookie.empty();
  return json_answer(json::object{
      {"authenticated", may.has_value()},
      {"needs_password", !options_.password.empty()},
      {"scope", may ? json::value(*may == Scope::steer ? "steer" : "read") : json::value(nullptr)},
      {"csrf", has_session ? json::value(sessions_.csrf(cookie)) : json::value(nullptr)},
      {"version", POLLUX_VERSION},
      {"base_path", options_.base_path}});
}

void Front::set_cookie(const http::Request& request, http::Response& response,
                       const std::string& value, Duration age) const {
  std::string text = cookie_name(request) + "=" + value + "; Path=" + options_.base_path +
                     "; HttpOnly; SameSite=Strict; Max-Age=" +
                     std::to_string(std::chrono::duration_cast<std::chrono::seconds>(age).count());
  if (!options_.certificate.empty() || options_.behind_proxy) text += "; Secure";
  response.headers.emplace_back("Set-Cookie", std::move(text));
}

http::Response Front::session_of(const http::Request& request, const Visitor& who) {
  if (who.is_token) return session_answer(who.may, "");
  if (!who.may || !who.cookie.empty()) return session_answer(who.may, who.cookie);
  // Without a password everybody has a session: any word will do, as long as its csrf fits.
  const std::string cookie = random_word();
  http::Response response = session_answer(who.may, cookie);
  set_cookie(request, response, cookie, Sessions::longest);
  return response;
}

http::Response Front::log_in(const http::Request& request) {
  if (options_.password.empty())
    return problem(409, "no password is asked for", "GET /api/v1/session gives a session");
  if (!request.has_header("Origin")) {
    return problem(403, "a log-in without an Origin comes from no page of ours",
                   "programs send a token of web.tokens");
  }
  const std::string_view type = request.header("Content-Type");
  if (!starts_with_word(type, "application/json"))
    return problem(415, "a password is sent in JSON", "send Content-Type: application/json");
  const std::string peer = peer_of(request);
  const Instant now = clock_.now();
  if (const Duration wait = tries_.wait(peer, now); wait > Duration{}) {
    http::Response response = problem(429, "too many wrong passwords", "wait, then try again");
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(wait).count();
    response.headers.emplace_back("Retry-After", std::to_string(seconds));
    return response;
  }
  if (request.body().size() > longest_password) return refusal_of(413);
  const Result<boost::json::object> body = parse_body(request.body());
  if (!body) return problem(body.error());
  const boost::json::value* said = body->if_contains("password");
  if (said == nullptr || !said->is_string() || body->size() != 1)
    return problem(400, "which password?", "write {\"password\": \"…\"}");
  const boost::json::string& word = said->get_string();
  if (!same_secret(options_.password, {word.data(), word.size()})) {
    tries_.failed(peer, now);
    return problem(401, "this is not the password", "it stands in web.password_file");
  }
  tries_.succeeded(peer);
  const std::string cookie = sessions_.begin(now);
  http::Response response = session_answer(Scope::steer, cookie);
  set_cookie(request, response, cookie, Sessions::longest);
  return response;
}

http::Response Front::log_out(const http::Request& request, const Visitor& who) {
  if (who.may && !who.is_token) {
    if (std::optional<http::Response> refused = is_no_own_page(request, who)) return *refused;
    sessions_.end(who.cookie);
  }
  http::Response response =
      session_answer(options_.password.empty() ? std::optional(Scope::steer) : std::nullopt, "");
  set_cookie(request, response, "", Duration{});
  return response;
}

}  // namespace pollux::web

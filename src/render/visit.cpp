#include "render/visit.hpp"

#include "pollux/base/text.hpp"
#include "pollux/base/url.hpp"
#include "render/answers.hpp"
#include "render/lower.hpp"

#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>

namespace pollux::render {
namespace {

namespace json = boost::json;
using fetch::Failure;

constexpr std::size_t longest_headers = 64u << 10;
constexpr auto quiet_after = std::chrono::milliseconds(500);
// A document travels as JSON, in which a character may take six bytes.
constexpr std::uint64_t longest_document = 10u << 20;

Duration since(Visit::TimePoint from, Visit::TimePoint to) {
  return std::chrono::duration_cast<Duration>(to - from);
}

bool is_web(std::string_view url) {
  return url.starts_with("http://") || url.starts_with("https://");
}

bool same_name(std::string_view a, std::string_view b) {
  return lower(a) == lower(b);
}

struct HeaderLine {
  std::string_view name, value;
};
HeaderLine header_of(std::string_view line) {
  const std::size_t colon = std::min(line.find(':'), line.size());
  std::string_view value = line.substr(std::min(colon + 1, line.size()));
  while (value.starts_with(' ')) value.remove_prefix(1);
  return {line.substr(0, colon), value};
}

// "a=1; b=2" of a Cookie header: the browser sends no such header but its own.
void add_cookies(std::string_view line, std::string_view url, json::array& cookies) {
  while (!line.empty()) {
    const std::size_t end = std::min(line.find(';'), line.size());
    std::string_view one = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    while (one.starts_with(' ')) one.remove_prefix(1);
    const std::size_t equals = one.find('=');
    if (equals == std::string_view::npos || equals == 0) continue;
    cookies.push_back(json::object{
        {"name", one.substr(0, equals)}, {"value", one.substr(equals + 1)}, {"url", url}});
  }
}

json::array cookies_of(const fetch::Request& request) {
  json::array cookies;
  if (request.cookies) cookies = cookies_for_browser(*request.cookies);
  if (!request.headers) return cookies;
  for (const std::string& line : *request.headers) {
    const HeaderLine header = header_of(line);
    if (same_name(header.name, "cookie")) add_cookies(header.value, request.url, cookies);
  }
  return cookies;
}

// What the browser would send, and what the page's settings add to it.
json::array headers_with(const json::object& event, const fetch::HeaderLines& lines) {
  json::array headers;
  const auto ours = [&](std::string_view name) {
    return std::ranges::any_of(
        lines, [&](const std::string& line) { return same_name(header_of(line).name, name); });
  };
  if (const json::value* const own = value_at(event, "request.headers"); own && own->is_object()) {
    for (const auto& [name, value] : own->get_object()) {
      if (value.is_string() && !ours(name))
        headers.push_back(json::object{{"name", name}, {"value", value.get_string()}});
    }
  }
  for (const std::string& line : lines) {
    const HeaderLine header = header_of(line);
    if (!same_name(header.name, "cookie"))
      headers.push_back(json::object{{"name", header.name}, {"value", header.value}});
  }
  return headers;
}

// In a world of its own, where the page's scripts have changed nothing.
std::string script_of(std::uint64_t most) {
  const std::string limit = std::to_string(most);
  return "(() => {"
         "  const type = document.doctype, root = document.documentElement;"
         "  let html = type ? new XMLSerializer().serializeToString(type) + '\\n' : '';"
         "  if (root) html += root.outerHTML;"
         "  if (html.length > " +
         limit +
         ") return { size: html.length };"
         "  html = html.toWellFormed();"
         "  const size = new TextEncoder().encode(html).length;"
         "  return size > " +
         limit +
         " ? { size } : { html };"
         "})()";
}

}  // namespace

std::shared_ptr<Visit> Visit::open(Place place, const Options& options, fetch::Request request,
                                   Listener listener) {
  std::shared_ptr<Visit> visit(
      new Visit(std::move(place), options, std::move(request), std::move(listener)));
  visit->open_context();
  return visit;
}

Visit::Visit(Place place, const Options& options, fetch::Request request, Listener listener)
    : place_(std::move(place)),
      options_(options),
      request_(std::move(request)),
      own_host_(host_port_of(request_.url)),
      listener_(std::move(listener)) {
  response_.token = request_.token;
  response_.final_url = request_.url;
}

// An answer that comes when it is over says nothing any more; an error ends it.
void Visit::call(std::string_view method, json::object values, std::string_view session,
                 DevTools::Answer answer) {
  place_.tools->call(method, std::move(values), session,
                     [weak = weak_from_this(), name = std::string(method),
                      answer = std::move(answer)](const Message& message) {
                       const auto self = weak.lock();
                       if (!self || self->stage_ == Stage::ended) return;
                       if (!message.error.empty() && self->stage_ == Stage::opening) {
                         if (const auto tell = std::exchange(self->listener_, {}).refused)
                           tell(name + ": " + message.error);
                         return;
                       }
                       if (answer) answer(message);
                     });
}

// --- A place of its own, prepared; nothing of the page is asked for.

void Visit::open_context() {
  opened_ = true;
  const std::string proxy = "http://127.0.0.1:" + std::to_string(place_.port);
  place_.tools->call(
      "Target.createBrowserContext",
      {{"disposeOnDetach", true}, {"proxyServer", proxy}, {"proxyBypassList", "<-loopback>"}}, {},
      [weak = weak_from_this()](const Message& message) {
        const auto self = weak.lock();
        if (!self) return;
        self->context_ = text_at(message.values, "browserContextId");
        if (self->stage_ == Stage::ended) return self->close();
        if (!self->context_.empty()) return self->open_target();
        if (const auto tell = std::exchange(self->listener_, {}).refused)
          tell("no context: " + message.error);
      });
}

void Visit::open_target() {
  call("Browser.setDownloadBehavior", {{"behavior", "deny"}, {"browserContextId", context_}}, {});
  if (json::array cookies = cookies_of(request_); !cookies.empty())
    place_.tools->call("Storage.setCookies",
                       {{"cookies", std::move(cookies)}, {"browserContextId", context_}});
  call("Target.createTarget", {{"url", "about:blank"}, {"browserContextId", context_}}, {},
       [this](const Message& message) {
         target_ = text_at(message.values, "targetId");
         call("Target.attachToTarget", {{"targetId", target_}, {"flatten", true}}, {},
              [this](const Message& attached) {
                session_ = text_at(attached.values, "sessionId");
                prepare_target();
              });
       });
}

void Visit::prepare_target() {
  page("Inspector.enable", {});
  page("Page.enable", {});
  page("Page.setLifecycleEventsEnabled", {{"enabled", true}});
  page("Network.enable",
       {{"maxTotalBufferSize", 0}, {"maxResourceBufferSize", 0}, {"maxPostDataSize", 0}});
  page("Network.setBypassServiceWorker", {{"bypass", true}});
  if (!request_.user_agent.empty())
    page("Network.setUserAgentOverride", {{"userAgent", request_.user_agent}});
  const json::array patterns = {
      json::object{{"urlPattern", "*"}, {"requestStage", "Request"}},
      json::object{
          {"urlPattern", "*"}, {"resourceType", "Document"}, {"requestStage", "Response"}}};
  page("Fetch.enable", {{"patterns", patterns}}, [this](const Message&) {
    stage_ = Stage::ready;
    listener_.ready();
  });
}

// --- The page is asked for, and what it asks for.

void Visit::send() {
  stage_ = Stage::loading;
  sent_ = std::chrono::steady_clock::now();
  place_.proxy->begin(
      {options_.max_traffic, options_.max_requests},
      {.refused =
           [this](const ProxyRefusal& refusal) {
             const bool own = refusal.host_port == own_host_;
             if (own && !answered_) return fail(refusal.failure, refusal.text);
             if (refusal.failure == Failure::address_refused &&
                 options_.refused_addresses == Refused::error)
               fail(refusal.failure, "its scripts ask for " + refusal.text);
           },
       .exceeded = [this](std::string what) { fail(Failure::rendering, std::move(what)); }});
  page("Page.navigate", {{"url", request_.url}}, [this](const Message& message) {
    const std::string_view problem =
        message.error.empty() ? text_at(message.values, "errorText") : message.error;
    if (!problem.empty()) return fail(failure_of(problem), printable(problem, 200));
    loader_ = text_at(message.values, "loaderId");
    moved_ = std::chrono::steady_clock::now();
  });
}

void Visit::event(const Message& message) {
  if (stage_ == Stage::ended || message.session != session_ || session_.empty()) return;
  if (message.method == "Fetch.requestPaused") return paused(message.values);
  if (message.method == "Page.javascriptDialogOpening")
    return page("Page.handleJavaScriptDialog", {{"accept", false}});
  if (message.method == "Inspector.targetCrashed")
    return fail(Failure::rendering, "its tab crashed, perhaps for want of memory (render.memory)");
  if (message.method == "Inspector.detached")
    return fail(Failure::rendering, "its tab has been closed");
  // It may come before the answer that says which loader is the page's.
  if (message.method == "Page.lifecycleEvent" && text_at(message.values, "name") == "load" &&
      text_at(message.values, "frameId") == target_)
    loaded_ = text_at(message.values, "loaderId");
  if (message.method.starts_with("Network.")) count(message);
}

// The browser's own word for it (networkIdle) comes too early when a page gets another process.
void Visit::count(const Message& message) {
  const std::string_view request = text_at(message.values, "requestId");
  if (message.method == "Network.requestWillBeSent") {
    // The document itself, of whose end a new process may not tell: `load` does. And what stays
    // open for ever.
    const std::string_view type = text_at(message.values, "type");
    if (request == text_at(message.values, "loaderId") || type == "EventSource") return;
    if (under_way_.size() < options_.max_requests) under_way_.emplace(request);
  } else if (message.method == "Network.loadingFinished" ||
             message.method == "Network.loadingFailed") {
    under_way_.erase(std::string(request));
  } else {
    return;
  }
  moved_ = std::chrono::steady_clock::now();
}

void Visit::paused(const json::object& event) {
  const std::string_view url = text_at(event, "request.url");
  const bool document =
      text_at(event, "resourceType") == "Document" && text_at(event, "frameId") == target_;
  const bool has_answer =
      event.contains("responseStatusCode") || event.contains("responseErrorReason");
  if (stage_ == Stage::ready || stage_ == Stage::reading || !is_web(url)) return block(event);
  if (document && main_request_.empty()) main_request_ = text_at(event, "requestId");
  const bool main = document && text_at(event, "requestId") == main_request_;
  if (has_answer) return main && !answered_ ? answered(event) : pass(event);
  if (document && answered_) return navigated(event);
  if (++requests_ > options_.max_requests)
    return fail(Failure::rendering, "it makes more requests than render.max_requests, " +
                                        std::to_string(options_.max_requests));
  pass(event);
}

// To the page's own origin with what its settings say; what leads elsewhere goes without.
void Visit::pass(const json::object& event) {
  json::object values{{"requestId", text_at(event, "requestId")}};
  const std::string_view url = text_at(event, "request.url");
  const bool asks = !event.contains("responseStatusCode");
  if (asks && request_.headers) {
    const Result<Url> parsed = parse_url(url);
    if (parsed && same_origin(parsed->text, request_.url))
      values["headers"] = headers_with(event, *request_.headers);
  }
  page("Fetch.continueRequest", std::move(values));
}

void Visit::block(const json::object& event) {
  page("Fetch.failRequest",
       {{"requestId", text_at(event, "requestId")}, {"errorReason", "BlockedByClient"}});
}

// The page's own answer, its body still to come: only a document is worth it.
void Visit::answered(const json::object& event) {
  const auto now = std::chrono::steady_clock::now();
  if (event.contains("responseErrorReason")) return pass(event);  // Page.navigate tells
  answered_ = now;
  response_.exchange = since(sent_, now);
  fetch::read_head(head_of(event), request_, longest_headers, response_);
  // Of the shell, which stays when what scripts make of it changes.
  response_.etag.clear();
  response_.last_modified.clear();
  response_.modified_ago.reset();
  response_.fresh_for.reset();
  if (response_.failure != Failure::none)
    return fail(response_.failure, std::move(response_.failure_text));
  if (!fetch::is_success(response_.status) || response_.status == 204 || response_.status == 205)
    return finish();
  if (!is_document(response_.content_type))
    return fail(Failure::protocol, "the answer is " + printable(response_.content_type, 80) +
                                       ", in which no script runs; poll it without render");
  pass(event);
}

// Scripts go elsewhere: a redirect like any other, which somebody has to check and to pay for.
void Visit::navigated(const json::object& event) {
  const std::string_view method = text_at(event, "request.method");
  if (method != "GET")
    return fail(Failure::rendering, "its scripts send a form (" + printable(method, 20) + ")");
  const Result<Url> target = parse_url(text_at(event, "request.url"));
  if (!target)
    return fail(Failure::protocol, "its scripts go elsewhere: " + target.error().message);
  response_.status = 302;
  response_.redirect_to = target->text;
  finish();
}

void Visit::tick(TimePoint now) {
  if (stage_ != Stage::loading || !answered_ || loader_.empty()) return;
  const bool quiet = loaded_ == loader_ && under_way_.empty() && now - moved_ >= quiet_after;
  if (quiet || now - *answered_ >= options_.wait) read();
}

// --- The document as it stands.

void Visit::read() {
  stage_ = Stage::reading;
  page("Page.createIsolatedWorld", {{"frameId", target_}, {"worldName", "pollux"}},
       [this](const Message& message) {
         const auto world = number_at(message.values, "executionContextId");
         if (!world) return fail(Failure::rendering, "it went away while it was read");
         read_in(*world);
       });
}

void Visit::read_in(std::int64_t world) {
  const std::uint64_t most = std::min(request_.max_body, longest_document);
  page("Runtime.evaluate",
       {{"expression", script_of(most)}, {"contextId", world}, {"returnByValue", true}},
       [this](const Message& message) { took(message); });
}

void Visit::took(const Message& message) {
  const json::value* const html = value_at(message.values, "result.value.html");
  if (html == nullptr || !html->is_string()) {
    if (value_at(message.values, "result.value.size") != nullptr)
      return fail(Failure::body_too_large,
                  "its document is longer than " +
                      std::to_string(std::min(request_.max_body, longest_document)) + " bytes");
    return fail(Failure::rendering, "its document cannot be read");
  }
  response_.body = html->get_string();
  response_.content_type = "text/html; charset=utf-8";
  finish();
}

// --- The end.

void Visit::finish() {
  if (!request_.cookies) return deliver();
  stage_ = Stage::reading;
  call("Storage.getCookies", {{"browserContextId", context_}}, {}, [this](const Message& message) {
    const json::value* const cookies = message.values.if_contains("cookies");
    if (cookies != nullptr && cookies->is_array())
      response_.cookies = cookies_from_browser(cookies->get_array());
    deliver();
  });
}

void Visit::fail(Failure failure, std::string text) {
  if (stage_ == Stage::ended) return;
  response_.failure = failure;
  response_.failure_text = std::move(text);
  response_.body.clear();
  response_.redirect_to.clear();
  deliver();
}

void Visit::deliver() {
  const auto self = shared_from_this();
  stage_ = Stage::ended;
  place_.proxy->end();
  if (sent_ != TimePoint{}) response_.elapsed = since(sent_, std::chrono::steady_clock::now());
  response_.body_bytes = response_.body.size();
  response_.new_connection = true;
  if (const auto tell = std::exchange(listener_.done, {})) tell(std::move(response_));
  close();
}

// The context's end is the page's, whatever it does.
void Visit::close() {
  if (context_.empty()) return;  // open_context() comes back here
  if (!target_.empty()) place_.tools->call("Target.closeTarget", {{"targetId", target_}});
  place_.tools->call("Target.disposeBrowserContext", {{"browserContextId", context_}}, {},
                     [self = shared_from_this()](const Message&) {
                       if (const auto tell = std::exchange(self->listener_, {}).closed) tell();
                     });
}

void Visit::drop() {
  listener_ = {};
  stage_ = Stage::ended;
}

}  // namespace pollux::render

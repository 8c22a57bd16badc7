#include "pollux/demo/site.hpp"

#include "demo/responder.hpp"
#include "pollux/http/server.hpp"

#include <utility>

namespace pollux::demo {
namespace {

std::string loopback(unsigned host) {
  return "127.0.0." + std::to_string(host);
}

http::Response as_response(Answer answer) {
  http::Response response;
  response.status = answer.status;
  if (answer.status == 200) response.content_type = "text/html; charset=utf-8";
  const auto add = [&](const char* name, std::string value) {
    if (!value.empty()) response.headers.emplace_back(name, std::move(value));
  };
  add("ETag", std::move(answer.etag));
  add("Last-Modified", std::move(answer.last_modified));
  add("Location", std::move(answer.location));
  if (answer.retry_after) add("Retry-After", std::to_string(*answer.retry_after));
  response.body = std::move(answer.body);
  response.reset = answer.reset;
  return response;
}

}  // namespace

struct Site::State final : http::Handler {
  State(const SiteOptions& given, const Clock& clock)
      : options(given), responder(given.world, clock) {}

  static bool is_read(const http::Request& request) {
    return request.method() == "GET" || request.method() == "HEAD";
  }
  Duration delay(const http::Request& request) override {
    return is_read(request) ? responder.delay(request.target()) : Duration{};
  }
  http::Response answer(const http::Request& request) override {
    if (!is_read(request)) return {.status = 405};
    return as_response(responder.answer(
        {request.target(), request.header("If-None-Match"), request.header("If-Modified-Since")}));
  }

  SiteOptions options;
  Responder responder;
  std::unique_ptr<http::Server> server;  // goes first: its thread asks us
};

Result<std::unique_ptr<Site>> Site::start(const SiteOptions& options, const Clock& clock) {
  if (options.hosts == 0 || options.hosts == 255 || options.world.pages == 0) {
    return Error{"a demo site needs at least one page and 1 to 254 hosts", ExitCode::usage};
  }
  auto state = std::make_unique<State>(options, clock);
  std::vector<http::Endpoint> endpoints;
  for (unsigned host = 1; host <= options.hosts; ++host)
    endpoints.push_back({loopback(host), options.port});
  Result<std::unique_ptr<http::Server>> server =
      http::Server::start(endpoints, {.name = "pollux-demo", .max_body_bytes = 0}, *state);
  if (!server) return Error{"the demo site " + server.error().message, server.error().exit_code};
  state->server = std::move(server).value();
  return std::unique_ptr<Site>(new Site(std::move(state)));
}

Site::Site(std::unique_ptr<State> state) : state_(std::move(state)) {}

Site::~Site() = default;

std::uint16_t Site::port() const {
  return state_->server->port();
}

std::size_t Site::pages() const {
  return state_->responder.pages();
}

std::string Site::url(PageNumber page) const {
  const unsigned hosts = state_->options.hosts;
  const bool special = role(page) != Role::plain;
  const unsigned host = special || hosts == 1 ? hosts : 1 + (number(page) - 1) % (hosts - 1);
  return "http://" + loopback(host) + ':' + std::to_string(port()) + "/page/" +
         std::to_string(number(page));
}

std::string Site::index_url() const {
  return "http://" + loopback(1) + ':' + std::to_string(port()) + '/';
}

Role Site::role(PageNumber page) const {
  return state_->responder.role(page);
}

double Site::rate(PageNumber page) const {
  return state_->responder.rate(page);
}

std::size_t Site::noisy() const {
  return state_->responder.noisy();
}

std::vector<Change> Site::history(std::size_t from) const {
  return state_->responder.history(from);
}

std::uint64_t Site::requests() const {
  return state_->responder.requests();
}

Visits Site::visits() const {
  return state_->responder.visits();
}

}  // namespace pollux::demo

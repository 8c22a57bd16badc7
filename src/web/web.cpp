#include "pollux/web/web.hpp"

#include "web/api.hpp"
#include "web/front.hpp"

#include <atomic>

namespace pollux::web {
namespace {

// Nothing that a page says can run here: no script but our files, and text is only ever text.
constexpr std::string_view content_policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; font-src 'self'; frame-ancestors 'none'; base-uri 'none'; "
    "form-action 'self'; require-trusted-types-for 'script'; trusted-types 'none'";

http::ServerOptions limits_of(const Options& options) {
  http::ServerOptions limits;
  limits.max_header_bytes = 16u << 10;
  limits.max_body_bytes = 16u << 20;  // a list of 100 000 URLs
  limits.max_bodies_bytes = 32u << 20;
  limits.small_body_bytes = 16u << 10;  // a log-in, a pause: two strangers must not keep them out
  limits.idle_limit = std::chrono::seconds(30);
  limits.max_connections = options.connections;
  // A proxy holds all of them.
  limits.max_connections_of_one =
      options.behind_proxy ? options.connections : (options.connections + 1) / 2;
  if (!options.certificate.empty()) limits.tls = http::TlsFiles{options.certificate, options.key};
  limits.max_streams = options.connections / 2;
  limits.headers = {{"Content-Security-Policy", std::string(content_policy)},
                    {"X-Content-Type-Options", "nosniff"},
                    {"Referrer-Policy", "no-referrer"},
                    {"X-Frame-Options", "DENY"},
                    {"Cross-Origin-Opener-Policy", "same-origin"},
                    {"Cross-Origin-Resource-Policy", "same-origin"}};
  return limits;
}

}  // namespace

struct Web::State {
  State(const Options& given, const std::string& path, std::unique_ptr<store::Reader> opened,
        std::unique_ptr<Desk> opened_desk, engine::Steering& steering,
        const engine::SnapshotBoard& snapshots, const Clock& clock, Workshop* workshop)
      : options(given),
        database(path, std::move(opened)),
        desk(std::move(opened_desk)),
        api({steering, database, clock, *desk, workshop}),
        front(options, api, Vitals(snapshots, database, clock), clock,
              [this] { return open_now(); }) {}
  // It may be asked before start() has the server in its hands.
  std::size_t open_now() const {
    const http::Server* there = running;
    return there == nullptr ? 1 : there->connections();
  }

  const Options options;
  store::FreshReader database;
  std::unique_ptr<Desk> desk;
  Api api;
  Front front;
  std::atomic<const http::Server*> running = nullptr;  // the server's thread asks it
  std::unique_ptr<http::Server> server;
};

Result<std::unique_ptr<Web>> Web::start(const Options& options, const std::string& database,
                                        engine::Steering& steering,
                                        const engine::SnapshotBoard& snapshots, const Clock& clock,
                                        Workshop* workshop) {
  Result<std::unique_ptr<store::Reader>> reader = store::Reader::open(database);
  if (!reader) return reader.error();
  Result<std::unique_ptr<Desk>> desk = Desk::open({.database = database}, clock);
  if (!desk) return desk.error();
  auto state = std::make_unique<State>(options, database, std::move(*reader), std::move(*desk),
                                       steering, snapshots, clock, workshop);
  Result<std::unique_ptr<http::Server>> server =
      http::Server::start({{options.address, options.port}}, limits_of(options), state->front);
  if (!server) return Error{server.error().message + "; see web.listen", server.error().exit_code};
  state->server = std::move(*server);
  state->running = state->server.get();
  return std::unique_ptr<Web>(new Web(std::move(state)));
}

Web::Web(std::unique_ptr<State> state) : state_(std::move(state)) {}
Web::~Web() = default;

std::string Web::url() const {
  const Options& options = state_->options;
  const bool is_v6 = options.address.find(':') != std::string::npos;
  return (options.certificate.empty() ? "http://" : "https://") +
         (is_v6 ? "[" + options.address + "]" : options.address) + ":" +
         std::to_string(state_->server->port()) + options.base_path;
}

std::size_t Web::connections() const {
  return state_->server->connections();
}

}  // namespace pollux::web

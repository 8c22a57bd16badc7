#include "pollux/web/control.hpp"

#include "web/api.hpp"

namespace pollux::web {

struct Control::State {
  State(std::unique_ptr<store::Reader> opened, const ControlOptions& options,
        std::unique_ptr<Desk> opened_desk, engine::Steering& steering, const Clock& clock)
      : database(options.database, std::move(opened)),
        desk(std::move(opened_desk)),
        api({steering, database, clock, *desk, options.workshop}) {}

  store::FreshReader database;
  std::unique_ptr<Desk> desk;
  Api api;
  std::unique_ptr<http::Server> server;
};

Result<std::unique_ptr<Control>> Control::start(const ControlOptions& options,
                                                engine::Steering& steering, const Clock& clock) {
  Result<std::unique_ptr<store::Reader>> reader = store::Reader::open(options.database);
  if (!reader) return reader.error();
  Result<std::unique_ptr<Desk>> desk = Desk::open({.database = options.database}, clock);
  if (!desk) return desk.error();
  auto state =
      std::make_unique<State>(std::move(*reader), options, std::move(*desk), steering, clock);
  http::ServerOptions limits;
  limits.max_header_bytes = 16u << 10;
  limits.max_body_bytes = options.max_body_bytes;
  limits.max_bodies_bytes = 2 * options.max_body_bytes;
  limits.idle_limit = options.idle_limit;
  limits.answer_limit = options.answer_limit;
  limits.max_connections = options.max_connections;
  Result<std::unique_ptr<http::Server>> server =
      http::Server::start_unix(http::UnixSocket{.path = options.socket}, limits, state->api);
  if (!server) return server.error();
  state->server = std::move(*server);
  return std::unique_ptr<Control>(new Control(std::move(state)));
}

Control::Control(std::unique_ptr<State> state) : state_(std::move(state)) {}
Control::~Control() = default;

}  // namespace pollux::web

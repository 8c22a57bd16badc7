#include "pollux/http/client.hpp"

#include "pollux/base/text.hpp"
#include "pollux/http/server.hpp"

#include <array>
#include <optional>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

namespace pollux::http {
namespace {

namespace net = boost::asio;
namespace message = boost::beast::http;
using Problem = boost::system::error_code;

message::request<message::string_body> message_of(const ClientRequest& wanted) {
  message::request<message::string_body> request;
  request.version(11);
  request.method_string(wanted.method);
  request.target(wanted.target);
  request.set(message::field::host, "pollux");
  request.set(message::field::user_agent, "pollux/" POLLUX_VERSION);
  for (const auto& [name, value] : wanted.headers) request.set(name, value);
  if (!wanted.content_type.empty()) {
    request.set(message::field::content_type, wanted.content_type);
    request.body() = wanted.body;
    request.prepare_payload();
  }
  return request;
}

}  // namespace

struct Client::State {
  explicit State(ClientOptions given) : options(given) {}

  const ClientOptions options;
  net::io_context io{1};
  net::local::stream_protocol::socket socket{io};
  boost::beast::flat_buffer buffer;
  std::array<char, 16384> piece{};
  bool over = false;  // Asio would wait for an event that an end has only once

  // Starts an operation and waits for it as long as it may take. False: it is still under way.
  template <typename Start>
  bool run(Start start, Duration at_most, Problem& problem) {
    std::optional<Problem> ended;
    start([&ended](Problem error, std::size_t) { ended = error; });
    io.restart();
    io.run_for(at_most);
    if (!ended) {
      // So that nothing refers to what is on this stack.
      socket.cancel();
      io.restart();
      io.run();
      problem = net::error::timed_out;
      return false;
    }
    problem = *ended;
    return true;
  }
  Error broken(const Problem& problem) const {
    return {problem == net::error::timed_out
                ? "the daemon does not answer; `pollux status` tells how it is"
                : "the connection to the daemon broke: " + problem.message() +
                      "; `pollux status` tells whether it runs",
            ExitCode::unavailable};
  }
  Status send(const ClientRequest& wanted) {
    const auto request = message_of(wanted);
    message::request_serializer<message::string_body> serializer(request);
    Problem problem;
    run([&](auto done) { message::async_write(socket, serializer, done); }, options.patience,
        problem);
    // Whoever refuses a request before it is whole may be heard all the same.
    if (problem && problem != net::error::broken_pipe && problem != net::error::connection_reset)
      return broken(problem);
    return success();
  }
};

Client::Client(std::unique_ptr<State> state) : state_(std::move(state)) {}
Client::Client(Client&&) noexcept = default;
Client::~Client() = default;

Result<Client> Client::connect(const std::string& socket_path, ClientOptions options) {
  if (socket_path.size() > longest_socket_path) {
    return Error{
        "the path of the socket is longer than the system allows: " + printable(socket_path),
        ExitCode::unavailable};
  }
  auto state = std::make_unique<State>(options);
  Problem problem;
  state->socket.connect(net::local::stream_protocol::endpoint(socket_path), problem);
  if (!problem) return Client(std::move(state));
  const bool denied = problem == net::error::access_denied;
  return Error{printable(socket_path) + ": " + problem.message(),
               denied ? ExitCode::io : ExitCode::unavailable};
}

Result<ClientAnswer> Client::ask(const ClientRequest& request) {
  if (Status sent = state_->send(request); !sent) return sent.error();
  message::response_parser<message::string_body> parser;
  parser.body_limit(state_->options.max_answer_bytes);
  if (request.method == "HEAD") parser.skip(true);
  Problem problem;
  state_->run([&](auto done) { message::async_read(state_->socket, state_->buffer, parser, done); },
              state_->options.patience, problem);
  if (problem) return state_->broken(problem);
  auto& answer = parser.get();
  return ClientAnswer{answer.result_int(), std::string(answer[message::field::content_type]),
                      std::move(answer.body())};
}

Result<ClientAnswer> Client::begin_stream(const ClientRequest& request) {
  if (Status sent = state_->send(request); !sent) return sent.error();
  message::response_parser<message::empty_body> parser;
  Problem problem;
  state_->run(
      [&](auto done) { message::async_read_header(state_->socket, state_->buffer, parser, done); },
      state_->options.patience, problem);
  if (problem) return state_->broken(problem);
  const auto& answer = parser.get();
  return ClientAnswer{answer.result_int(), std::string(answer[message::field::content_type]), {}};
}

Client::Read Client::read(std::string& bytes, Duration at_most) {
  State& state = *state_;
  if (const auto rest = state.buffer.data(); rest.size() > 0) {  // came with the head
    bytes.assign(static_cast<const char*>(rest.data()), rest.size());
    state.buffer.consume(rest.size());
    return Read::bytes;
  }
  if (state.over) return Read::end;
  Problem problem;
  std::size_t got = 0;
  const bool ended = state.run(
      [&](auto done) {
        state.socket.async_read_some(net::buffer(state.piece),
                                     [&got, done](Problem error, std::size_t n) mutable {
                                       got = n;
                                       done(error, n);
                                     });
      },
      at_most, problem);
  if (got > 0) {
    bytes.assign(state.piece.data(), got);
    return Read::bytes;
  }
  state.over = ended;
  return ended ? Read::end : Read::nothing_yet;
}

}  // namespace pollux::http

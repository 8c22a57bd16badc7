#include "pollux/http/server.hpp"

#include "http/session.hpp"

#include <optional>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

namespace pollux::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using Count = std::shared_ptr<std::atomic<std::size_t>>;

// Accepts for ever on one address.
class Listener {
 public:
  Listener(tcp::acceptor acceptor, const ServerOptions& options, Handler& handler, Count open)
      : acceptor_(std::move(acceptor)),
        pause_(acceptor_.get_executor()),
        options_(options),
        handler_(handler),
        open_(std::move(open)) {}

  void accept() {
    acceptor_.async_accept([this](error_code error, tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (error) return accept_later();
      if (*open_ < options_.max_connections) {
        error_code ignored;
        socket.set_option(tcp::no_delay(true), ignored);
        serve(std::move(socket), options_, handler_, open_);
      }
      accept();
    });
  }

 private:
  // Out of descriptors, most likely: trying at once would spin.
  void accept_later() {
    pause_.expires_after(std::chrono::milliseconds(100));
    pause_.async_wait([this](error_code error) {
      if (!error) accept();
    });
  }

  tcp::acceptor acceptor_;
  asio::steady_timer pause_;
  const ServerOptions& options_;
  Handler& handler_;
  Count open_;
};

Result<tcp::acceptor> listen(asio::io_context& context, const Endpoint& wanted) {
  tcp::acceptor acceptor(context);
  error_code error;
  const asio::ip::address address = asio::ip::make_address(wanted.address, error);
  const tcp::endpoint endpoint(address, wanted.port);
  if (!error) acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) {
    return Error{"cannot listen on " + wanted.address + ':' + std::to_string(wanted.port) + ": " +
                     error.message() + "; choose another port, or end what uses this one",
                 ExitCode::io};
  }
  return acceptor;
}

std::uint16_t port_of(const tcp::acceptor& acceptor) {
  error_code ignored;
  return acceptor.local_endpoint(ignored).port();
}

Result<std::vector<tcp::acceptor>> listen_everywhere(asio::io_context& context,
                                                     const std::vector<Endpoint>& endpoints) {
  // A free port on the first address may be taken on another one: a few attempts are enough.
  for (int attempts_left = endpoints.front().port == 0 ? 20 : 1;; --attempts_left) {
    std::vector<tcp::acceptor> acceptors;
    std::uint16_t free_port = 0;
    std::optional<Error> failure;
    for (Endpoint endpoint : endpoints) {
      if (endpoint.port == 0) endpoint.port = free_port;
      Result<tcp::acceptor> acceptor = listen(context, endpoint);
      if (!acceptor) {
        failure = acceptor.error();
        break;
      }
      free_port = port_of(*acceptor);
      acceptors.push_back(std::move(*acceptor));
    }
    if (!failure) return acceptors;
    if (attempts_left <= 1) return *failure;
  }
}

}  // namespace

struct Server::State {
  explicit State(const ServerOptions& given) : options(given) {}

  const ServerOptions options;
  Count open = std::make_shared<std::atomic<std::size_t>>(0);
  std::uint16_t port = 0;
  asio::io_context context{1};
  std::vector<std::unique_ptr<Listener>> listeners;
  std::thread thread;
};

Result<std::unique_ptr<Server>> Server::start(const std::vector<Endpoint>& endpoints,
                                              const ServerOptions& options, Handler& handler) {
  if (endpoints.empty()) return Error{"a server needs an address", ExitCode::usage};
  auto state = std::make_unique<State>(options);
  Result<std::vector<tcp::acceptor>> acceptors = listen_everywhere(state->context, endpoints);
  if (!acceptors) return acceptors.error();
  state->port = port_of(acceptors->front());
  for (tcp::acceptor& acceptor : *acceptors) {
    state->listeners.push_back(
        std::make_unique<Listener>(std::move(acceptor), state->options, handler, state->open));
    state->listeners.back()->accept();
  }
  state->thread = std::thread([&context = state->context] { context.run(); });
  return std::unique_ptr<Server>(new Server(std::move(state)));
}

Server::Server(std::unique_ptr<State> state) : state_(std::move(state)) {}

Server::~Server() {
  state_->context.stop();
  state_->thread.join();
}

std::uint16_t Server::port() const {
  return state_->port;
}

std::size_t Server::connections() const {
  return *state_->open;
}

}  // namespace pollux::http

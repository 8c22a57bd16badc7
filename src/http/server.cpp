#include "pollux/http/server.hpp"

#include "http/session.hpp"
#include "http/unix_socket.hpp"
#include "pollux/base/text.hpp"

#include <exception>
#include <optional>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <spdlog/spdlog.h>

namespace pollux::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using local = asio::local::stream_protocol;

// Accepts for ever on one address.
class Listener {
 public:
  virtual ~Listener() = default;
};

template <typename Protocol>
class ListenerOn final : public Listener {
 public:
  using Acceptor = asio::basic_socket_acceptor<Protocol>;
  ListenerOn(Acceptor acceptor, std::shared_ptr<Common> common)
      : acceptor_(std::move(acceptor)),
        pause_(acceptor_.get_executor()),
        common_(std::move(common)) {
    accept();
  }

 private:
  void accept() {
    acceptor_.async_accept([this](error_code error, typename Protocol::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (error) return accept_later();
      error_code ignored;
      std::string peer;
      if constexpr (std::is_same_v<Protocol, tcp>) {
        socket.set_option(tcp::no_delay(true), ignored);
        peer = socket.remote_endpoint(ignored).address().to_string();
      }
      if (common_->has_room_for(peer)) serve(Socket(std::move(socket)), std::move(peer), common_);
      accept();
    });
  }

  // Out of descriptors, most likely: trying at once would spin.
  void accept_later() {
    pause_.expires_after(std::chrono::milliseconds(100));
    pause_.async_wait([this](error_code error) {
      if (!error) accept();
    });
  }

  Acceptor acceptor_;
  asio::steady_timer pause_;
  std::shared_ptr<Common> common_;
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

Result<std::unique_ptr<asio::ssl::context>> tls_context(const TlsFiles& files) {
  auto context = std::make_unique<asio::ssl::context>(asio::ssl::context::tls_server);
  error_code error;
  context->set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_tlsv1 |
                           asio::ssl::context::no_tlsv1_1 | asio::ssl::context::no_compression,
                       error);
  context->use_certificate_chain_file(files.certificate, error);
  if (error) {
    return Error{printable(files.certificate) +
                     " holds no certificate in PEM format: " + printable(error.message()),
                 ExitCode::configuration};
  }
  context->use_private_key_file(files.key, asio::ssl::context::pem, error);
  if (error) {
    return Error{printable(files.key) + " does not hold the private key of " +
                     printable(files.certificate) + " in PEM format: " + printable(error.message()),
                 ExitCode::configuration};
  }
  return context;
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
  State(const ServerOptions& given, Handler& handler)
      : options(given),
        common(std::make_shared<Common>(options, handler, std::make_shared<Mailbox>(context))) {}

  template <typename Protocol>
  void add(asio::basic_socket_acceptor<Protocol> acceptor) {
    listeners.push_back(std::make_unique<ListenerOn<Protocol>>(std::move(acceptor), common));
  }
  void begin() {
    thread = std::thread([this] {
      // A handler that fails costs its client an answer, not the process its life.
      while (!context.stopped()) {
        try {
          context.run();
        } catch (const std::exception& error) {
          spdlog::error("a request could not be answered: {}", printable(error.what()));
        }
      }
    });
  }

  const ServerOptions options;
  std::uint16_t port = 0;
  asio::io_context context{1};
  std::shared_ptr<Common> common;
  std::optional<ListeningFile> file;  // of a Unix socket
  std::vector<std::unique_ptr<Listener>> listeners;
  std::thread thread;
};

Result<std::unique_ptr<Server>> Server::start(const std::vector<Endpoint>& endpoints,
                                              const ServerOptions& options, Handler& handler) {
  if (endpoints.empty()) return Error{"a server needs an address", ExitCode::usage};
  auto state = std::make_unique<State>(options, handler);
  if (options.tls) {
    Result<std::unique_ptr<asio::ssl::context>> tls = tls_context(*options.tls);
    if (!tls) return tls.error();
    state->common->tls = std::move(*tls);
  }
  Result<std::vector<tcp::acceptor>> acceptors = listen_everywhere(state->context, endpoints);
  if (!acceptors) return acceptors.error();
  state->port = port_of(acceptors->front());
  for (tcp::acceptor& acceptor : *acceptors) state->add(std::move(acceptor));
  state->begin();
  return std::unique_ptr<Server>(new Server(std::move(state)));
}

Result<std::unique_ptr<Server>> Server::start_unix(const UnixSocket& socket,
                                                   const ServerOptions& options, Handler& handler) {
  auto state = std::make_unique<State>(options, handler);
  Result<ListeningFile> file = ListeningFile::make(socket);
  if (!file) return file.error();
  state->file.emplace(std::move(*file));
  state->add(local::acceptor(state->context, local(), state->file->release()));
  state->begin();
  return std::unique_ptr<Server>(new Server(std::move(state)));
}

Server::Server(std::unique_ptr<State> state) : state_(std::move(state)) {}

Server::~Server() {
  state_->common->mailbox->close();
  state_->context.stop();
  state_->thread.join();
}

std::uint16_t Server::port() const {
  return state_->port;
}

std::size_t Server::connections() const {
  return state_->common->open;
}

}  // namespace pollux::http

#include "pollux/demo/site.hpp"

#include "demo/responder.hpp"
#include "demo/session.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

namespace pollux::demo {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

asio::ip::address_v4 loopback(unsigned host) {
  return asio::ip::address_v4(0x7f000000u + host);
}

// Accepts for ever on one address.
class Listener {
 public:
  Listener(tcp::acceptor acceptor, Responder& responder)
      : acceptor_(std::move(acceptor)), pause_(acceptor_.get_executor()), responder_(responder) {}

  void accept() {
    acceptor_.async_accept([this](error_code error, tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (error) return accept_later();
      error_code ignored;
      socket.set_option(tcp::no_delay(true), ignored);
      serve(std::move(socket), responder_);
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
  Responder& responder_;
};

Result<tcp::acceptor> listen(asio::io_context& context, const tcp::endpoint& endpoint) {
  tcp::acceptor acceptor(context);
  error_code error;
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) {
    return Error{"the demo site cannot listen on " + endpoint.address().to_string() + ':' +
                     std::to_string(endpoint.port()) + ": " + error.message() +
                     "; choose another port, or end what uses this one",
                 ExitCode::io};
  }
  return acceptor;
}

// One port, free on every address.
Result<std::vector<tcp::acceptor>> listen_everywhere(asio::io_context& context,
                                                     const SiteOptions& options) {
  // A free port on the first address may be taken on another one: a few attempts are enough.
  for (int attempts_left = options.port == 0 ? 20 : 1;; --attempts_left) {
    std::vector<tcp::acceptor> acceptors;
    std::uint16_t port = options.port;
    std::optional<Error> failure;
    for (unsigned host = 1; host <= options.hosts && !failure; ++host) {
      Result<tcp::acceptor> acceptor = listen(context, {loopback(host), port});
      if (acceptor) {
        port = acceptor->local_endpoint().port();
        acceptors.push_back(std::move(*acceptor));
      } else {
        failure = acceptor.error();
      }
    }
    if (!failure) return acceptors;
    if (attempts_left <= 1) return *failure;
  }
}

}  // namespace

struct Site::State {
  State(const SiteOptions& given, const Clock& clock)
      : options(given), responder(given.world, clock) {}

  SiteOptions options;
  std::uint16_t port = 0;
  Responder responder;
  asio::io_context context{1};
  std::vector<std::unique_ptr<Listener>> listeners;
  std::thread thread;
};

Result<std::unique_ptr<Site>> Site::start(const SiteOptions& options, const Clock& clock) {
  if (options.hosts == 0 || options.hosts == 255 || options.world.pages == 0) {
    return Error{"a demo site needs at least one page and 1 to 254 hosts", ExitCode::usage};
  }
  auto state = std::make_unique<State>(options, clock);
  Result<std::vector<tcp::acceptor>> acceptors = listen_everywhere(state->context, options);
  if (!acceptors) return acceptors.error();
  state->port = acceptors->front().local_endpoint().port();
  for (tcp::acceptor& acceptor : *acceptors) {
    state->listeners.push_back(std::make_unique<Listener>(std::move(acceptor), state->responder));
    state->listeners.back()->accept();
  }
  state->thread = std::thread([&context = state->context] { context.run(); });
  return std::unique_ptr<Site>(new Site(std::move(state)));
}

Site::Site(std::unique_ptr<State> state) : state_(std::move(state)) {}

Site::~Site() {
  state_->context.stop();
  state_->thread.join();
}

std::uint16_t Site::port() const {
  return state_->port;
}

std::size_t Site::pages() const {
  return state_->responder.pages();
}

std::string Site::url(PageNumber page) const {
  const unsigned hosts = state_->options.hosts;
  const bool special = role(page) != Role::plain;
  const unsigned host = special || hosts == 1 ? hosts : 1 + (number(page) - 1) % (hosts - 1);
  return "http://" + loopback(host).to_string() + ':' + std::to_string(port()) + "/page/" +
         std::to_string(number(page));
}

std::string Site::index_url() const {
  return "http://" + loopback(1).to_string() + ':' + std::to_string(port()) + '/';
}

Role Site::role(PageNumber page) const {
  return state_->responder.role(page);
}

double Site::rate(PageNumber page) const {
  return state_->responder.rate(page);
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

#include "render/names.hpp"

#include <memory>
#include <optional>
#include <utility>

#include <arpa/inet.h>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace pollux::render {
namespace {

namespace asio = boost::asio;

bool is_numeric(const std::string& host) {
  unsigned char bytes[16];
  return inet_pton(AF_INET, host.c_str(), bytes) == 1 ||
         inet_pton(AF_INET6, host.c_str(), bytes) == 1;
}

// Pages of strangers must not take the threads that other lookups of the daemon may need.
fetch::Resolver::Options few_threads(fetch::Resolver::LookupFunction lookup) {
  fetch::Resolver::Options options;
  options.at_once = 8;
  options.max_threads = 16;
  options.lookup = std::move(lookup);
  return options;
}

}  // namespace

Names::Names(asio::io_context& io, fetch::Resolver::LookupFunction lookup)
    : io_(io),
      resolver_(io, few_threads(std::move(lookup)), [this](std::string host, fetch::Lookup found) {
        answered(host, std::move(found));
      }) {}

asio::awaitable<fetch::Lookup> Names::resolve(std::string host) {
  if (is_numeric(host)) co_return fetch::Lookup{{host}, {}};
  const auto now = std::chrono::steady_clock::now();
  if (names_.size() >= most_names)
    std::erase_if(names_, [now](const auto& name) {
      return !name.second.asking && name.second.until <= now;
    });
  if (asked_ >= most_asked || names_.size() >= most_names)
    co_return fetch::Lookup{{}, "too many names are being looked up"};
  Name& name = names_[host];
  if (!name.asking && name.until > now) co_return name.lookup;

  // Shared with the answer, which may come after this has given up.
  struct Waiting {
    explicit Waiting(asio::io_context& io) : timer(io) {}
    asio::steady_timer timer;
    std::optional<fetch::Lookup> lookup = {};
  };
  auto waiting = std::make_shared<Waiting>(io_);
  waiting->timer.expires_after(longest_lookup);
  name.waiters.emplace_back([waiting](const fetch::Lookup& lookup) {
    waiting->lookup = lookup;
    waiting->timer.cancel();
  });
  if (!std::exchange(name.asking, true)) {
    ++asked_;
    resolver_.resolve(host, host, fetch::Resolver::Record::clean);
  }
  boost::system::error_code ignored;
  co_await waiting->timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  if (!waiting->lookup) co_return fetch::Lookup{{}, "the name lookup takes too long"};
  co_return *waiting->lookup;
}

void Names::answered(const std::string& host, fetch::Lookup lookup) {
  Name& name = names_[host];
  name.asking = false;
  --asked_;
  name.until = std::chrono::steady_clock::now() + (lookup.error.empty() ? fresh : failed);
  name.lookup = std::move(lookup);
  for (const auto& wake : std::exchange(name.waiters, {})) wake(name.lookup);
}

}  // namespace pollux::render

// The only way out of the browser: an HTTP proxy on a listener that lies in the browser's network,
// while its connections leave from ours. Every one of them is looked up, checked by the address
// gate and made to the address that was checked. There is one proxy for each place in the browser,
// so what a page does is counted as that page's. Threading: the io_context's thread.
#pragma once

#include "pollux/fetch/address_gate.hpp"
#include "pollux/fetch/fetcher.hpp"
#include "render/names.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>

namespace pollux::render {

struct ProxyRules {
  fetch::AddressGate gate;
  std::vector<std::uint16_t> allow_ports;
};

// Why a connection was not made.
struct ProxyRefusal {
  std::string host_port;
  fetch::Failure failure = fetch::Failure::connect;
  std::string text;
};

struct ProxyLimits {
  std::uint64_t bytes = 0;
  std::size_t requests = 0;  // and tunnels
};

class Proxy {
 public:
  struct Listener {
    std::function<void(const ProxyRefusal&)> refused;
    std::function<void(std::string what)> exceeded;  // once; everything is closed by then
  };
  // `listener`: a descriptor of a TCP socket that listens; taken over. The names outlive it.
  Proxy(boost::asio::io_context& io, int listener, std::shared_ptr<const ProxyRules> rules,
        Names& names);
  ~Proxy();
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;

  // For a new page, from nothing. Between two pages nobody gets through.
  void begin(const ProxyLimits& limits, Listener listener);
  void end();  // closes every connection
  std::uint64_t bytes() const;

 private:
  struct State;  // shared with the connections, which end a moment after it
  std::shared_ptr<State> state_;
};

}  // namespace pollux::render

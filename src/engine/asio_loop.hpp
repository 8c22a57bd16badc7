// The EventLoop of the daemon: an io_context run by one thread.
#pragma once

#include "pollux/base/event_loop.hpp"

#include <boost/asio/io_context.hpp>

namespace pollux::engine {

class AsioLoop final : public EventLoop {
 public:
  explicit AsioLoop(boost::asio::io_context& io) : io_(io) {}
  void post(std::function<void()> handler) override;
  std::unique_ptr<Timer> make_timer() override;

 private:
  boost::asio::io_context& io_;
};

}  // namespace pollux::engine

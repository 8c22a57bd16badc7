// Speaks on the bus in an agent's name, by the protocol of an older version. On a thread of its
// own.
#pragma once

#include "pollux/bus/bus.hpp"

#include <atomic>
#include <cstddef>
#include <string>
#include <thread>

#include <boost/asio/io_context.hpp>

namespace pollux::bench {

class OldAgent {
 public:
  OldAgent(const std::string& name, const bus::Options& nats);
  ~OldAgent();
  std::size_t asked() const { return asked_; }
  std::size_t polls() const { return polls_; }  // messages with polls that it was sent

 private:
  void run(const std::string& name, const bus::Options& nats);
  std::atomic<std::size_t> asked_{0}, polls_{0};
  boost::asio::io_context io_{1};
  std::thread thread_;
};

}  // namespace pollux::bench

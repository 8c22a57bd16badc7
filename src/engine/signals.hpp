// SIGTERM and SIGINT stop, SIGHUP reloads. Those that come while the list is being read wait until
// there is somebody to hear them. Threading: the engine's thread.
#pragma once

#include <csignal>
#include <functional>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <spdlog/spdlog.h>

namespace pollux::engine {

class Signals {
 public:
  struct Handlers {
    std::function<void()> stop, reload;
  };
  // Not `handled`: somebody else has their own idea of signals, and nothing here has an effect.
  Signals(boost::asio::io_context& io, bool handled) : handled_(handled), set_(io) {}

  void hold() { block(SIG_BLOCK); }
  // While they are held: one that ends the program waits.
  bool told_to_stop() const {
    sigset_t waiting;
    return handled_ && sigpending(&waiting) == 0 &&
           (sigismember(&waiting, SIGTERM) == 1 || sigismember(&waiting, SIGINT) == 1);
  }
  void begin(Handlers handlers) {
    if (!handled_) return;
    handlers_ = std::move(handlers);
    for (const int number : {SIGTERM, SIGINT, SIGHUP}) set_.add(number);
    await();
    block(SIG_UNBLOCK);
  }
  // What comes now changes nothing any more, and must not end the process before it has ended well.
  void end() {
    set_.cancel();
    hold();
  }

 private:
  void block(int how) const {
    if (!handled_) return;
    sigset_t set;
    sigemptyset(&set);
    for (const int number : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, number);
    pthread_sigmask(how, &set, nullptr);
  }
  void await() {
    set_.async_wait([this](const boost::system::error_code& error, int number) {
      if (error) return;
      if (number == SIGHUP) {
        handlers_.reload();
      } else {
        spdlog::info("signal {}: stopping", number);
        handlers_.stop();
      }
      await();
    });
  }

  bool handled_;
  boost::asio::signal_set set_;
  Handlers handlers_;
};

}  // namespace pollux::engine

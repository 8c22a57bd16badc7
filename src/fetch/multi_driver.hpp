// Moves a curl multi handle with the events of an io_context: sockets, one timer, nothing else.
//
// Invariants: curl is never entered from inside one of its own callbacks; a socket is released from
// the reactor before curl may close it; an event for a socket that has been given back is dropped
// (its generation has moved on).
// Threading: the thread that runs the io_context.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <curl/curl.h>

namespace pollux::fetch {

class MultiDriver {
 public:
  // Called after every entry into curl: the moment to read messages and add handles.
  class Listener {
   public:
    virtual void on_turn() = 0;

   protected:
    ~Listener() = default;
  };

  MultiDriver(boost::asio::io_context& io, Listener& listener);
  ~MultiDriver();  // remove every easy handle first
  MultiDriver(const MultiDriver&) = delete;
  MultiDriver& operator=(const MultiDriver&) = delete;

  CURLM* multi() { return multi_; }
  // Asks for an on_turn() soon, from the event loop; several requests become one.
  void request_turn();

 private:
  struct Watch;
  using WatchPtr = std::shared_ptr<Watch>;
  using TimePoint = std::chrono::steady_clock::time_point;

  static int socket_callback(CURL*, curl_socket_t fd, int what, void* self, void*);
  static int timer_callback(CURLM*, long milliseconds, void* self);

  void watch(curl_socket_t fd, int what);
  static void arm(const WatchPtr& watch);
  static void arm_wait(const WatchPtr& watch, int direction);
  void on_event(const WatchPtr& watch, int direction, bool failed);
  void set_timer(long milliseconds);
  void arm_timer();
  void on_timer();
  void enter(curl_socket_t fd, int events);

  boost::asio::io_context& io_;
  Listener& listener_;
  CURLM* multi_;
  // Handlers that may outlive the driver hold this; it points to nothing once the driver is gone.
  std::shared_ptr<MultiDriver*> anchor_;
  std::vector<WatchPtr> watches_;  // indexed by descriptor, which the kernel keeps small
  boost::asio::steady_timer timer_;
  TimePoint deadline_ = TimePoint::max();   // when curl wants to be called; max: never
  TimePoint armed_for_ = TimePoint::max();  // when the timer will fire
  bool turn_posted_ = false;
  bool time_is_up_ = false;  // curl asked for a call "now"
};

}  // namespace pollux::fetch

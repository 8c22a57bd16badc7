// Moves a curl multi handle with the events of an io_context: sockets, one timer, nothing else.
//
// Curl's sockets live in an epoll set of their own, and the io_context waits for that set: one
// descriptor, however many connections. A wait of Asio's for each event would cost an allocation, a
// handler and a system call (epoll_ctl) per request; here a socket is registered once for its life.
//
// Invariants: curl is never entered from inside one of its own callbacks; an event for a socket
// that has been closed or given back is dropped (its generation has moved on), though its number
// may be in use again. A held socket is in no set. A socket that open_socket() made stays
// registered while curl keeps its connection idle; any other one is taken out as soon as curl stops
// watching it. Threading: the thread that runs the io_context.
#pragma once

#include "fetch/socket_hold.hpp"
#include "fetch/turn_quota.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <curl/curl.h>
#include <sys/epoll.h>

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
  // For CURLOPT_OPENSOCKETFUNCTION and CURLOPT_CLOSESOCKETFUNCTION (data: the driver).
  curl_socket_t open_socket(const curl_sockaddr& address);  // CURL_SOCKET_BAD: see errno
  static int close_socket(void* self, curl_socket_t fd);
  // Lets nothing more out of a connection until it is released; nothing comes in either, and no
  // event of it costs anything. May be called inside curl's callbacks. False: see errno, or it is
  // not a socket of ours.
  bool hold(curl_socket_t fd);
  void release(curl_socket_t fd);
  // Which of the sockets that open_socket() made and nobody holds; CURL_SOCKET_BAD: none.
  curl_socket_t find_socket(const ConnectionEnds& ends);
  // Something came on a kept connection that nobody had asked for: it would be taken for the answer
  // to the next request.
  bool is_stale(const ConnectionEnds& ends);
  // For CURLOPT_SSL_CTX_FUNCTION.
  TurnQuota& quota() { return quota_; }
  TurnQuota& no_quota() { return no_quota_; }
  // A transfer got something of an answer: its connection is not a flood.
  void note_content(std::size_t bytes) { content_ += bytes; }
  // Asks for an on_turn() soon, from the event loop; several requests become one.
  void request_turn();

 private:
  // One descriptor number. Its generation tells apart the sockets that had it one after another.
  struct Watch {
    std::uint32_t generation = 0;
    int wanted = 0;                // CURL_POLL_IN | CURL_POLL_OUT
    std::uint32_t registered = 0;  // events asked of epoll; 0: not in the set
    bool stale = false;            // something came while nobody listened
    bool ours = false;             // made by open_socket(), so its end will be told
    std::uint8_t barren = 0;       // turns one after another in which it gave much and no answer
    int waiting = -1;              // of a held one: where the connection is meanwhile
    int local_port = 0;            // 0: not looked up yet
  };
  using TimePoint = std::chrono::steady_clock::time_point;

  static int socket_callback(CURL*, curl_socket_t fd, int what, void* self, void*);
  static int timer_callback(CURLM*, long milliseconds, void* self);

  Watch& slot(curl_socket_t fd);
  void give_back(curl_socket_t fd);
  void mark_stale(Watch& watch, bool stale);
  void watch(curl_socket_t fd, int what);
  void subscribe(curl_socket_t fd, std::uint32_t events);
  void wait_for_events();
  void on_events();
  void continue_events();
  void on_event(curl_socket_t fd, std::uint32_t generation, std::uint32_t events);
  void set_timer(long milliseconds);
  void arm_timer();
  void on_timer();
  void enter(curl_socket_t fd, int events);
  void judge(curl_socket_t fd);

  boost::asio::io_context& io_;
  Listener& listener_;
  TurnQuota quota_;
  TurnQuota no_quota_{TurnQuota::Limit::none};
  SocketHold hold_;
  std::unordered_map<int, curl_socket_t> by_local_port_;  // as found the last time
  CURLM* multi_;
  // Handlers that may outlive the driver hold this; it points to nothing once the driver is gone.
  std::shared_ptr<MultiDriver*> anchor_;
  std::vector<Watch> watches_;  // indexed by descriptor, which the kernel keeps small
  boost::asio::posix::stream_descriptor set_;  // the epoll set
  // Told by epoll and not yet handled: all of them are before it is asked again, or those that are
  // always ready would always come first.
  static constexpr std::size_t events_a_round = 128;
  std::array<epoll_event, events_a_round> events_;
  std::size_t next_event_ = 0, event_count_ = 0;
  std::uint64_t content_ = 0;  // bytes, in this turn
  std::size_t stale_ = 0;      // connections
  boost::asio::steady_timer timer_;
  TimePoint deadline_ = TimePoint::max();   // when curl wants to be called; max: never
  TimePoint armed_for_ = TimePoint::max();  // when the timer will fire
  bool turn_posted_ = false;
  bool time_is_up_ = false;  // curl asked for a call "now"
};

}  // namespace pollux::fetch

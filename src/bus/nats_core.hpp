// What the threads behind one bus on NATS share: the loop's, ours that sends (NatsLink), ours that
// waits for the bucket (NatsBucket), and those of libnats.
#pragma once

#include "pollux/base/event_loop.hpp"
#include "pollux/bus/bus.hpp"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <set>

#include <nats/nats.h>

namespace pollux::bus {

using NatsConnection = std::shared_ptr<natsConnection>;

// A subscription as its owner sees it; it outlives connections.
struct NatsSubject {
  std::string pattern;
  std::function<void(Message)> handler;  // the loop's thread
  std::size_t most_bytes = 0;
  std::size_t waiting = 0;  // bytes that the handler has not seen; under the mutex
  std::atomic<std::uint64_t> dropped{0};
  bool open = true;  // the loop's thread
};

// What the sending thread does next, in the order in which it was asked.
struct Outgoing {
  enum class What : std::uint8_t { publish, subscribe, unsubscribe };
  What what = What::publish;
  std::string subject = {}, payload = {}, reply = {};
  std::shared_ptr<NatsSubject> heard = nullptr;
};

class NatsCore : public std::enable_shared_from_this<NatsCore> {
 public:
  explicit NatsCore(EventLoop& loop) : loop_(&loop) {}

  // From any thread. Nothing is posted once end() has come back.
  void post(std::function<void()> handler);
  void arrived(const std::shared_ptr<NatsSubject>& subject, Message message);
  void set_trouble(std::string why);  // logged when it is new
  std::string trouble() const;
  void warn_once(std::string_view what_a_server_says);
  bool up() const;
  NatsConnection connection() const;  // while it is up; or none
  bool stopping() const;

  // The loop's thread.
  bool send(Outgoing what);
  void end();
  void stop();  // wakes whoever waits; what is to be sent is sent

  // The sending thread.
  void set_up(NatsConnection connection, std::size_t largest_payload);
  void set_down();
  // From any thread: the connection with this number is no more.
  void lost(std::uint64_t connection_number);
  std::uint64_t next_number();
  // Waits for something to do; nothing is returned when the connection is lost or the end has come.
  std::deque<Outgoing> next_outgoing();
  void wait(Duration at_most);  // or until stop()

  mutable std::mutex mutex;
  std::vector<std::shared_ptr<NatsSubject>> subjects;  // under the mutex
  std::atomic<std::size_t> largest_payload{1u << 20};  // until a server says otherwise

  // The loop's thread.
  bool told_connected = false;
  std::function<void(bool)> listener;

 private:
  struct Arrived {
    std::shared_ptr<NatsSubject> subject;
    Message message;
  };
  void post_locked(std::function<void()> handler);
  void hand_over();
  void tell_connected();

  EventLoop* loop_;  // none after the end
  std::condition_variable wake_;
  std::deque<Outgoing> outgoing_;
  std::size_t outgoing_bytes_ = 0;
  std::deque<Arrived> arrived_;
  bool posted_ = false, up_ = false, lost_ = false, stopping_ = false;
  std::uint64_t number_ = 0;
  NatsConnection connection_;
  std::string trouble_;
  std::set<std::string> warned_;
  bool alive_ = true;  // the loop's thread
};

}  // namespace pollux::bus

// Keeps one connection to one of the servers, for ever, and sends what is to be sent: a thread of
// its own, because connecting, and writing to a server that takes nothing, wait.
//
// libnats reconnects by itself, but sends late what it kept meanwhile, reads changed certificates
// never and gives up when it was refused twice. So a lost connection ends here and a new one
// begins.
#pragma once

#include "bus/nats_address.hpp"
#include "bus/nats_core.hpp"

#include <map>
#include <thread>

namespace pollux::bus {

class NatsLink {
 public:
  NatsLink(std::shared_ptr<NatsCore> core, Options options, std::vector<NatsAddress> addresses);
  ~NatsLink();  // sends what is left, a moment at most

 private:
  void run();
  NatsConnection connect(const NatsAddress& address, std::uint64_t number);
  bool begin(const NatsAddress& address);
  void serve();
  void send(const Outgoing& what);
  void subscribe(const std::shared_ptr<NatsSubject>& subject);
  void unsubscribe(const std::shared_ptr<NatsSubject>& subject);
  void end_connection();

  std::shared_ptr<NatsCore> core_;
  const Options options_;
  const std::vector<NatsAddress> addresses_;
  // The thread's.
  NatsConnection connection_;
  std::map<std::shared_ptr<NatsSubject>, natsSubscription*> subscriptions_;
  std::thread thread_;
};

}  // namespace pollux::bus

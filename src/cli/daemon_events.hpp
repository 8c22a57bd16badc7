// What happens in a running daemon, event by event (server-sent events).
#pragma once

#include "pollux/http/client.hpp"

#include <string>
#include <vector>

#include <boost/json/object.hpp>

namespace pollux::cli {

struct DaemonEvent {
  std::string what;  // poll, change, health, gap
  boost::json::object data;
};

// Cuts a stream of bytes into events. A last one that is cut off is none.
class EventParser {
 public:
  std::vector<DaemonEvent> take(std::string_view bytes);

 private:
  std::string rest_;
};

class DaemonEvents {
 public:
  explicit DaemonEvents(http::Client client) : client_(std::move(client)) {}
  // What came within that time; `ended` when the daemon has ended.
  std::vector<DaemonEvent> take(Duration at_most);
  bool ended() const { return ended_; }

 private:
  http::Client client_;
  EventParser parser_;
  bool ended_ = false;
};

}  // namespace pollux::cli

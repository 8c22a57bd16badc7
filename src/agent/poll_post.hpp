// Polls on their way to agents, in messages that the bus takes, and which of them met nobody.
// Threading: one owner.
#pragma once

#include "agent/agent_link.hpp"
#include "pollux/bus/bus.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pollux::agent {

class PollPost {
 public:
  explicit PollPost(bus::Bus& bus) : bus_(bus) {}

  struct NotSent {
    std::uint64_t id;
    std::string why;
  };
  // Large requests go in several messages; one that is too large by itself does not go.
  std::vector<NotSent> send(AgentLink& link, const Polls& message);
  // The server says that nobody heard this batch: its polls.
  static std::vector<std::uint64_t> met_nobody(AgentLink& link, std::string_view batch);

 private:
  bus::Bus& bus_;
  std::uint64_t last_batch_ = 0;
};

}  // namespace pollux::agent

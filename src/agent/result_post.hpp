// Results on their way to the brain: small ones together, large ones in parts, in messages that the
// bus takes. What does not arrive is repeated by whoever has it. Threading: one owner.
#pragma once

#include "agent/messages.hpp"
#include "pollux/bus/bus.hpp"

#include <cstdint>
#include <vector>

namespace pollux::agent {

class ResultPost {
 public:
  ResultPost(bus::Bus& bus, const Subjects& subjects, std::uint64_t instance, std::uint64_t brain)
      : bus_(bus), subjects_(subjects), instance_(instance), brain_(brain) {}

  void add(const Result& result);
  // Sends what has been added. The results that no message can tell, because they are beyond what a
  // brain believes.
  std::vector<std::uint64_t> send();

 private:
  void send_together(std::vector<Result> results);
  void send_in_parts(const Result& result);

  bus::Bus& bus_;
  const Subjects& subjects_;
  const std::uint64_t instance_, brain_;
  std::vector<Result> together_;
  std::size_t bytes_ = 0;  // of their bodies
  std::vector<std::uint64_t> untold_;
};

}  // namespace pollux::agent

// What the contract of the bus is tested on: some members of one installation, by names that it
// gives out, and time that passes while they wait.
#pragma once

#include "pollux/bus/bus.hpp"

#include <functional>
#include <memory>
#include <string>

namespace pollux::bus {

class Installation {
 public:
  virtual ~Installation() = default;
  // Members may be called "first" and "second".
  virtual std::unique_ptr<Bus> join(const std::string& name) = 0;
  virtual void cut_off(const std::string& name) = 0;
  virtual void mend(const std::string& name) = 0;
  // Lets time pass until then, half a minute at most; false: in vain.
  virtual bool wait_for(const std::function<bool()>& happened) = 0;
  // Long enough for whatever is on its way.
  virtual void pass() = 0;
  virtual Duration entries_live() const = 0;
  virtual std::size_t largest_payload() const = 0;
};

std::unique_ptr<Installation> in_memory();
// None where nats-server is not installed.
std::unique_ptr<Installation> on_a_nats_server();

}  // namespace pollux::bus

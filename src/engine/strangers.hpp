// Hosts that were not reached the last time, or never: a dead name, a handshake that does not end.
// They leave half of the fetches to those that were reached, and a few flights are enough to find
// out about one of them. Threading: the engine's thread.
#pragma once

#include "engine/flight.hpp"
#include "engine/host_table.hpp"

#include <algorithm>
#include <utility>

namespace pollux::engine {

class Strangers {
 public:
  explicit Strangers(HostTable& hosts) : hosts_(hosts) {}

  // How long the host should be left alone, because too many flights are on their way to strangers;
  // zero: it may be approached.
  Duration wait(HostSlot slot, std::size_t most_fetches) const {
    const HostRecord& host = hosts_[slot];
    if (host.reached) return Duration::zero();
    if (host.approaching >= most_per_host) return std::chrono::milliseconds(20);
    const std::size_t most = std::max<std::size_t>(most_fetches / 2, 1);
    return flights_ >= most ? Duration(std::chrono::seconds(5)) : Duration::zero();
  }
  void depart(Flight& flight) {
    flight.stranger = !hosts_[flight.host].reached;
    if (!flight.stranger) return;
    ++flights_;
    ++hosts_[flight.host].approaching;
  }
  // At its host, or at the end of trying.
  void arrive(Flight& flight) {
    if (!std::exchange(flight.stranger, false)) return;
    --flights_;
    --hosts_[flight.host].approaching;
  }

 private:
  static constexpr std::uint16_t most_per_host = 8;
  HostTable& hosts_;
  std::size_t flights_ = 0;  // on their way to strangers
};

}  // namespace pollux::engine

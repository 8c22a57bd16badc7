// Hosts that did not answer the last time, or just before the time-out, or were never asked: a dead
// name, a handshake that does not end, a server that accepts and says nothing for long. Their
// flights may hold a fetch until the time-out, so they leave half of the fetches to those that
// answer, and a few flights are enough to find out about one of them. Threading: the engine's
// thread.
#pragma once

#include "engine/flight.hpp"
#include "engine/host_table.hpp"

#include <algorithm>
#include <utility>

namespace pollux::engine {

class Strangers {
 public:
  explicit Strangers(HostTable& hosts) : hosts_(hosts) {}

  // How long the host should be left alone, because too many flights are out to strangers; zero: it
  // may be approached.
  Duration wait(HostSlot slot, std::size_t most_fetches) const {
    const HostRecord& host = hosts_[slot];
    if (host.contact == Contact::answered) return Duration::zero();
    if (host.approaching >= most_per_host) return a_moment;
    if (flights_ < std::max<std::size_t>(most_fetches / 2, 1)) return Duration::zero();
    // One that was never asked may be as quick as any.
    return host.contact == Contact::none ? a_moment : a_while;
  }
  void depart(Flight& flight) {
    flight.stranger = hosts_[flight.host].contact != Contact::answered;
    if (!flight.stranger) return;
    ++flights_;
    ++hosts_[flight.host].approaching;
  }
  // At the end of the flight's request.
  void arrive(Flight& flight, const fetch::Response& response) {
    HostRecord& host = hosts_[flight.host];
    if (response.failure != fetch::Failure::cancelled && response.failure != fetch::Failure::agent)
      host.contact = contact_of(response);
    if (!std::exchange(flight.stranger, false)) return;
    --flights_;
    --host.approaching;
  }

 private:
  static Contact contact_of(const fetch::Response& response) {
    const bool told = response.status != 0 || response.exchange > Duration::zero();
    if (!told || response.failure == fetch::Failure::timeout) return Contact::silent;
    // What it waited for us is not its fault.
    return response.elapsed - response.rested > slow_answer ? Contact::slow : Contact::answered;
  }

  static constexpr Duration slow_answer = std::chrono::seconds(5);
  static constexpr std::uint16_t most_per_host = 8;
  static constexpr Duration a_moment = std::chrono::milliseconds(250);
  static constexpr Duration a_while = std::chrono::seconds(5);
  HostTable& hosts_;
  std::size_t flights_ = 0;  // to strangers
};

}  // namespace pollux::engine

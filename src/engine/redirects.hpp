// Where a redirect may lead: checked like any URL, counted, and to a host that can be asked soon.
// Whose poll leads there pays: each hop, and each request for robots.txt on the way, counts for its
// page.
// Hosts that only redirects lead to are kept in a small pool, so that a server which invents names
// cannot fill memory or database. Threading: the engine's thread.
#pragma once

#include "engine/flight.hpp"
#include "engine/host_table.hpp"
#include "pollux/base/url.hpp"
#include "pollux/config/config.hpp"
#include "pollux/schedule/scheduler.hpp"

#include <string>

namespace pollux::engine {

class Redirects {
 public:
  struct Options {
    int most_hops = 5;
    // That a poll may cause, robots.txt of the hosts it is redirected to included.
    int most_requests = 12;
    // A next hop waits for the politeness of its host so long, and so many hops wait for one host.
    Duration longest_wait = std::chrono::minutes(2);
    std::size_t most_waiting_for_a_host = 8;
  };
  Redirects(const config::Config& config, HostTable& hosts, schedule::Scheduler& scheduler,
            FlightTable& flights, const Options& options)
      : config_(config),
        hosts_(hosts),
        scheduler_(scheduler),
        flights_(flights),
        options_(options) {}

  // Turns the flight, whose answer is a redirect to `target`, to its next hop. An error says why it
  // ends here.
  Status follow(Flight& flight, const std::string& target, Instant now);

  // For robots.txt of where it leads: false when it has caused as many requests as a poll may.
  bool pay_for_robots(Flight& flight) const;

 private:
  Result<Url> check(const Flight& flight, const std::string& target) const;
  Result<Flight*> payer_of(Flight& flight) const;
  Result<HostSlot> host_for(const std::string& name, Instant now);

  const config::Config& config_;
  HostTable& hosts_;
  schedule::Scheduler& scheduler_;
  FlightTable& flights_;
  Options options_;
};

}  // namespace pollux::engine

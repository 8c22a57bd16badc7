// Requests for robots.txt: flights without a page, paid for and polite like any request, while the
// pages of their host wait. What they bring goes to the RobotsBook and into the database.
// Threading: the engine's thread.
#pragma once

#include "engine/flight.hpp"
#include "engine/manners.hpp"
#include "engine/outcome.hpp"
#include "engine/robots_book.hpp"
#include "pollux/store/sink.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace pollux::engine {

class RobotsRequests : public RobotsBook {
 public:
  RobotsRequests(const config::Config& config, HostTable& hosts, schedule::Scheduler& scheduler,
                 store::Sink& sink, const RobotsOptions& options)
      : RobotsBook(config, hosts, scheduler, options),
        manners_{config, hosts, scheduler},
        sink_(sink) {}

  // Makes a new flight one for the robots.txt that governs `url`.
  void begin_flight(Flight& flight, HostSlot host, std::string_view url);
  // The flight ended: with its answer, or with an error of our own. `whose`: the page whose
  // redirect made us ask; empty: one of the host's own.
  void finish(Flight& flight, std::string error, std::string_view whose, const Moment& moment,
              Rng& rng);
  // Whether a redirect may be followed to where it leads, once robots.txt there is known: nothing,
  // or the end.
  std::optional<End> refusal(const Flight& flight, Instant now, Rng& rng);

 private:
  Manners manners_;
  store::Sink& sink_;
};

}  // namespace pollux::engine

// What hosts say of a path that cannot exist: a page that turns into that has gone, whatever its
// status is. A host is asked when one of its pages has become another one altogether and nothing
// tells why, once a day at most, if `hosts.probe` and robots.txt allow it. The request is a flight
// without a page, paid for and polite like any. Only an answer with status 200 says anything: a
// host that knows a real 404 sends one for its pages, too. Answers are kept in bounded memory, the
// time of the question in the database. Threading: the engine's thread.
#pragma once

#include "engine/flight.hpp"
#include "engine/host_table.hpp"
#include "engine/look.hpp"
#include "engine/manners.hpp"
#include "pollux/base/rng.hpp"
#include "pollux/config/config.hpp"

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

namespace pollux::engine {

class MissingPages {
 public:
  static constexpr Duration every = std::chrono::hours(24);

  MissingPages(const config::Config& config, HostTable& hosts, schedule::Scheduler& scheduler)
      : manners_{config, hosts, scheduler} {}

  // Whether the host may be asked now; what robots.txt says of the URL is the caller's to find out.
  bool may_ask(HostSlot host, Instant now) const;
  // At the host of this page, a path that nobody has.
  static std::string url(std::string_view page_url, Rng& rng);
  // Makes a new flight the question, for the sake of this page.
  void begin_flight(Flight& flight, HostSlot host, std::string url, PageSlot page, Instant now);
  // Whether the answer says anything.
  bool finish(Flight& flight, Instant now);
  // Null: it says nothing, or has not been asked.
  std::shared_ptr<const MissingAnswer> answer(HostSlot host, Instant now);

 private:
  static constexpr std::size_t longest_answer = 128u << 10, most_bytes = 8u << 20, most = 1024;

  struct Kept {
    HostSlot host{};
    Instant at{};
    std::shared_ptr<const MissingAnswer> answer;
  };
  void forget_first();

  Manners manners_;
  std::deque<Kept> kept_;  // the oldest first
  std::size_t bytes_ = 0;
};

}  // namespace pollux::engine

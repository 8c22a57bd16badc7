// A request on its way out: it waits for its host if it must, is prepared (name, connection and
// TLS), paid for, and sent. Those that are ready wait for the budget, who came first goes first.
// The host is taken before it is prepared, and given back by whoever hears of the end. Threading:
// the engine's thread.
#pragma once

#include "engine/admission.hpp"
#include "engine/flight.hpp"
#include "engine/host_table.hpp"
#include "engine/strangers.hpp"
#include "pollux/fetch/fetcher.hpp"
#include "pollux/schedule/budget.hpp"

#include <functional>

namespace pollux::engine {

class Departures {
 public:
  // Called when the budget has paid for a request, before anything of it leaves.
  using Sent = std::function<void(const Flight&, Instant now)>;
  // `longest_wait`: for the politeness of a host.
  Departures(schedule::Budget& budget, HostTable& hosts, FlightTable& flights,
             Duration longest_wait, Sent sent)
      : flights_(flights),
        longest_wait_(longest_wait),
        sent_(std::move(sent)),
        admission_(budget, flights),
        strangers_(hosts) {}

  void begin(fetch::Fetcher& fetcher) { fetcher_ = &fetcher; }
  fetch::Fetcher* fetcher() const { return fetcher_; }  // null before

  // How long the host should be left alone; zero: it may be approached.
  Duration wait_for(HostSlot host, std::size_t most_fetches) const {
    return strangers_.wait(host, most_fetches);
  }
  void wait(Flight& flight, Instant host_ready, Instant now);

  bool may_prepare(Instant now) { return admission_.may_prepare(now); }
  Instant may_wait_until() const { return admission_.may_wait_until(); }
  // When there is something to do again; `eligible`: when there is something to prepare.
  Instant next(Instant eligible, Instant now);

  enum class Hold { until_paid_for, no };  // no: it is sent as soon as it is ready
  void prepare(Flight& flight, fetch::Request request, Hold hold, Instant now);
  // Its connection is there. True: it is the first of those that wait, so send_ready() may send it.
  bool ready(Flight& flight, Instant now);
  void send_ready(Instant now);
  // Before it is sent. Its end is on its way; meanwhile it does not stand among those that are
  // ready.
  void give_up(Flight& flight);
  void give_up_all();
  void forget(PageSlot page);  // it is being removed: its answer will be dropped
  void ended(Flight& flight, const fetch::Response& response);

 private:
  void pay(Flight& flight, Instant now);

  FlightTable& flights_;
  const Duration longest_wait_;
  const Sent sent_;
  fetch::Fetcher* fetcher_ = nullptr;
  Admission admission_;
  Strangers strangers_;
};

}  // namespace pollux::engine

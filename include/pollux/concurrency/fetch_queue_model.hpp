// How many fetches should bring pages to a queue that holds few of them: neither starved nor
// overflowing (document 004, which calls a fetch a robot; so does `pollux lab robots`).
//
// Fetches bring pages at `arrival_rate` each, one server empties the queue at `service_rate`; a
// page that finds `capacity` pages there (the one in service included) is lost. The cost to keep
// small is
//   starvation_weight · P(queue empty) + pages lost per unit of time.
// All functions are pure.
#pragma once

#include "pollux/base/result.hpp"

#include <vector>

namespace pollux::concurrency {

struct FetchQueueModel {
  double arrival_rate = 0.1;     // λ, of one fetch
  double service_rate = 1;       // μ
  int capacity = 5;              // K, at least 2
  double starvation_weight = 1;  // γ
};
// Rates and weight positive and finite, capacity and fetches within what can be computed.
Status check(const FetchQueueModel& model, int fetches);

// A fixed number of fetches.

// The cost at load ρ = fetches · λ/μ (the document's equation 4).
double fixed_cost(const FetchQueueModel& model, double load);
// The load with the least cost; there is exactly one (Lemma 1).
double best_load(const FetchQueueModel& model);
// What the cost is made of: γ · starvation + loss.
struct Parts {
  double starvation = 0;  // the part of the time in which the queue is empty
  double loss = 0;        // pages per unit of time that find it full
};
Parts fixed_parts(const FetchQueueModel& model, double load);
struct FixedOptimum {
  int fetches = 0;  // at least 1
  double cost = 0;
  Parts parts = {};
};
FixedOptimum best_fixed(const FetchQueueModel& model);  // Proposition 1
// The same for a queue that never fills (equation 16): whichever of ⌊μ/λ⌋ and ⌈μ/λ⌉ costs less.
int best_fixed_for_long_queues(const FetchQueueModel& model);

// Fetches switched on and off at arrivals and departures, by what waits and how many are out.

struct SwitchingPolicy {
  int capacity = 0, fetches = 0;
  // By the number of waiting pages: with fewer fetches out than this, switching one on pays.
  std::vector<int> fetches_at;

  // The document's decisions; `queue` and `out` are counted just before the event.
  // The fetch that brings a page goes out again:
  bool reactivates(int queue, int out) const;
  // One more fetch goes out when a page leaves:
  bool activates(int queue, int out) const;
};

enum class Event { arrival, departure };
// The document's switching curves f_s(r): the most pages that may wait for a fetch to be switched
// on at the event; −1 when none ever is.
int switching_point(const SwitchingPolicy& policy, Event event, int out);

struct SwitchedOptimum {
  double cost = 0;
  SwitchingPolicy policy;
  int steps = 0;  // of value iteration
};
// Relative value iteration with at most `fetches` fetches; the cost is exact to `precision` times
// (γ + μ). An error when the rates lie so far apart that it would take for ever.
Result<SwitchedOptimum> best_switched(const FetchQueueModel& model, int fetches,
                                      double precision = 1e-7);

struct Usage {
  double mean = 0;
  int least = 0, most = 0;  // ever out, once the start is forgotten
  double cost = 0;          // of the policy
  Parts parts = {};
};
Usage fetches_used(const FetchQueueModel& model, const SwitchingPolicy& policy);

}  // namespace pollux::concurrency

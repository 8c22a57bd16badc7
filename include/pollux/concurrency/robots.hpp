// How many robots should bring pages to a queue that holds few of them: neither starved nor
// overflowing ("Controlling Robots of Web Search Engines", Talim, Liu, Nain, Coffman).
//
// Robots bring pages at `arrival_rate` each, one server empties the queue at `service_rate`; a page
// that finds `capacity` pages there (the one in service included) is lost. The cost to keep small
// is
//   starvation_weight · P(queue empty) + pages lost per unit of time.
// All functions are pure.
#pragma once

#include "pollux/base/result.hpp"

#include <vector>

namespace pollux::concurrency {

struct Model {
  double arrival_rate = 0.1;     // λ, of one robot
  double service_rate = 1;       // μ
  int capacity = 5;              // K, at least 2
  double starvation_weight = 1;  // γ
};
// Rates and weight positive and finite, capacity and robots within what can be computed.
Status check(const Model& model, int robots);

// A fixed number of robots.

// The cost at load ρ = robots · λ/μ (the document's equation 4).
double static_cost(const Model& model, double load);
// The load with the least cost; there is exactly one (Lemma 1).
double best_load(const Model& model);
struct StaticOptimum {
  int robots = 0;  // at least 1
  double cost = 0;
};
StaticOptimum best_static(const Model& model);  // Proposition 1

// Robots switched on and off at arrivals and departures, by what waits and how many are out.

struct Policy {
  int capacity = 0, robots = 0;
  // By the number of waiting pages: with fewer robots out than this, switching one on pays.
  std::vector<int> robots_at;

  // The document's decisions; `queue` and `out` are counted just before the event.
  // The robot that brings a page goes out again:
  bool reactivates(int queue, int out) const;
  // One more robot goes out when a page leaves:
  bool activates(int queue, int out) const;
};

enum class Event { arrival, departure };
// The document's switching curves f_s(r): the most pages that may wait for a robot to be switched
// on at the event; −1 when none ever is.
int switching_point(const Policy& policy, Event event, int out);

struct DynamicOptimum {
  double cost = 0;
  Policy policy;
  int steps = 0;  // of value iteration
};
// Relative value iteration with at most `robots` robots; the cost is exact to `precision` times
// (γ + μ). An error when the rates lie so far apart that it would take for ever.
Result<DynamicOptimum> best_dynamic(const Model& model, int robots, double precision = 1e-7);

struct Usage {
  double mean = 0;
  int least = 0, most = 0;  // ever out, once the start is forgotten
  double cost = 0;          // of the policy
};
Usage robots_used(const Model& model, const Policy& policy);

}  // namespace pollux::concurrency

#include "pollux/concurrency/fetch_queue_model.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace pollux::concurrency {
namespace {

constexpr int most_states = 2'000'000;
constexpr double most_steps = 1e6;
constexpr double most_work = 2e9;  // states × steps: some seconds

// The document's states (queue, fetches, event) with the event taken out: the decision is made
// right after it, so it is enough to know what a state is worth once the decision is taken.
class Chain {
 public:
  Chain(const FetchQueueModel& model, int fetches)
      : model_(model),
        fetches_(fetches),
        width_(static_cast<std::size_t>(fetches) + 1),
        pace_(model.arrival_rate * fetches + model.service_rate) {}

  std::size_t states() const { return width_ * (static_cast<std::size_t>(model_.capacity) + 1); }
  std::size_t at(int queue, int out) const {
    return static_cast<std::size_t>(queue) * width_ + static_cast<std::size_t>(out);
  }
  int queue_of(std::size_t state) const { return static_cast<int>(state / width_); }
  int out_of(std::size_t state) const { return static_cast<int>(state % width_); }
  double steps_allowed() const {
    return std::min(most_steps, most_work / static_cast<double>(states()));
  }
  double arrival(int out) const { return model_.arrival_rate * out / pace_; }
  double departure(int queue) const { return queue > 0 ? model_.service_rate / pace_ : 0; }
  double cost(int queue, int out) const {
    return (queue == 0 ? model_.starvation_weight : 0) +
           (queue == model_.capacity ? model_.arrival_rate * out : 0);
  }
  int after_arrival(int queue) const { return std::min(queue + 1, model_.capacity); }
  // Where an event leads under a policy.
  std::size_t arrived(const SwitchingPolicy& policy, int queue, int out) const {
    return at(after_arrival(queue), out - (policy.reactivates(queue, out) ? 0 : 1));
  }
  std::size_t departed(const SwitchingPolicy& policy, int queue, int out) const {
    return at(queue - 1, out + (policy.activates(queue, out) ? 1 : 0));
  }
  // An empty queue without fetches would stay so for ever: the document rules it out.
  bool forbidden(int queue, int out) const { return queue == 0 && out == 0; }
  bool pays(const std::vector<double>& worth, int queue, int out) const {
    return out < fetches_ &&
           (forbidden(queue, out) || worth[at(queue, out + 1)] < worth[at(queue, out)]);
  }

 private:
  FetchQueueModel model_;
  int fetches_;
  std::size_t width_;
  double pace_;  // of all events, fictitious ones included
};

struct Bounds {
  double low = 1e300, high = -1e300;  // of the least possible mean cost
};

// One step of value iteration, from `worth` to `next`. `better` is room for what a state is worth
// when one more fetch may be switched on in it.
Bounds improve(const Chain& chain, const FetchQueueModel& model, int fetches,
               const std::vector<double>& worth, std::vector<double>& better,
               std::vector<double>& next) {
  for (std::size_t i = 0; i + 1 < worth.size(); ++i) better[i] = std::min(worth[i], worth[i + 1]);
  better[chain.at(0, 0)] = worth[chain.at(0, 1)];  // the one that is forbidden
  for (int queue = 0; queue <= model.capacity; ++queue) {
    better[chain.at(queue, fetches)] = worth[chain.at(queue, fetches)];
  }
  Bounds bounds;
  for (int queue = 0; queue <= model.capacity; ++queue) {
    const double departure = chain.departure(queue), one_arrival = chain.arrival(1);
    const double waits = chain.cost(queue, 0), lost = chain.cost(queue, 1) - waits;
    const double* const now = &worth[chain.at(queue, 0)];
    const double* const fuller = &better[chain.at(chain.after_arrival(queue), 0)];
    const double* const emptier = &better[chain.at(std::max(queue - 1, 0), 0)];
    double* const then = &next[chain.at(queue, 0)];
    for (int out = queue == 0 ? 1 : 0; out <= fetches; ++out) {
      const double arrival = one_arrival * out;
      const double value = waits + lost * out + (1 - arrival - departure) * now[out] +
                           departure * emptier[out] + arrival * fuller[std::max(out - 1, 0)];
      then[out] = value;
      bounds.low = std::min(bounds.low, value - now[out]);
      bounds.high = std::max(bounds.high, value - now[out]);
    }
  }
  return bounds;
}

SwitchingPolicy policy_of(const Chain& chain, const FetchQueueModel& model, int fetches,
                          const std::vector<double>& worth) {
  SwitchingPolicy policy{model.capacity, fetches, {}};
  for (int queue = 0; queue <= model.capacity; ++queue) {
    int out = 0;
    while (chain.pays(worth, queue, out)) ++out;
    policy.fetches_at.push_back(out);
  }
  return policy;
}

// How often each state is met under a policy, from one fetch and an empty queue.
std::vector<double> stationary(const Chain& chain, const FetchQueueModel& model,
                               const SwitchingPolicy& policy) {
  std::vector<double> chance(chain.states(), 0.0), next(chain.states(), 0.0);
  chance[chain.at(0, 1)] = 1;
  double moved = 1;
  for (double step = 0; step < chain.steps_allowed() && moved > 1e-12; ++step) {
    std::fill(next.begin(), next.end(), 0.0);
    for (int queue = 0; queue <= model.capacity; ++queue) {
      const double departure = chain.departure(queue);
      for (int out = 0; out <= policy.fetches; ++out) {
        const double part = chance[chain.at(queue, out)];
        if (part == 0) continue;
        const double arrival = chain.arrival(out);
        next[chain.at(queue, out)] += part * (1 - arrival - departure);
        if (out > 0) next[chain.arrived(policy, queue, out)] += part * arrival;
        if (queue > 0) next[chain.departed(policy, queue, out)] += part * departure;
      }
    }
    moved = 0;
    for (std::size_t i = 0; i < next.size(); ++i) moved += std::abs(next[i] - chance[i]);
    chance.swap(next);
  }
  return chance;
}

}  // namespace

Status check(const FetchQueueModel& model, int fetches) {
  // Said by `lab robots`, so in the words of its options.
  const auto refuse = [](const std::string& what) { return Error{what, ExitCode::usage}; };
  for (const double rate : {model.arrival_rate, model.service_rate, model.starvation_weight}) {
    if (!std::isfinite(rate) || rate <= 0) return refuse("lambda, mu and gamma must be above 0");
  }
  if (model.capacity < 2) return refuse("the capacity must be 2 or more");
  if (fetches < 1) return refuse("at least one robot is needed");
  if ((fetches + 1.0) * (model.capacity + 1.0) > most_states) {
    return refuse("robots times capacity must be below " + std::to_string(most_states));
  }
  return success();
}

bool SwitchingPolicy::reactivates(int queue, int out) const {
  return out - 1 < fetches_at[static_cast<std::size_t>(std::min(queue + 1, capacity))];
}

bool SwitchingPolicy::activates(int queue, int out) const {
  return out < fetches_at[static_cast<std::size_t>(queue - 1)];
}

int switching_point(const SwitchingPolicy& policy, Event event, int out) {
  const bool arrival = event == Event::arrival;
  if (arrival ? out == 0 : out == policy.fetches) return -1;
  for (int queue = policy.capacity; queue >= (arrival ? 0 : 1); --queue) {
    if (arrival ? policy.reactivates(queue, out) : policy.activates(queue, out)) return queue;
  }
  return -1;
}

Result<SwitchedOptimum> best_switched(const FetchQueueModel& model, int fetches, double precision) {
  if (Status possible = check(model, fetches); !possible) return possible.error();
  const Chain chain(model, fetches);
  const double wanted = precision * (model.starvation_weight + model.service_rate);
  std::vector<double> worth(chain.states(), 0.0), next(chain.states(), 0.0);
  std::vector<double> better(chain.states(), 0.0);
  for (int step = 1; step <= chain.steps_allowed(); ++step) {
    const Bounds bounds = improve(chain, model, fetches, worth, better, next);
    const double reference = next[chain.at(0, 1)];
    for (double& value : next) value -= reference;
    worth.swap(next);
    if (bounds.high - bounds.low <= wanted) {
      return SwitchedOptimum{(bounds.low + bounds.high) / 2,
                             policy_of(chain, model, fetches, worth), step};
    }
  }
  return Error{
      "no policy was found in time: lambda and mu lie too far apart, or there are too many "
      "robots; bring lambda times robots nearer to mu",
      ExitCode::usage};
}

Usage fetches_used(const FetchQueueModel& model, const SwitchingPolicy& policy) {
  const Chain chain(model, policy.fetches);
  const std::vector<double> chance = stationary(chain, model, policy);
  // From the likeliest state, which recurs, exactly the recurrent ones are reached.
  const auto start =
      static_cast<std::size_t>(std::max_element(chance.begin(), chance.end()) - chance.begin());
  std::vector<bool> seen(chain.states(), false);
  std::vector<std::size_t> open{start};
  seen[start] = true;
  Usage usage{0, policy.fetches, 0, 0, {}};
  const auto visit = [&](std::size_t state) {
    if (!seen[state]) open.push_back(state);
    seen[state] = true;
  };
  while (!open.empty()) {
    const std::size_t state = open.back();
    open.pop_back();
    const int queue = chain.queue_of(state), out = chain.out_of(state);
    usage.mean += out * chance[state];
    usage.cost += chain.cost(queue, out) * chance[state];
    if (queue == 0) usage.parts.starvation += chance[state];
    if (queue == model.capacity) usage.parts.loss += model.arrival_rate * out * chance[state];
    usage.least = std::min(usage.least, out);
    usage.most = std::max(usage.most, out);
    if (out > 0) visit(chain.arrived(policy, queue, out));
    if (queue > 0) visit(chain.departed(policy, queue, out));
  }
  return usage;
}

}  // namespace pollux::concurrency

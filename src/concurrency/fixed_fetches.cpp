#include "pollux/concurrency/fetch_queue_model.hpp"

#include <algorithm>
#include <cmath>

namespace pollux::concurrency {
namespace {

// The sign of dC/dρ. Written with sums instead of the document's quotient, which is 0/0 at ρ = 1;
// above 1 in powers of 1/ρ, so that nothing overflows.
double slope(const FetchQueueModel& model, double load) {
  const int k = model.capacity;
  const double mu = model.service_rate, gamma = model.starvation_weight;
  double sum = 0, weighted = 0, power = 1;
  if (load <= 1) {
    for (int i = 0; i <= k; ++i) {  // power = ρ^i
      sum += power;
      weighted += (i + 1) * power * (i < k);
      power *= load;
    }
    return mu * (k + 1) * std::pow(load, k) * sum - (gamma + mu * power) * weighted;
  }
  for (int i = 0; i <= k; ++i) {  // power = ρ^-i
    sum += power;
    weighted += (k - i) * power;
    power /= load;
  }
  return mu * (k + 1) * sum - (gamma * power + mu) * weighted;
}

}  // namespace

Parts fixed_parts(const FetchQueueModel& model, double load) {
  const double step = load <= 1 ? load : 1 / load;
  double sum = 0, power = 1;
  for (int i = 0; i < model.capacity; ++i) {
    sum += power;
    power *= step;
  }
  sum += power;  // power = step^K
  return load <= 1 ? Parts{1 / sum, model.service_rate * power * load / sum}
                   : Parts{power / sum, model.service_rate * load / sum};
}

double fixed_cost(const FetchQueueModel& model, double load) {
  const Parts parts = fixed_parts(model, load);
  return model.starvation_weight * parts.starvation + parts.loss;
}

double best_load(const FetchQueueModel& model) {
  double low = 0, high = 1;
  while (slope(model, high) < 0) {
    low = high;
    high *= 2;
  }
  for (int i = 0; i < 200 && high - low > 1e-15 * high; ++i) {
    const double middle = (low + high) / 2;
    (slope(model, middle) < 0 ? low : high) = middle;
  }
  return (low + high) / 2;
}

FixedOptimum best_fixed(const FetchQueueModel& model) {
  const double ideal = best_load(model) * model.service_rate / model.arrival_rate;
  const double below = std::clamp(std::floor(ideal), 1.0, 1e9);
  const auto cost = [&](double fetches) {
    return fixed_cost(model, fetches * model.arrival_rate / model.service_rate);
  };
  const double fetches = cost(below + 1) < cost(below) ? below + 1 : below;
  return {static_cast<int>(fetches), cost(fetches),
          fixed_parts(model, fetches * model.arrival_rate / model.service_rate)};
}

int best_fixed_for_long_queues(const FetchQueueModel& model) {
  const double even = model.service_rate / model.arrival_rate;
  const double below = std::clamp(std::floor(even), 1.0, 1e9);
  const double above = std::max(std::ceil(even), below);
  // What C tends to as K grows: below a load of 1 nothing is lost, above it nothing starves.
  const auto cost = [&](double fetches) {
    const double load = fetches / even;
    return load <= 1 ? model.starvation_weight * (1 - load) : model.service_rate * (load - 1);
  };
  return static_cast<int>(cost(above) <= cost(below) ? above : below);
}

}  // namespace pollux::concurrency

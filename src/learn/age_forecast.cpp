#include "learn/age_model.hpp"

#include <algorithm>
#include <cmath>

namespace pollux::learn {

namespace {
constexpr double certainty = 1 - 1e-9;
constexpr int halvings = 12;               // of a bracket of one octave: 0.02 %
constexpr double integration_step = 0.12;  // of the wait so far
}  // namespace

AgeForecast::AgeForecast(double rate) : hazard_(0, {}), rate_(rate) {}

double AgeForecast::by_age(double waited) const {
  double before = 0, now = 0;
  for (std::size_t k = 0; k < points; ++k) {
    before += weight_[k];
    now +=
        weight_[k] * std::exp(hazard_.cumulative(age_[k]) - hazard_.cumulative(age_[k] + waited));
  }
  return 1 - now / before;
}

double AgeForecast::by_rate(double waited) const {
  return -std::expm1(-rate_ * waited);
}

double AgeForecast::outdated(double waited) const {
  const double memoryless = by_rate(waited);
  if (trust_ == 0) return memoryless;
  return std::clamp(memoryless + trust_ * (by_age(waited) - memoryless), 0.0, 1.0);
}

double AgeForecast::time_outdated(double waited) const {
  if (trust_ == 0) return waited - by_rate(waited) / rate_;
  double time = 0, at = 0, probability = 0;
  for (double step = waited / 4096; at < waited; step = std::max(step, integration_step * at)) {
    const double next = std::min(at + step, waited);
    const double there = outdated(next);
    time += (next - at) * (probability + there) / 2;
    at = next;
    probability = there;
  }
  return time;
}

double AgeForecast::wait_for(double probability, double longest) const {
  const double wanted = std::clamp(probability, 0.0, certainty);
  const double guess = -std::log1p(-wanted) / rate_;
  if (trust_ == 0) return std::min(guess, longest);
  double low = std::min(guess, longest), high = low;
  while (high < longest && outdated(high) < wanted) {
    low = high;
    high = std::min(2 * high, longest);
  }
  if (high >= longest && outdated(longest) < wanted) return longest;
  while (low > 1e-6 * guess && outdated(low) >= wanted) {
    high = low;
    low /= 2;
  }
  for (int i = 0; i < halvings; ++i) {
    const double middle = (low + high) / 2;
    (outdated(middle) < wanted ? low : high) = middle;
  }
  return high;
}

double AgeForecast::wait_for_time(double seconds, double longest) const {
  double time = 0, at = 0, probability = 0;
  double step = std::min(longest, std::min(seconds, 1 / rate_)) / 64;
  while (at < longest) {
    const double next = std::min(at + step, longest);
    const double there = outdated(next);
    const double added = (next - at) * (probability + there) / 2;
    if (time + added >= seconds) return at + (next - at) * (seconds - time) / added;
    time += added;
    at = next;
    probability = there;
    step = std::max(step, integration_step * at);
  }
  return longest;
}

double AgeForecast::outdated_after_poll(double waited, double later) const {
  const double memoryless = by_rate(later);
  if (trust_ == 0) return memoryless;
  const double changed = by_age(waited);
  double same = 0, same_later = 0;
  for (std::size_t k = 0; k < points; ++k) {
    const double age = age_[k] + waited;
    const double weight = weight_[k] * std::exp(-hazard_.cumulative(age));
    same += weight;
    same_later += weight * std::exp(hazard_.cumulative(age) - hazard_.cumulative(age + later));
  }
  const double if_same = same > 0 ? 1 - same_later / same : memoryless;
  // After a change it is as young as anything between nothing and the wait.
  double if_changed = 0;
  for (const double part : {1.0 / 6, 0.5, 5.0 / 6}) {
    const double age = part * waited;
    if_changed -= std::expm1(hazard_.cumulative(age) - hazard_.cumulative(age + later)) / 3;
  }
  const double aged = if_same + changed * (if_changed - if_same);
  return std::clamp(memoryless + trust_ * (aged - memoryless), 0.0, 1.0);
}

}  // namespace pollux::learn

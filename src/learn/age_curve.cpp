#include "learn/age_curve.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace pollux::learn {

namespace age_grid {

namespace {
const std::array<double, last + 1>& edges() {
  static const std::array<double, last + 1> table = [] {
    std::array<double, last + 1> made{};
    for (int i = 0; i <= last; ++i) {
      made[static_cast<std::size_t>(i)] = std::exp2(static_cast<double>(i) / steps_per_octave);
    }
    return made;
  }();
  return table;
}
}  // namespace

double edge(int step) {
  return edges()[static_cast<std::size_t>(step)];
}

int step_of(double age) {
  if (!(age > 1)) return 0;
  return std::min(static_cast<int>(steps_per_octave * std::log2(age)), last - 1);
}

}  // namespace age_grid

namespace {
// The window ends at four mean lifetimes and begins at a sixteenth of one.
constexpr double lifetimes_covered = 4;
// An octave: the window does not follow every wobble of the estimate.
constexpr int tolerated_shift = age_grid::steps_per_octave;

int first_for(double rate) {
  const int top = age_grid::step_of(lifetimes_covered / std::max(rate, 1e-12));
  return std::clamp(top - curve_steps + 1, 0, age_grid::last - curve_steps);
}
}  // namespace

bool AgeCounts::follow(double changes_per_second) {
  const int wanted = first_for(changes_per_second);
  const bool blank = std::all_of(seconds.begin(), seconds.end(), [](float s) { return s == 0; });
  if (std::abs(wanted - first) < (blank ? 1 : tolerated_shift)) return false;
  AgeCounts moved;
  moved.first = static_cast<std::uint8_t>(wanted);
  for (int i = 0; i < curve_steps; ++i) {
    const auto from = static_cast<std::size_t>(i);
    const auto to = static_cast<std::size_t>(std::clamp(first + i - wanted, 0, curve_steps - 1));
    moved.changes[to] += changes[from];
    moved.seconds[to] += seconds[from];
  }
  *this = moved;
  return true;
}

void AgeCounts::forget(float keep) {
  for (float& count : changes) count *= keep;
  for (float& time : seconds) time *= keep;
}

Hazard::Hazard(int first, const std::array<double, curve_steps>& changes_per_second)
    : first_(first), rate_(changes_per_second) {
  for (std::size_t i = 1; i < curve_steps; ++i) {
    below_[i] = below_[i - 1] + rate_[i - 1] * (end(i - 1) - begin(i - 1));
  }
}

double Hazard::begin(std::size_t step) const {
  return step == 0 ? 0 : age_grid::edge(first_ + static_cast<int>(step));
}

double Hazard::end(std::size_t step) const {
  return step + 1 == curve_steps ? std::numeric_limits<double>::infinity()
                                 : age_grid::edge(first_ + static_cast<int>(step) + 1);
}

std::size_t Hazard::step(double age) const {
  return static_cast<std::size_t>(std::clamp(age_grid::step_of(age) - first_, 0, curve_steps - 1));
}

double Hazard::cumulative(double age) const {
  const std::size_t at = step(age);
  return below_[at] + rate_[at] * std::max(age - begin(at), 0.0);
}

}  // namespace pollux::learn

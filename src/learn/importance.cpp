#include "pollux/learn/importance.hpp"

#include <algorithm>
#include <cmath>

namespace pollux::learn {

namespace {
constexpr double largest_y = 40;
}

double marginal_value(double y) {
  return y < 1e-4 ? y * y / 2 : -std::expm1(-y) - y * std::exp(-y);
}

double inverse_marginal_value(double v) {
  if (v <= 0) return 0;
  if (v >= 1) return largest_y;
  // Newton on ln(1+y) − y = ln(1−v), whose slope is −y/(1+y): convex, so from the left of the root
  // the steps do not overshoot far.
  const double target = std::log1p(-v);
  double y = std::max(std::sqrt(2 * v), -target);
  for (int i = 0; i < 6; ++i) {
    const double step = (std::log1p(y) - y - target) * (1 + y) / y;
    y += step;
    if (std::abs(step) < 1e-9 * y) break;
  }
  return std::min(y, largest_y);
}

void ImportanceHistogram::add(double importance, double rate) {
  // Eight bins to the octave, around importance 1.
  const double at = 64 + 8 * std::log2(importance);
  Bin& bin = bins_[static_cast<std::size_t>(std::clamp(at, 0.0, 127.0))];
  bin.rate += rate;
  bin.importance += rate * importance;
}

bool ImportanceHistogram::empty() const {
  return std::all_of(bins_.begin(), bins_.end(), [](const Bin& b) { return b.rate <= 0; });
}

double ImportanceHistogram::largest() const {
  double largest = 0;
  for (const Bin& bin : bins_) {
    if (bin.rate > 0) largest = std::max(largest, bin.importance / bin.rate);
  }
  return largest;
}

double ImportanceHistogram::solve(double polls_per_second) const {
  const auto spent = [&](double mu) {
    double polls = 0;
    for (const Bin& bin : bins_) {
      if (bin.rate <= 0) continue;
      const double importance = bin.importance / bin.rate;
      polls += bin.rate / inverse_marginal_value(mu / importance);
    }
    return polls;
  };
  // A larger μ spends less. Bisection on a logarithmic scale: slow, sure, and off the hot path.
  double high = largest();
  double low = high * 1e-9;
  for (int i = 0; i < 40 && high / low > 1.0005; ++i) {
    const double middle = std::sqrt(low * high);
    (spent(middle) > polls_per_second ? low : high) = middle;
  }
  return std::sqrt(low * high);
}

}  // namespace pollux::learn

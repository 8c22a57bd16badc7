// Importance in the objective: maximise Σ w·x·(1 − e^(−λ/x)) under Σ x = c.
//
// With y = λ/x the marginal value of a poll is w·g(y), g(y) = 1 − (1+y)·e^(−y); at the optimum it
// is one number μ for all pages, so x = λ / y(μ/w), y(·) the inverse of g. μ depends on the whole
// list; it is solved from a small histogram of importances, gathered a few pages at a time.
#pragma once

#include <array>
#include <cstddef>

namespace pollux::learn {

// g and its inverse. For v ≥ 1 no finite y exists (not worth a poll); the inverse is capped so that
// such a page keeps a sliver.
double marginal_value(double y);
double inverse_marginal_value(double v);

// The list, coarsely: how much change there is at each importance.
class ImportanceHistogram {
 public:
  void clear() { bins_ = {}; }
  void add(double importance, double rate);
  bool empty() const;
  double largest() const;  // importance
  // The μ at which Σ λ / y(μ/w) = polls_per_second.
  double solve(double polls_per_second) const;

 private:
  struct Bin {
    double rate = 0;
    double importance = 0;  // Σ rate·importance
  };
  std::array<Bin, 128> bins_{};
};

}  // namespace pollux::learn

// How likely does a page change at a given age (time since its last change)? A piecewise constant
// hazard: changes per second while the page is in that age step. Steps are quarter octaves of a
// second (1 s, 1.19 s, 1.41 s … 194 days), so that a daily habit and an hourly one are described
// equally well. A page keeps the 24 steps (six octaves) around its own mean lifetime; below and
// above them the hazard is that of the first and of the last step (memoryless, as in document 002,
// §2.2). Pure values; no owner.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace pollux::learn {

namespace age_grid {
inline constexpr int steps_per_octave = 4;
inline constexpr int last = 96;  // 2^24 s
// The youngest age of a step, in seconds.
double edge(int step);
// The step that holds this age, 0 … last − 1.
int step_of(double age);
}  // namespace age_grid

inline constexpr int curve_steps = 24;

// What has been seen of one page at each age: changes, and time under observation. Ages below
// edge(first + 1) count as the first step, ages above the window as the last one.
struct AgeCounts {
  std::array<float, curve_steps> changes{};
  std::array<float, curve_steps> seconds{};
  std::uint8_t first = 0;

  // The window that suits a page with this rate. Keeps what was seen; true when it moved.
  bool follow(double changes_per_second);
  void forget(float keep);
};

// The hazard at every age, ready to be asked: cumulative hazard and survival in O(1).
class Hazard {
 public:
  Hazard(int first, const std::array<double, curve_steps>& changes_per_second);

  // ∫ hazard from 0 to this age; survival to it is e^(−that).
  double cumulative(double age) const;
  double rate_at(double age) const { return rate_[step(age)]; }

  // Ages at which a step of the curve begins and ends; the last one never ends (infinity).
  double begin(std::size_t step) const;
  double end(std::size_t step) const;
  std::size_t step(double age) const;
  double rate(std::size_t step) const { return rate_[step]; }

 private:
  int first_;
  std::array<double, curve_steps> rate_;
  std::array<double, curve_steps> below_{};  // cumulative hazard at the begin of each step
};

}  // namespace pollux::learn

// What the parts of the benchmark of detection share: how a time is taken and how it is told.
#pragma once

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace pollux::test {

inline constexpr std::size_t mib = 1u << 20;
inline constexpr const char* html_type = "text/html; charset=utf-8";

inline const char* verdict(bool ok) {
  return ok ? "ok" : "MISSED";
}

inline double cpu_ms() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

struct Times {
  double median = 0, longest = 0;  // ms of processor time: the machine has other things to do
};
inline Times times_of(int runs, const std::function<void(int)>& run) {
  std::vector<double> took;
  for (int i = 0; i < runs; ++i) {
    const double start = cpu_ms();
    run(i);
    took.push_back(cpu_ms() - start);
  }
  std::sort(took.begin(), took.end());
  return {took[took.size() / 2], took.back()};
}

// The parts. Each prints its figures beside the wanted ones.
void hostile_inputs(std::string_view only);  // those with this in their names
void kept_versions();
void differences();

}  // namespace pollux::test

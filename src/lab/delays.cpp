#include "pollux/lab/delays.hpp"

#include <algorithm>

namespace pollux::lab {

double Delays::median() {
  if (values_.empty()) return 0;
  const auto middle = values_.begin() + static_cast<std::ptrdiff_t>(values_.size() / 2);
  std::nth_element(values_.begin(), middle, values_.end());
  return static_cast<double>(*middle);
}

}  // namespace pollux::lab

// How late changes were found: from the first change that a page's poll had not seen before to the
// poll that found it. Beside the share of changes found, because a policy can have the one without
// the other.
#pragma once

#include <cstddef>
#include <vector>

namespace pollux::lab {

class Delays {
 public:
  void add(double seconds) {
    values_.push_back(static_cast<float>(seconds));
    sum_ += seconds;
  }
  std::size_t count() const { return values_.size(); }
  // 0 when there are none. The median reorders what was added.
  double median();
  double mean() const { return values_.empty() ? 0 : sum_ / static_cast<double>(values_.size()); }

 private:
  std::vector<float> values_;  // runs of tens of millions of polls are kept whole
  double sum_ = 0;
};

}  // namespace pollux::lab

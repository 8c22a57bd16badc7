// Shares as a value of each page divided by the sum of all, the sum kept up to date.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pollux::learn {

class PageValues {
 public:
  // 0 empties the slot.
  void set(std::uint32_t slot, double value) {
    if (slot >= values_.size()) values_.resize(slot + std::size_t{1}, 0);
    total_ += value - values_[slot];
    values_[slot] = value;
  }
  double get(std::uint32_t slot) const { return values_[slot]; }
  double total() const { return total_; }
  double share(std::uint32_t slot) const {
    return std::max(values_[slot] / std::max(total_, 1e-300), 1e-15);
  }
  std::size_t memory_bytes() const { return values_.capacity() * sizeof(double); }

 private:
  std::vector<double> values_;
  double total_ = 0;
};

}  // namespace pollux::learn

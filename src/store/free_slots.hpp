// Slots that no page has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace pollux::store {

// Hands out the free slots, the smallest first, so that the learner's arrays stay dense.
class FreeSlots {
 public:
  explicit FreeSlots(std::vector<bool> taken) : taken_(std::move(taken)) {}
  std::int64_t next() {
    while (at_ < taken_.size() && taken_[at_]) ++at_;
    return static_cast<std::int64_t>(at_++);
  }

 private:
  std::vector<bool> taken_;
  std::size_t at_ = 0;
};

}  // namespace pollux::store

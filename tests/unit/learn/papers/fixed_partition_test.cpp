#include "learn/papers/fixed_partition.hpp"

#include <gtest/gtest.h>

namespace pollux::learn {
namespace {

// Pages polled in every slot, of a thousand at a capacity of a hundred.
int polled_class(double f, WaitingPartOf of) {
  FixedPartition policy({.waiting_part = f, .of = of}, 1);
  for (std::uint32_t i = 0; i < 1000; ++i) policy.add(PageSlot{i}, 1, std::nullopt);
  int polled = 0;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    if (policy.memory(PageSlot{i}).position > 0) ++polled;
  }
  return polled;
}

TEST(FixedPartition, f_of_the_capacity_leaves_the_rest_to_the_polled_class) {
  EXPECT_EQ(polled_class(0.1, WaitingPartOf::capacity), 90);
  EXPECT_EQ(polled_class(0.8, WaitingPartOf::capacity), 20);
}

TEST(FixedPartition, f_of_the_waiting_class_solves_the_documents_equation) {
  // M + 0.05 (1000 − M) = 100
  EXPECT_EQ(polled_class(0.05, WaitingPartOf::waiting_class), 53);
  // M + 0.1 (1000 − M) = 100: the document's own choice has no polled class.
  EXPECT_EQ(polled_class(0.1, WaitingPartOf::waiting_class), 0);
  EXPECT_EQ(polled_class(0.5, WaitingPartOf::waiting_class), 0);
}

}  // namespace
}  // namespace pollux::learn

#include "pollux/base/process_memory.hpp"

#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

namespace pollux {
namespace {

TEST(ProcessMemory, grows_with_what_is_written) {
  const ProcessMemory before = process_memory();
  ASSERT_GT(before.resident, 0u);
  EXPECT_GT(before.address_space, before.resident);
  constexpr std::size_t bytes = 64u << 20;
  const std::vector<char> written(bytes, 'x');
  EXPECT_EQ(written.back(), 'x');
  EXPECT_GE(process_memory().resident, before.resident + bytes / 2);
}

}  // namespace
}  // namespace pollux

#include "pollux/base/thread_owner.hpp"

#include <gtest/gtest.h>

namespace pollux {
namespace {

TEST(ThreadOwner, the_first_thread_owns_until_it_releases) {
  ThreadOwner owner;
  owner.check();
  owner.check();
  owner.release();
  std::jthread([&] { owner.check(); }).join();
}

#ifndef NDEBUG
TEST(ThreadOwnerDeathTest, another_thread_is_caught) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        ThreadOwner owner;
        owner.check();
        std::jthread([&] { owner.check(); }).join();
      },
      "does not own it");
}
#endif

}  // namespace
}  // namespace pollux

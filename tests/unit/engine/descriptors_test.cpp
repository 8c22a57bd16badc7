#include "engine/descriptors.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace pollux::engine {
namespace {

class Descriptors : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before_), 0); }
  void TearDown() override { setrlimit(RLIMIT_NOFILE, &before_); }
  void set_soft(rlim_t soft) {
    const rlimit wanted{soft, before_.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &wanted), 0);
  }
  rlim_t soft() const {
    rlimit now{};
    getrlimit(RLIMIT_NOFILE, &now);
    return now.rlim_cur;
  }
  rlimit before_{};
};

TEST_F(Descriptors, the_limit_is_raised_when_many_fetches_are_wanted) {
  if (before_.rlim_max < 2000) GTEST_SKIP() << "this system allows few descriptors";
  set_soft(512);
  EXPECT_TRUE(allow_descriptors(1000));
  EXPECT_GE(soft(), 1000u);
}

TEST_F(Descriptors, the_limit_is_never_lowered) {
  const rlim_t was = soft();
  EXPECT_TRUE(allow_descriptors(1));
  EXPECT_EQ(soft(), was);
}

TEST_F(Descriptors, more_than_the_system_allows_is_said) {
  if (before_.rlim_max == RLIM_INFINITY) GTEST_SKIP() << "this system allows any number";
  EXPECT_FALSE(allow_descriptors(before_.rlim_max));
}

}  // namespace
}  // namespace pollux::engine

// Pages of a host that turn into the same at once.
#include "engine/alike_pages.hpp"

#include <string>

#include <gtest/gtest.h>

namespace pollux::engine {
namespace {

using namespace std::chrono_literals;

class AlikePagesTest : public testing::Test {
 protected:
  static detect::Hash content(const std::string& text) {
    detect::Digest digest;
    digest.update(text);
    return digest.finish();
  }
  bool turned(std::uint32_t page, const std::string& before, const std::string& now,
              std::uint32_t host = 0) {
    return pages_.turned(HostSlot{host}, PageSlot{page}, content(before), content(now), now_);
  }
  AlikePages pages_;
  Instant now_{std::chrono::hours(100)};
};

TEST_F(AlikePagesTest, three_pages_that_turn_into_the_same_are_not_believed) {
  EXPECT_FALSE(turned(1, "one", "sorry"));
  EXPECT_FALSE(turned(2, "two", "sorry"));
  EXPECT_TRUE(turned(3, "three", "sorry"));
  EXPECT_TRUE(turned(1, "one", "sorry")) << "the first is not either";
  EXPECT_FALSE(turned(4, "four", "another thing"));
}

TEST_F(AlikePagesTest, one_page_under_three_names_may_change) {
  EXPECT_FALSE(turned(1, "same", "new"));
  EXPECT_FALSE(turned(2, "same", "new"));
  EXPECT_FALSE(turned(3, "same", "new"));
}

TEST_F(AlikePagesTest, one_page_seen_three_times_is_one) {
  for (int poll = 0; poll < 5; ++poll) EXPECT_FALSE(turned(1, "one", "sorry"));
}

TEST_F(AlikePagesTest, pages_of_other_hosts_do_not_count) {
  EXPECT_FALSE(turned(1, "one", "sorry", 0));
  EXPECT_FALSE(turned(2, "two", "sorry", 1));
  EXPECT_FALSE(turned(3, "three", "sorry", 2));
}

TEST_F(AlikePagesTest, one_after_the_other_over_hours_is_not_at_once) {
  EXPECT_FALSE(turned(1, "one", "sorry"));
  now_ += 2h;
  EXPECT_FALSE(turned(2, "two", "sorry"));
  now_ += 2h;
  EXPECT_FALSE(turned(3, "three", "sorry"));
}

TEST_F(AlikePagesTest, those_that_turned_together_are_remembered_for_a_day) {
  (void)turned(1, "one", "sorry");
  (void)turned(2, "two", "sorry");
  ASSERT_TRUE(turned(3, "three", "sorry"));
  now_ += 23h;
  EXPECT_TRUE(turned(1, "one", "sorry"));
  now_ += 25h;
  EXPECT_FALSE(turned(2, "two", "sorry"));
}

TEST_F(AlikePagesTest, a_host_with_many_pages_makes_nobody_else_forgotten) {
  (void)turned(1, "one", "sorry", 7);
  (void)turned(2, "two", "sorry", 7);
  for (std::uint32_t page = 10; page < 10'000; ++page)
    (void)turned(page, std::to_string(page), "other " + std::to_string(page), 8);
  EXPECT_TRUE(turned(3, "three", "sorry", 7));
}

}  // namespace
}  // namespace pollux::engine

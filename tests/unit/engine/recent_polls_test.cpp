#include "engine/recent_polls.hpp"

#include <gtest/gtest.h>

namespace pollux::engine {
namespace {

using namespace std::chrono_literals;

double interval(const RecentPolls& recent, Instant last) {
  return to_seconds(last - *recent.since(last)) / static_cast<double>(recent.polls());
}

TEST(RecentPolls, nothing_is_measured_before_the_second_poll) {
  RecentPolls recent;
  EXPECT_FALSE(recent.since(Instant(1h)));
  recent.note(Instant(1h));
  ASSERT_TRUE(recent.since(Instant(2h)));
  EXPECT_EQ(recent.polls(), 0);
}

TEST(RecentPolls, a_regular_page_shows_its_interval_whatever_it_is) {
  for (const Duration every : {Duration(5700ms), Duration(10min), Duration(3h)}) {
    RecentPolls recent;
    Instant at{1h};
    for (int i = 0; i < 3000; ++i) recent.note(at += every);
    EXPECT_NEAR(interval(recent, at), to_seconds(every), 0.01 * to_seconds(every));
  }
}

TEST(RecentPolls, what_is_older_than_an_hour_is_forgotten) {
  RecentPolls recent;
  Instant at{1h};
  for (int i = 0; i < 10000; ++i) recent.note(at += 1s);
  for (int i = 0; i < 130; ++i) recent.note(at += 30s);  // 65 min
  EXPECT_NEAR(interval(recent, at), 30, 0.5);
  EXPECT_LE(at - *recent.since(at), 61min);
}

}  // namespace
}  // namespace pollux::engine

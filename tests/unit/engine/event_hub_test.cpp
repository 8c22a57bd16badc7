#include "engine/event_hub.hpp"

#include <gtest/gtest.h>

namespace pollux::engine {
namespace {

Event poll_of(int number) {
  return {.url = "http://x/" + std::to_string(number)};
}

TEST(EventHub, keeps_nothing_while_nobody_listens) {
  auto hub = std::make_shared<EventHub>();
  EXPECT_FALSE(hub->heard());
  auto stream = hub->listen([] {});
  EXPECT_TRUE(hub->heard());
  stream.reset();
  EXPECT_FALSE(hub->heard());
}

TEST(EventHub, gives_each_stream_all_that_came_since_it_listens) {
  auto hub = std::make_shared<EventHub>();
  auto first = hub->listen([] {});
  hub->tell(poll_of(1));
  auto second = hub->listen([] {});
  hub->tell(poll_of(2));
  hub->tell(poll_of(3));
  EXPECT_EQ(first->take(2).size(), 2U);
  const std::vector<Event> rest = first->take(10);
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_EQ(rest[0].url, "http://x/3");
  EXPECT_EQ(rest[0].number, 3U);
  EXPECT_EQ(second->take(10).size(), 2U);
  EXPECT_TRUE(second->take(10).empty());
}

TEST(EventHub, who_is_too_slow_hears_how_many_were_missed) {
  auto hub = std::make_shared<EventHub>();
  auto stream = hub->listen([] {});
  constexpr int missed = 10;
  for (int i = 0; i < static_cast<int>(EventHub::most_kept) + missed; ++i) hub->tell(poll_of(i));
  const std::vector<Event> events = stream->take(2);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].what, Event::What::gap);
  EXPECT_EQ(events[0].id, missed);
  EXPECT_EQ(events[1].url, "http://x/10");
  EXPECT_EQ(events[1].number, events[0].number + 1);
}

TEST(EventHub, wakes_once_after_an_empty_answer_and_never_one_that_is_gone) {
  auto hub = std::make_shared<EventHub>();
  int wakes = 0;
  auto stream = hub->listen([&] { ++wakes; });
  hub->tell(poll_of(1));
  hub->tell(poll_of(2));
  EXPECT_EQ(wakes, 1);
  EXPECT_EQ(stream->take(10).size(), 2U);
  hub->tell(poll_of(3));
  EXPECT_EQ(wakes, 1) << "its last answer was not empty";
  EXPECT_EQ(stream->take(10).size(), 1U);
  EXPECT_TRUE(stream->take(10).empty());
  hub->tell(poll_of(4));
  EXPECT_EQ(wakes, 2);
  EXPECT_EQ(stream->take(10).size(), 1U);
  EXPECT_TRUE(stream->take(10).empty());
  stream.reset();
  hub->tell(poll_of(5));
  EXPECT_EQ(wakes, 2);
}

}  // namespace
}  // namespace pollux::engine

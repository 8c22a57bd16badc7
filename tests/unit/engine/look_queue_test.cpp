#include "engine/look_queue.hpp"

#include <gtest/gtest.h>

namespace pollux::engine {
namespace {

using fetch::Token;

LookQueue::Waiting look_at(std::uint64_t token, std::uint32_t host, std::size_t bytes = 10) {
  LookQueue::Waiting look;
  look.token = Token{token};
  look.task.host = HostSlot{host};
  look.task.body.assign(bytes, 'x');
  return look;
}
std::uint64_t taken(LookQueue& queue) {
  const auto next = queue.take();
  return next ? static_cast<std::uint64_t>(next->token) : 0;
}

TEST(LookQueue, hosts_take_turns_and_their_pages_keep_their_order) {
  LookQueue queue(9);
  for (const std::uint64_t token : {11, 12, 13}) queue.put(look_at(token, 1));
  queue.put(look_at(21, 2));
  queue.put(look_at(31, 3));
  std::vector<std::uint64_t> order;
  while (const std::uint64_t token = taken(queue)) order.push_back(token);
  EXPECT_EQ(order, (std::vector<std::uint64_t>{11, 21, 31, 12, 13}));
  EXPECT_EQ(queue.size(), 0u);
}

TEST(LookQueue, a_host_runs_no_more_than_it_may) {
  LookQueue queue(1);
  queue.put(look_at(11, 1));
  queue.put(look_at(12, 1));
  queue.put(look_at(21, 2));
  EXPECT_EQ(taken(queue), 11u);
  EXPECT_EQ(taken(queue), 21u);
  EXPECT_EQ(taken(queue), 0u);
  queue.done(HostSlot{1}, false);
  EXPECT_EQ(taken(queue), 12u);
}

TEST(LookQueue, one_large_body_at_a_time_and_small_ones_pass_it) {
  LookQueue queue(9);
  queue.put(look_at(11, 1, 10u << 20));
  queue.put(look_at(21, 2, 10u << 20));
  queue.put(look_at(31, 3));
  EXPECT_EQ(taken(queue), 11u);
  EXPECT_EQ(taken(queue), 31u);
  EXPECT_EQ(taken(queue), 0u);
  queue.done(HostSlot{1}, true);
  EXPECT_EQ(taken(queue), 21u);
}

TEST(LookQueue, what_is_dropped_is_named_and_gone) {
  LookQueue queue(9);
  queue.put(look_at(11, 1));
  queue.put(look_at(12, 1));
  EXPECT_EQ(taken(queue), 11u);
  EXPECT_EQ(queue.drop(), std::vector<Token>{Token{12}});
  EXPECT_EQ(taken(queue), 0u);
  queue.done(HostSlot{1}, false);
  queue.put(look_at(13, 1));
  EXPECT_EQ(taken(queue), 13u);
}

}  // namespace
}  // namespace pollux::engine

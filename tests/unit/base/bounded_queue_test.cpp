#include "pollux/base/bounded_queue.hpp"

#include <atomic>
#include <memory>
#include <numeric>
#include <thread>

#include <gtest/gtest.h>

namespace pollux {
namespace {

TEST(BoundedQueue, items_come_out_in_order_and_at_most_as_many_as_asked_for) {
  BoundedQueue<int> queue(10);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(queue.push(i));
  EXPECT_EQ(queue.size(), 5u);
  EXPECT_EQ(queue.pop_some(3), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(queue.pop_some(3), (std::vector<int>{3, 4}));
}

TEST(BoundedQueue, a_full_queue_refuses_and_leaves_the_item_untouched) {
  BoundedQueue<std::unique_ptr<int>> queue(1);
  auto first = std::make_unique<int>(1);
  auto second = std::make_unique<int>(2);
  EXPECT_TRUE(queue.try_push(first));
  EXPECT_FALSE(queue.try_push(second));
  ASSERT_TRUE(second);
  EXPECT_EQ(*second, 2);
}

TEST(BoundedQueue, a_closed_queue_takes_nothing_and_drains_what_is_left) {
  BoundedQueue<int> queue(4);
  EXPECT_TRUE(queue.push(1));
  queue.close();
  EXPECT_FALSE(queue.push(2));
  int three = 3;
  EXPECT_FALSE(queue.try_push(three));
  EXPECT_EQ(queue.pop_some(9), (std::vector<int>{1}));
  EXPECT_TRUE(queue.pop_some(9).empty());
}

TEST(BoundedQueue, closing_wakes_a_waiting_producer_and_a_waiting_consumer) {
  BoundedQueue<int> full(1), empty(1);
  EXPECT_TRUE(full.push(1));
  std::jthread producer([&] { EXPECT_FALSE(full.push(2)); });
  std::jthread consumer([&] { EXPECT_TRUE(empty.pop_some(1).empty()); });
  full.close();
  empty.close();
}

TEST(BoundedQueue, nothing_is_lost_between_many_threads) {
  constexpr int per_producer = 5000;
  BoundedQueue<int> queue(16);
  std::atomic<long> sum{0};
  std::atomic<int> count{0};
  {
    std::vector<std::jthread> consumers;
    for (int c = 0; c < 2; ++c) {
      consumers.emplace_back([&] {
        for (;;) {
          const std::vector<int> items = queue.pop_some(7);
          if (items.empty()) return;
          EXPECT_LE(items.size(), 7u);
          sum += std::accumulate(items.begin(), items.end(), 0L);
          count += static_cast<int>(items.size());
        }
      });
    }
    {
      std::vector<std::jthread> producers;
      for (int p = 0; p < 3; ++p) {
        producers.emplace_back([&] {
          for (int i = 1; i <= per_producer; ++i) EXPECT_TRUE(queue.push(i));
        });
      }
    }
    queue.close();
  }
  EXPECT_EQ(count, 3 * per_producer);
  EXPECT_EQ(sum, 3L * per_producer * (per_producer + 1) / 2);
}

}  // namespace
}  // namespace pollux

#include "engine/handover.hpp"

#include "engine/asio_loop.hpp"

#include <atomic>
#include <thread>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <gtest/gtest.h>

namespace pollux::engine {
namespace {

TEST(Handover, items_cross_in_order_however_many_come_at_once) {
  constexpr int items = 20'000;
  boost::asio::io_context here{1}, there{1};
  AsioLoop from{here}, to{there};
  const auto work = boost::asio::make_work_guard(there);
  std::vector<int> taken;
  const auto handover = std::make_shared<Handover<int>>(from, to, [&](int item) {
    taken.push_back(item);
    if (item + 1 == items) there.stop();
  });
  std::thread receiver([&] { there.run(); });
  for (int next = 0; next < items;) {
    for (int batch = 0; batch < 1 + next % 700 && next < items; ++batch) handover->put(next++);
    here.restart();
    here.run();
  }
  receiver.join();
  ASSERT_EQ(taken.size(), static_cast<std::size_t>(items));
  for (int i = 0; i < items; ++i) ASSERT_EQ(taken[static_cast<std::size_t>(i)], i);
}

TEST(Handover, what_has_not_arrived_when_it_is_destroyed_is_dropped) {
  boost::asio::io_context io{1};
  AsioLoop loop{io};
  int taken = 0;
  auto handover = std::make_shared<Handover<int>>(loop, loop, [&](int) { ++taken; });
  handover->put(1);
  io.run();
  EXPECT_EQ(taken, 1);
  handover->put(2);
  handover.reset();
  io.restart();
  io.run();
  EXPECT_EQ(taken, 1);
}

}  // namespace
}  // namespace pollux::engine

#include "engine/stall_probe.hpp"

#include "engine/asio_loop.hpp"

#include <thread>

#include <gtest/gtest.h>

namespace pollux::engine {
namespace {

using namespace std::chrono_literals;

TEST(StallHistogram, a_quantile_is_what_that_part_stayed_within) {
  StallHistogram stalls;
  EXPECT_EQ(stalls.quantile(0.999), 0ms);
  for (int i = 0; i < 999; ++i) stalls.add(3ms);
  stalls.add(5s);
  EXPECT_EQ(stalls.quantile(0.5), 3ms);
  EXPECT_EQ(stalls.quantile(0.999), 3ms);
  EXPECT_EQ(stalls.quantile(1), 1000ms) << "counted up to a second";
  EXPECT_EQ(stalls.longest(), 5s);
}

TEST(StallProbe, sees_a_handler_that_takes_long) {
  boost::asio::io_context io;
  AsioLoop loop(io);
  const SystemClock clock;
  StallProbe probe(loop, clock);
  probe.start();
  const auto busy = loop.make_timer();
  busy->arm(clock.now() + 10ms, [] { std::this_thread::sleep_for(150ms); });
  while (probe.stalls().longest() == 0ms) io.run_one();
  EXPECT_GE(probe.stalls().longest(), 50ms);
}

}  // namespace
}  // namespace pollux::engine

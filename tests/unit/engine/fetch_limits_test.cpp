#include "engine/fetch_limits.hpp"

#include <algorithm>
#include <limits>
#include <thread>

#include <gtest/gtest.h>

namespace pollux::engine {
namespace {

TEST(FetchLimits, threads_are_those_that_were_asked_for_or_leave_two_cores) {
  config::Config config;
  config.fetch_threads = 7;
  EXPECT_EQ(fetch_threads(config), 7u);
  config.fetch_threads = 0;
  const std::size_t cores = std::thread::hardware_concurrency();
  EXPECT_GE(fetch_threads(config), 1u);
  EXPECT_LE(fetch_threads(config), 4u);
  EXPECT_LE(fetch_threads(config) + 2, std::max<std::size_t>(cores, 3));
}

TEST(FetchLimits, queue_and_weight_of_starvation_are_those_of_the_configuration) {
  config::Config config;
  config.fetch_queue = 64;
  config.starvation_weight = 1.4;
  EXPECT_EQ(fetches_for(config).queue, 64u);
  EXPECT_EQ(fetches_for(config).starvation_weight, 1.4);
}

TEST(FetchLimits, more_threads_have_more_fetches_out_within_the_descriptors) {
  config::Config config;
  config.schedule.budget = std::numeric_limits<double>::infinity();
  config.fetch_threads = 1;
  EXPECT_EQ(fetches_for(config).first, 64u);
  EXPECT_EQ(fetches_for(config).most, 128u);
  config.fetch_threads = 2;
  EXPECT_EQ(fetches_for(config).first, 64u);
  EXPECT_EQ(fetches_for(config).most, 256u);
  config.fetch_threads = 16;
  EXPECT_LE(fetches_for(config).first, fetches_for(config).most);
  EXPECT_EQ(fetches_for(config).most, 512u);
}

}  // namespace
}  // namespace pollux::engine

// The brain's part in the leases of its agents.
#include "agent/shares.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace pollux::agent {
namespace {

using namespace std::chrono_literals;

TEST(Shares, an_agent_that_knows_the_last_epoch_of_all_takes_the_budget_from_nobody) {
  constexpr Instant begin{};
  Shares shares([] { return leases::Ceiling(50); }, 1, begin);
  const auto tick_until = [&shares](Instant from, Instant to) {
    for (Instant now = from; now <= to; now += 100ms) shares.tick(now);
  };
  tick_until(begin, begin + 5s);
  ASSERT_LE(shares.next_here(begin + 5s), begin + 6s) << "the brain has a lease";
  leases::Ask lie;
  lie.id = 1;
  lie.knows = std::numeric_limits<std::uint64_t>::max();
  Answer answer;
  shares.answer("liar", 7, lie, begin + 5s, answer);
  EXPECT_FALSE(answer.grant);
  tick_until(begin + 5s, begin + 15s);
  EXPECT_LE(shares.next_here(begin + 15s), begin + 16s);
  leases::Ask honest;
  honest.id = 1;
  shares.answer("honest", 8, honest, begin + 15s, answer);
  EXPECT_TRUE(answer.grant);
}

}  // namespace
}  // namespace pollux::agent

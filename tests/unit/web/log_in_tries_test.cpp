#include "web/log_in_tries.hpp"

#include <gtest/gtest.h>

namespace pollux::web {
namespace {

constexpr Instant start{std::chrono::hours(1)};

void use_up(LogInTries& tries, std::string_view address) {
  for (int i = 0; i < LogInTries::most_of_one; ++i) tries.failed(address, start);
}

TEST(LogInTries, a_few_are_free_and_then_one_comes_back_every_ten_seconds) {
  LogInTries tries;
  EXPECT_EQ(tries.wait("192.0.2.1", start), Duration{});
  use_up(tries, "192.0.2.1");
  EXPECT_EQ(tries.wait("192.0.2.1", start), LogInTries::one_more);
  EXPECT_EQ(tries.wait("192.0.2.2", start), Duration{});
  EXPECT_EQ(tries.wait("192.0.2.1", start + LogInTries::one_more), Duration{});
}

TEST(LogInTries, addresses_of_one_network_of_IPv6_are_one) {
  LogInTries tries;
  use_up(tries, "2001:db8:1:2:3::4");
  EXPECT_GT(tries.wait("2001:db8:1:2:ffff::9", start), Duration{});
  EXPECT_EQ(tries.wait("2001:db8:1:3:3::4", start), Duration{});
}

TEST(LogInTries, an_address_of_IPv4_that_a_socket_of_IPv6_heard_keeps_no_other_one_out) {
  LogInTries tries;
  use_up(tries, "::ffff:192.0.2.1");
  EXPECT_GT(tries.wait("::ffff:192.0.2.1", start), Duration{});
  EXPECT_EQ(tries.wait("::ffff:192.0.2.2", start), Duration{});
  EXPECT_EQ(tries.wait("::1", start), Duration{});
}

TEST(LogInTries, the_port_that_a_proxy_writes_makes_no_other_address) {
  LogInTries tries;
  use_up(tries, "192.0.2.1:1001");
  EXPECT_GT(tries.wait("192.0.2.1:1002", start), Duration{});
  EXPECT_GT(tries.wait("192.0.2.1", start), Duration{});
  use_up(tries, "[2001:db8:1:2:3::4]:1001");
  EXPECT_GT(tries.wait("[2001:db8:1:2:5::6]:1002", start), Duration{});
  EXPECT_EQ(tries.wait("[2001:db8:1:3::1]:1001", start), Duration{});
}

}  // namespace
}  // namespace pollux::web

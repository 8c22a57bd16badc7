#include "web/log_in_tries.hpp"

#include <gtest/gtest.h>

namespace pollux::web {
namespace {

class Tries : public testing::Test {
 protected:
  void use_up(std::string_view address) {
    for (int i = 0; i < 5; ++i) tries_.failed(address, now_);
  }
  bool may(std::string_view address) { return tries_.wait(address, now_) == Duration{}; }
  LogInTries tries_;
  const Instant now_{std::chrono::hours(1)};
};

TEST_F(Tries, one_address_keeps_no_other_out) {
  use_up("192.0.2.1");
  EXPECT_FALSE(may("192.0.2.1"));
  EXPECT_TRUE(may("192.0.2.2"));
}

TEST_F(Tries, on_a_socket_for_both_kinds_addresses_of_ipv4_are_told_apart) {
  use_up("::ffff:192.0.2.1");
  EXPECT_FALSE(may("::ffff:192.0.2.1"));
  EXPECT_FALSE(may("192.0.2.1"));
  EXPECT_TRUE(may("::ffff:192.0.2.2"));
  EXPECT_TRUE(may("::1"));
}

TEST_F(Tries, a_network_of_ipv6_is_one_however_it_is_written) {
  use_up("2001:db8:1:2::1");
  EXPECT_FALSE(may("2001:db8:1:2:3:4:5:6"));
  EXPECT_FALSE(may("[2001:db8:1:2:3::4]:4711"));
  EXPECT_TRUE(may("2001:db8:1:3::1"));
}

TEST_F(Tries, the_port_that_a_proxy_writes_is_no_other_address) {
  use_up("192.0.2.1:1001");
  EXPECT_FALSE(may("192.0.2.1:1002"));
  EXPECT_FALSE(may("192.0.2.1"));
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

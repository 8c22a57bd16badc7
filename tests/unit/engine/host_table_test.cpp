#include "engine/host_table.hpp"

#include <gtest/gtest.h>

namespace pollux::engine {
namespace {

constexpr auto always_idle = [](HostSlot) { return true; };

TEST(HostTable, endless_redirect_targets_do_not_fill_it) {
  HostTable hosts;
  const HostSlot listed = hosts.add("listed.test:80");
  for (int i = 0; i < 5000; ++i) {
    ASSERT_TRUE(hosts.add_passing("h" + std::to_string(i) + ".test:80", always_idle));
  }
  EXPECT_LE(hosts.size(), 1100u);
  EXPECT_TRUE(hosts.find("h4999.test:80"));
  EXPECT_FALSE(hosts.find("h0.test:80"));
  EXPECT_EQ(hosts.find("listed.test:80"), listed);
}

TEST(HostTable, a_passing_host_is_not_stored_until_a_page_is_listed_on_it) {
  HostTable hosts;
  const Moment moment{Instant{}, WallTime{}};
  const HostSlot passing = *hosts.add_passing("a.test:80", always_idle);
  hosts.note_request(passing, moment.now);
  EXPECT_TRUE(hosts.take_changed(moment).empty());
  hosts.keep(passing);
  hosts.note_request(passing, moment.now);
  const auto stored = hosts.take_changed(moment);
  ASSERT_EQ(stored.size(), 1u);
  EXPECT_EQ(stored[0].host, "a.test:80");
  EXPECT_EQ(stored[0].requests, 2);
}

TEST(HostTable, a_busy_host_is_never_replaced) {
  HostTable hosts;
  while (hosts.add_passing("h" + std::to_string(hosts.size()), [](HostSlot) { return false; })) {
    ASSERT_LE(hosts.size(), 2000u);
  }
  EXPECT_TRUE(hosts.find("h0"));
}

}  // namespace
}  // namespace pollux::engine

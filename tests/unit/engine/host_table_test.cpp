#include "engine/host_table.hpp"

#include "unit/engine/noon.hpp"

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

TEST(HostTable, waits_are_stored_anew_when_the_wall_clock_was_set) {
  using namespace std::chrono_literals;
  HostTable hosts;
  const HostSlot blocked = hosts.add("blocked.test:80");
  hosts.add("free.test:80");
  const HostSlot pausing = hosts.add("pausing.test:80");
  const Moment before{Instant(1h), noon};
  hosts.note_block(blocked, before.now + 1h, "");
  hosts[pausing].pause = 5min;
  hosts.note_end(pausing, before.now);
  ASSERT_EQ(hosts.take_changed(before).at(0).blocked_until, noon + 1h);
  const Moment set{before.now + 1min, noon + 12h};
  hosts.mark_waits(set.now);
  const std::vector<store::HostRow> rows = hosts.take_changed(set);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].blocked_until, noon + 12h + 59min);
  EXPECT_EQ(rows[1].last_request_at, noon + 12h - 1min);
}

TEST(HostTable, robots_txt_that_was_read_for_a_redirect_is_asked_anew_for_a_page_of_its_own) {
  HostTable hosts;
  const auto slot = hosts.add_passing("led.test:80", [](HostSlot) { return true; });
  ASSERT_TRUE(slot);
  hosts[*slot].robots.verdict = HostRobots::Verdict::allow;
  hosts.keep(*slot);
  EXPECT_EQ(hosts[*slot].robots.verdict, HostRobots::Verdict::unknown);
  hosts[*slot].robots.verdict = HostRobots::Verdict::allow;
  hosts.keep(*slot);
  EXPECT_EQ(hosts[*slot].robots.verdict, HostRobots::Verdict::allow) << "it was kept already";
}

}  // namespace
}  // namespace pollux::engine

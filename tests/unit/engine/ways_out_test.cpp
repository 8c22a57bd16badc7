#include "engine/ways_out.hpp"

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

namespace pollux::engine {
namespace {

using fetch::Failure;

class WaysOutTest : public testing::Test {
 protected:
  WaysOutTest() {
    config_.fetch.access_points = {{"dsl", "eth1", "", "", ""},
                                   {"far", "", "", "http://proxy.test:3128", "me:secret"}};
    config_.placement.capacities = {1, 0};
    config_.schedule.seed = 1;
    a_ = hosts_.add("a.test:80");
    b_ = hosts_.add("b.test:80");
  }
  static fetch::Response answer(Failure failure, int status, Duration exchange = {}) {
    fetch::Response response;
    response.failure = failure;
    response.status = status;
    response.exchange = exchange;
    return response;
  }

  static constexpr auto first = WaysOut::Try::first;

  config::Config config_;
  HostTable hosts_;
  HostSlot a_{}, b_{};
};

TEST_F(WaysOutTest, a_failure_is_blamed_on_the_way_only_where_the_way_can_be_the_cause) {
  const WaysOut ways(config_, hosts_);
  for (const Failure failure :
       {Failure::timeout, Failure::connect, Failure::tls, Failure::connection_lost}) {
    EXPECT_TRUE(ways.blames_way(0, answer(failure, 0), first)) << failure_name(failure);
  }
  for (const Failure failure : {Failure::body_too_large, Failure::bad_encoding, Failure::protocol,
                                Failure::address_refused, Failure::cancelled, Failure::dns}) {
    EXPECT_FALSE(ways.blames_way(0, answer(failure, 0), first)) << failure_name(failure);
  }
  EXPECT_TRUE(ways.blames_way(1, answer(Failure::dns, 0), first));
  EXPECT_FALSE(ways.blames_way(0, answer(Failure::none, 502), first));
  EXPECT_TRUE(ways.blames_way(1, answer(Failure::none, 502), first));
  EXPECT_FALSE(ways.blames_way(1, answer(Failure::none, 500), first));
  fetch::Response stale = answer(Failure::connection_lost, 0);
  stale.reused_connection = true;
  EXPECT_FALSE(ways.blames_way(0, stale, first));
  EXPECT_TRUE(ways.blames_way(0, stale, WaysOut::Try::second));
}

TEST_F(WaysOutTest, a_host_that_a_redirect_led_to_goes_the_way_of_the_hop_before) {
  WaysOut ways(config_, hosts_);
  const auto passing = hosts_.add_passing("c.test:80", [](HostSlot) { return false; });
  ASSERT_TRUE(passing);
  EXPECT_EQ(ways.choose(*passing, 1), 1u);
  EXPECT_EQ(ways.choose(*passing, 0), 0u);
  EXPECT_FALSE(ways.is_look(*passing, 0));
  EXPECT_TRUE(ways.take_changed(10).empty());
}

TEST_F(WaysOutTest, rows_come_back_as_the_placement_they_were) {
  WaysOut ways(config_, hosts_);
  for (int i = 0; i < 20; ++i) {
    const std::uint32_t way = ways.choose(a_, {}).value();
    ways.note(a_, way, answer(Failure::none, 200, std::chrono::milliseconds(way == 0 ? 10 : 90)),
              first);
  }
  EXPECT_EQ(ways.own(a_), 0u);
  std::vector<store::PlacementRow> rows = ways.take_changed(10);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].host, "a.test:80");
  EXPECT_TRUE(rows[0].placed);
  EXPECT_NEAR(rows[0].seconds, 0.01, 1e-6);
  EXPECT_NEAR(rows[1].seconds, 0.09, 1e-6);

  rows.push_back({"b.test:80", "gone", true, 7, 0.001});
  rows.push_back({"not.listed:80", "dsl", true, 7, 0.001});
  WaysOut again(config_, hosts_);
  again.restore(rows);
  EXPECT_EQ(again.own(a_), 0u);
  EXPECT_TRUE(again.is_look(a_, 1));
  // The one place of "dsl" is taken, and what "gone" was like does not matter any more.
  EXPECT_EQ(again.own(b_), 1u);
}

// Which of the rows say that the host is placed there?
std::vector<std::string> placed_at(const std::vector<store::PlacementRow>& rows,
                                   const std::string& host) {
  std::map<std::string, bool> last;
  for (const store::PlacementRow& row : rows) {
    if (row.host == host) last[row.access_point] = row.placed;
  }
  std::vector<std::string> names;
  for (const auto& [name, placed] : last) {
    if (placed) names.push_back(name);
  }
  return names;
}

TEST_F(WaysOutTest, a_new_access_point_joins_and_what_was_learnt_stays) {
  WaysOut ways(config_, hosts_);
  ways.restore({{"a.test:80", "dsl", true, 5, 0.01}, {"a.test:80", "far", false, 0, 0.09}});
  EXPECT_FALSE(ways.change(config_));
  config_.fetch.access_points.insert(config_.fetch.access_points.begin(),
                                     {"new", "", "10.0.0.9", "", ""});
  config_.placement.capacities = {0, 1, 0};
  ASSERT_TRUE(ways.change(config_));
  EXPECT_EQ(ways.points().size(), 3u);
  EXPECT_EQ(ways.points()[0].name, "dsl");  // a request under way means what it meant
  EXPECT_EQ(ways.own(a_), 0u);
  EXPECT_EQ(ways.choose(a_, {}), 2u);  // never measured: looked at first
  ways.note(a_, 2, answer(Failure::none, 200, std::chrono::milliseconds(20)), first);
  const auto rows = ways.take_changed(10);
  EXPECT_EQ(placed_at(rows, "a.test:80"), std::vector<std::string>{"dsl"});
  for (const store::PlacementRow& row : rows) {
    if (row.access_point == "far") {
      EXPECT_NEAR(row.seconds, 0.09, 1e-6);
    }
  }
  ASSERT_EQ(ways.rows().size(), 3u);
  EXPECT_EQ(ways.rows()[0].name, "new");
}

TEST_F(WaysOutTest, hosts_of_an_access_point_that_is_gone_are_placed_anew) {
  WaysOut ways(config_, hosts_);
  ways.restore({{"a.test:80", "dsl", true, 5, 0.01}, {"a.test:80", "far", false, 0, 0.09}});
  config_.fetch.access_points.erase(config_.fetch.access_points.begin());
  config_.placement.capacities = {0};
  const auto rows = ways.change(config_);
  ASSERT_TRUE(rows);
  EXPECT_EQ(placed_at(*rows, "a.test:80"), std::vector<std::string>{"far"});
  EXPECT_EQ(ways.choose(a_, {}), 1u);
  EXPECT_EQ(ways.choose(hosts_.add_passing("c.test:80", [](HostSlot) { return false; }).value(), 0),
            1u);
  // A request that is still under way on the old one teaches nothing and is no look.
  EXPECT_FALSE(ways.is_look(a_, 0));
  ways.note(a_, 0, answer(Failure::none, 200, std::chrono::milliseconds(1)), first);
  EXPECT_TRUE(ways.blames_way(0, answer(Failure::connect, 0), first));
  EXPECT_EQ(ways.own(a_), 1u);
}

TEST_F(WaysOutTest, an_access_point_that_leads_elsewhere_now_is_measured_anew) {
  WaysOut ways(config_, hosts_);
  ways.restore({{"a.test:80", "dsl", false, 0, 0.5}, {"a.test:80", "far", true, 5, 0.09}});
  config_.fetch.access_points[1].proxy = "http://other.test:3128";
  ASSERT_TRUE(ways.change(config_));
  EXPECT_EQ(ways.own(a_), 2u);
  EXPECT_EQ(ways.points()[2].proxy, "http://other.test:3128");
  ways.note(a_, 2, answer(Failure::none, 200, std::chrono::milliseconds(20)), first);
  for (const store::PlacementRow& row : ways.take_changed(10)) {
    if (row.access_point == "far") {
      EXPECT_NEAR(row.seconds, 0.02, 1e-6);
    }
  }
}

TEST_F(WaysOutTest, access_points_may_all_go_and_come_back) {
  WaysOut ways(config_, hosts_);
  ways.restore({{"a.test:80", "dsl", true, 5, 0.01}});
  config::Config none = config_;
  none.fetch.access_points.clear();
  none.placement.capacities.clear();
  const auto rows = ways.change(none);
  ASSERT_TRUE(rows);
  EXPECT_TRUE(placed_at(*rows, "a.test:80").empty());
  EXPECT_FALSE(ways.choose(a_, 0));
  EXPECT_FALSE(ways.is_look(a_, 0));
  ways.note(a_, 0, answer(Failure::timeout, 0), first);
  ways.forget(a_);
  EXPECT_TRUE(ways.rows().empty());
  EXPECT_TRUE(ways.take_changed(10).empty());
  ASSERT_TRUE(ways.change(config_));
  EXPECT_TRUE(ways.choose(a_, {}));
  EXPECT_EQ(ways.points().size(), 2u);
}

TEST_F(WaysOutTest, hosts_without_pages_give_their_places_back) {
  WaysOut ways(config_, hosts_);
  while (ways.choose(a_, {}) != 0) {
    ways.note(a_, 1, answer(Failure::timeout, 0), first);
  }
  ways.note(a_, 0, answer(Failure::none, 200, std::chrono::milliseconds(5)), first);
  ways.forget(a_);
  EXPECT_FALSE(ways.is_look(a_, 1));
  EXPECT_FALSE(ways.is_look(a_, 0));
}

TEST_F(WaysOutTest, secrets_stay_out_of_the_rows) {
  const auto rows = WaysOut(config_, hosts_).rows();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].way, "interface eth1");
  EXPECT_EQ(rows[0].capacity, 1);
  EXPECT_EQ(rows[1].way, "proxy http://proxy.test:3128");
}

}  // namespace
}  // namespace pollux::engine

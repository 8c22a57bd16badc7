#include "engine/access_points.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace pollux::engine {
namespace {

using fetch::AccessPointId;
using fetch::Failure;

class AccessPointsTest : public testing::Test {
 protected:
  AccessPointsTest() {
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

  static constexpr auto first = Attempt::first;

  config::Config config_;
  HostTable hosts_;
  HostSlot a_{}, b_{};
};

TEST_F(AccessPointsTest, a_failure_is_blamed_on_an_access_point_only_where_it_can_be_the_cause) {
  const AccessPoints access_points(config_, hosts_);
  for (const Failure failure :
       {Failure::timeout, Failure::connect, Failure::tls, Failure::connection_lost}) {
    EXPECT_TRUE(access_points.blames(AccessPointId{0}, answer(failure, 0), first))
        << failure_name(failure);
  }
  for (const Failure failure : {Failure::body_too_large, Failure::bad_encoding, Failure::protocol,
                                Failure::address_refused, Failure::cancelled, Failure::dns}) {
    EXPECT_FALSE(access_points.blames(AccessPointId{0}, answer(failure, 0), first))
        << failure_name(failure);
  }
  EXPECT_TRUE(access_points.blames(AccessPointId{1}, answer(Failure::dns, 0), first));
  EXPECT_FALSE(access_points.blames(AccessPointId{0}, answer(Failure::none, 502), first));
  EXPECT_TRUE(access_points.blames(AccessPointId{1}, answer(Failure::none, 502), first));
  EXPECT_FALSE(access_points.blames(AccessPointId{1}, answer(Failure::none, 500), first));
  fetch::Response stale = answer(Failure::connection_lost, 0);
  stale.reused_connection = true;
  EXPECT_FALSE(access_points.blames(AccessPointId{0}, stale, first));
  EXPECT_TRUE(access_points.blames(AccessPointId{0}, stale, Attempt::again));
}

TEST_F(AccessPointsTest, a_host_that_a_redirect_led_to_goes_through_that_of_the_hop_before) {
  AccessPoints access_points(config_, hosts_);
  const auto passing = hosts_.add_passing("c.test:80", [](HostSlot) { return false; });
  ASSERT_TRUE(passing);
  EXPECT_EQ(access_points.choose(*passing, AccessPointId{1}), AccessPointId{1});
  EXPECT_EQ(access_points.choose(*passing, AccessPointId{0}), AccessPointId{0});
  EXPECT_FALSE(access_points.is_probe(*passing, AccessPointId{0}));
  EXPECT_TRUE(access_points.take_changed(10).empty());
}

TEST_F(AccessPointsTest, rows_come_back_as_the_placement_they_were) {
  AccessPoints access_points(config_, hosts_);
  for (int i = 0; i < 20; ++i) {
    const AccessPointId id = access_points.choose(a_, {}).value();
    access_points.note(
        a_, id,
        answer(Failure::none, 200, std::chrono::milliseconds(id == AccessPointId{0} ? 10 : 90)),
        first);
  }
  EXPECT_EQ(access_points.own(a_), AccessPointId{0});
  std::vector<store::PlacementRow> rows = access_points.take_changed(10);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].host, "a.test:80");
  EXPECT_TRUE(rows[0].placed);
  EXPECT_NEAR(rows[0].seconds, 0.01, 1e-6);
  EXPECT_NEAR(rows[1].seconds, 0.09, 1e-6);

  rows.push_back({"b.test:80", "gone", true, 7, 0.001});
  rows.push_back({"not.listed:80", "dsl", true, 7, 0.001});
  AccessPoints again(config_, hosts_);
  again.restore(rows);
  EXPECT_EQ(again.own(a_), AccessPointId{0});
  EXPECT_TRUE(again.is_probe(a_, AccessPointId{1}));
  // The one place of "dsl" is taken, and what "gone" was like does not matter any more.
  EXPECT_EQ(again.own(b_), AccessPointId{1});
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

TEST_F(AccessPointsTest, a_new_access_point_joins_and_what_was_learnt_stays) {
  AccessPoints access_points(config_, hosts_);
  access_points.restore(
      {{"a.test:80", "dsl", true, 5, 0.01}, {"a.test:80", "far", false, 0, 0.09}});
  EXPECT_FALSE(access_points.change(config_));
  config_.fetch.access_points.insert(config_.fetch.access_points.begin(),
                                     {"new", "", "10.0.0.9", "", ""});
  config_.placement.capacities = {0, 1, 0};
  ASSERT_TRUE(access_points.change(config_));
  EXPECT_EQ(access_points.points().size(), 3u);
  EXPECT_EQ(access_points.points()[0].name, "dsl");  // a request under way means what it meant
  EXPECT_EQ(access_points.own(a_), AccessPointId{0});
  EXPECT_EQ(access_points.choose(a_, {}), AccessPointId{2});  // never measured: probed first
  access_points.note(a_, AccessPointId{2},
                     answer(Failure::none, 200, std::chrono::milliseconds(20)), first);
  const auto rows = access_points.take_changed(10);
  EXPECT_EQ(placed_at(rows, "a.test:80"), std::vector<std::string>{"dsl"});
  for (const store::PlacementRow& row : rows) {
    if (row.access_point == "far") {
      EXPECT_NEAR(row.seconds, 0.09, 1e-6);
    }
  }
  ASSERT_EQ(access_points.rows().size(), 3u);
  EXPECT_EQ(access_points.rows()[0].name, "new");
}

TEST_F(AccessPointsTest, hosts_of_an_access_point_that_is_gone_are_placed_anew) {
  AccessPoints access_points(config_, hosts_);
  access_points.restore(
      {{"a.test:80", "dsl", true, 5, 0.01}, {"a.test:80", "far", false, 0, 0.09}});
  config_.fetch.access_points.erase(config_.fetch.access_points.begin());
  config_.placement.capacities = {0};
  const auto rows = access_points.change(config_);
  ASSERT_TRUE(rows);
  EXPECT_EQ(placed_at(*rows, "a.test:80"), std::vector<std::string>{"far"});
  EXPECT_EQ(access_points.choose(a_, {}), AccessPointId{1});
  EXPECT_EQ(
      access_points.choose(hosts_.add_passing("c.test:80", [](HostSlot) { return false; }).value(),
                           AccessPointId{0}),
      AccessPointId{1});
  // A request that is still under way on the old one teaches nothing and is no probe.
  EXPECT_FALSE(access_points.is_probe(a_, AccessPointId{0}));
  access_points.note(a_, AccessPointId{0}, answer(Failure::none, 200, std::chrono::milliseconds(1)),
                     first);
  EXPECT_TRUE(access_points.blames(AccessPointId{0}, answer(Failure::connect, 0), first));
  EXPECT_EQ(access_points.own(a_), AccessPointId{1});
}

TEST_F(AccessPointsTest, an_access_point_that_leads_elsewhere_now_is_measured_anew) {
  AccessPoints access_points(config_, hosts_);
  access_points.restore({{"a.test:80", "dsl", false, 0, 0.5}, {"a.test:80", "far", true, 5, 0.09}});
  config_.fetch.access_points[1].proxy = "http://other.test:3128";
  ASSERT_TRUE(access_points.change(config_));
  EXPECT_EQ(access_points.own(a_), AccessPointId{2});
  EXPECT_EQ(access_points.points()[2].proxy, "http://other.test:3128");
  access_points.note(a_, AccessPointId{2},
                     answer(Failure::none, 200, std::chrono::milliseconds(20)), first);
  for (const store::PlacementRow& row : access_points.take_changed(10)) {
    if (row.access_point == "far") {
      EXPECT_NEAR(row.seconds, 0.02, 1e-6);
    }
  }
}

TEST_F(AccessPointsTest, access_points_may_all_go_and_come_back) {
  AccessPoints access_points(config_, hosts_);
  access_points.restore({{"a.test:80", "dsl", true, 5, 0.01}});
  config::Config none = config_;
  none.fetch.access_points.clear();
  none.placement.capacities.clear();
  const auto rows = access_points.change(none);
  ASSERT_TRUE(rows);
  EXPECT_TRUE(placed_at(*rows, "a.test:80").empty());
  EXPECT_FALSE(access_points.choose(a_, AccessPointId{0}));
  EXPECT_FALSE(access_points.is_probe(a_, AccessPointId{0}));
  access_points.note(a_, AccessPointId{0}, answer(Failure::timeout, 0), first);
  access_points.forget(a_);
  EXPECT_TRUE(access_points.rows().empty());
  EXPECT_TRUE(access_points.take_changed(10).empty());
  ASSERT_TRUE(access_points.change(config_));
  EXPECT_TRUE(access_points.choose(a_, {}));
  EXPECT_EQ(access_points.points().size(), 2u);
}

TEST_F(AccessPointsTest, hosts_without_pages_give_their_places_back) {
  AccessPoints access_points(config_, hosts_);
  while (access_points.choose(a_, {}) != AccessPointId{0}) {
    access_points.note(a_, AccessPointId{1}, answer(Failure::timeout, 0), first);
  }
  access_points.note(a_, AccessPointId{0}, answer(Failure::none, 200, std::chrono::milliseconds(5)),
                     first);
  access_points.forget(a_);
  EXPECT_FALSE(access_points.is_probe(a_, AccessPointId{1}));
  EXPECT_FALSE(access_points.is_probe(a_, AccessPointId{0}));
}

TEST_F(AccessPointsTest, secrets_stay_out_of_the_rows) {
  const auto rows = AccessPoints(config_, hosts_).rows();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].way, "interface eth1");
  EXPECT_EQ(rows[0].capacity, 1);
  EXPECT_EQ(rows[1].way, "proxy http://proxy.test:3128");
}

TEST_F(AccessPointsTest,
       an_agent_that_is_silent_is_closed_and_one_that_takes_no_secrets_gets_none) {
  config_.fetch.access_points.resize(2);
  config_.fetch.access_points[0] = {};
  config_.fetch.access_points[1] = {};
  config_.fetch.access_points[0].name = config_.fetch.access_points[0].agent = "one";
  config_.fetch.access_points[1].name = config_.fetch.access_points[1].agent = "two";
  config_.placement.capacities = {0, 0};
  AccessPoints access_points(config_, hosts_);
  bool one = true, two = true;
  access_points.ask_of_agents([&](const std::string& agent, bool secrets) {
    return (agent == "one" ? one : two) && !(secrets && agent == "two");
  });
  one = false;
  EXPECT_EQ(access_points.choose(a_, {}), AccessPointId{1});
  EXPECT_EQ(access_points.choose(a_, {}, HasSecrets::yes), std::nullopt) << "it leaves from here";
  EXPECT_TRUE(access_points.any_open());
  two = false;
  EXPECT_FALSE(access_points.any_open());
  one = true;
  EXPECT_EQ(access_points.choose(a_, {}, HasSecrets::yes), AccessPointId{0});
  EXPECT_EQ(access_points.rows()[0].way, "agent one");
  EXPECT_FALSE(access_points.blames(AccessPointId{0}, answer(Failure::agent, 0), first));
}

TEST_F(AccessPointsTest, an_agent_without_room_makes_its_hosts_wait_and_no_others) {
  config_.fetch.access_points.resize(2);
  for (int i = 0; i < 2; ++i) {
    config_.fetch.access_points[i] = {};
    config_.fetch.access_points[i].name = config_.fetch.access_points[i].agent =
        i == 0 ? "one" : "two";
  }
  config_.placement.capacities = {0, 0};
  AccessPoints access_points(config_, hosts_);
  bool there = true;
  std::set<std::string> full;
  access_points.ask_of_agents([&](const std::string&, bool) { return there; }, {},
                              [&](const std::string& agent) { return !full.contains(agent); });
  EXPECT_TRUE(access_points.has_room(a_)) << "it is placed nowhere yet";
  static_cast<void>(access_points.choose(a_, {}));
  full = {access_points.own(a_) == AccessPointId{0} ? "one" : "two"};
  EXPECT_FALSE(access_points.has_room(a_));
  EXPECT_TRUE(access_points.any_room());
  full = {"one", "two"};
  EXPECT_FALSE(access_points.any_room());
  there = false;
  EXPECT_TRUE(access_points.any_room()) << "those that are gone are another matter";
  EXPECT_TRUE(access_points.has_room(a_)) << "it will go elsewhere";
}

// It looks up names and has an address gate of its own: another one may do better.
TEST_F(AccessPointsTest, names_and_addresses_that_an_agent_does_not_reach_are_blamed_on_it) {
  config_.fetch.access_points.resize(2);
  config_.fetch.access_points[0] = {};
  config_.fetch.access_points[1] = {};
  config_.fetch.access_points[0].name = config_.fetch.access_points[0].agent = "one";
  config_.fetch.access_points[1].name = "here";
  config_.placement.capacities = {0, 0};
  const AccessPoints access_points(config_, hosts_);
  for (const Failure failure : {Failure::dns, Failure::address_refused}) {
    EXPECT_TRUE(access_points.blames(AccessPointId{0}, answer(failure, 0), first));
    EXPECT_FALSE(access_points.blames(AccessPointId{1}, answer(failure, 0), first));
  }
}

}  // namespace
}  // namespace pollux::engine

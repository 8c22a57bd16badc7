#include "pollux/report/access_points.hpp"

#include <boost/json/array.hpp>
#include <gtest/gtest.h>

namespace pollux::report {
namespace {

PlacementOverview overview() {
  return overview_of(
      {{.name = "east", .way = "interface eth0", .capacity = 10}, {.name = "west", .way = "proxy"}},
      {{.host = "a.org:443", .access_point = "east", .placed = true, .depth = 3, .seconds = 0.1},
       {.host = "a.org:443", .access_point = "west", .seconds = 0.3},
       {.host = "b.org:443", .access_point = "west", .placed = true, .depth = 1}});
}

std::vector<std::string> texts_of(const std::vector<Cell>& cells) {
  std::vector<std::string> texts;
  for (const Cell& cell : cells) texts.push_back(cell.text);
  return texts;
}

using Texts = std::vector<std::string>;

TEST(AccessPoints, each_has_its_hosts_and_their_mean_time) {
  const Table table = access_points_table(overview());
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(texts_of(table.rows[0]), (Texts{"east", "1", "10", "100 ms", "interface eth0"}));
  EXPECT_EQ(texts_of(table.rows[1]), (Texts{"west", "1", "-", "-", "proxy"}));
  EXPECT_TRUE(table.rows[1][2].value.is_null());
}

TEST(AccessPoints, only_hosts_measured_twice_are_compared) {
  EXPECT_EQ(overview().gain.hosts, 1);
  EXPECT_EQ(gain_text(overview().gain),
            "One poll of each of 1 hosts takes 100 ms; placed at random it would take about "
            "200 ms: 2.00 times as long. The best placement known takes 100 ms.");
  EXPECT_EQ(gain_text({}), "");
}

TEST(AccessPoints, the_table_of_hosts_has_a_column_for_each_and_a_limit) {
  const Table all = placed_hosts_table(overview(), 10);
  ASSERT_EQ(all.columns.size(), 5U);
  EXPECT_EQ(all.columns[3].title, "east");
  ASSERT_EQ(all.rows.size(), 2U);
  EXPECT_EQ(texts_of(all.rows[0]), (Texts{"a.org:443", "east", "3", "100 ms", "300 ms"}));
  EXPECT_EQ(texts_of(all.rows[1]), (Texts{"b.org:443", "west", "1", "-", "-"}));
  EXPECT_EQ(placed_hosts_table(overview(), 1).rows.size(), 1U);
}

TEST(AccessPoints, as_json_unknown_times_are_null) {
  const boost::json::object told = placement_json(overview(), 10);
  EXPECT_EQ(told.at("compared_hosts"), 1);
  EXPECT_EQ(told.at("times_as_fast_as_random"), 2.0);
  EXPECT_EQ(told.at("access_points").at(0).at("capacity"), 10);
  EXPECT_TRUE(told.at("access_points").at(1).at("mean_seconds").is_null());
  EXPECT_EQ(told.at("hosts").at(0).at("seconds").at("west"), 0.3);
  EXPECT_TRUE(placement_json({}, 10).at("times_as_fast_as_random").is_null());
}

TEST(AccessPoints, agents_are_shown_with_how_they_do) {
  const std::vector<AgentState> agents = agents_of(
      {{"agents", R"([{"name":"fra-1","version":"0.7.0","alive":true,"slots":256,"in_flight":3,)"
                  R"("polls":40,"unused":1,"lost":2,"late":1,"faults":0,"seconds":0.25}])"}});
  ASSERT_EQ(agents.size(), 1U);
  const PlacementOverview overview = overview_of(
      {{.name = "fra", .way = "agent fra-1"}, {.name = "here", .way = "interface eth0"}}, {},
      agents);
  const Table table = access_points_table(overview);
  EXPECT_EQ(texts_of(table.rows[0]),
            (Texts{"fra", "0", "-", "-", "agent fra-1", "alive, 0.7.0", "3", "40", "2", "0"}));
  EXPECT_EQ(texts_of(table.rows[1]),
            (Texts{"here", "0", "-", "-", "interface eth0", "-", "-", "-", "-", "-"}));
  const auto json = placement_json(overview, 10);
  const auto& agent = json.at("access_points").as_array()[0].at("agent").as_object();
  EXPECT_EQ(agent.at("version").as_string(), "0.7.0");
  EXPECT_EQ(agent.at("lost").as_int64(), 2);
  EXPECT_TRUE(json.at("access_points").as_array()[1].at("agent").is_null());
}

TEST(AccessPoints, where_no_agent_is_there_it_is_said_where_to_look) {
  std::vector<AgentState> agents = {{.name = "fra-1", .version = "0.8.0"}};
  EXPECT_EQ(agents_text(agents), "0 of 1 there   (pollux access-points)");
  agents.push_back({.name = "nyc-1", .version = "0.8.0", .alive = true});
  EXPECT_EQ(agents_text(agents), "1 of 2 there");
  EXPECT_EQ(agents_text({}), "");
}

TEST(AccessPoints, a_row_about_agents_that_cannot_be_read_is_about_nobody) {
  EXPECT_TRUE(agents_of({}).empty());
  EXPECT_TRUE(agents_of({{"agents", "[{"}}).empty());
  EXPECT_TRUE(agents_of({{"agents", "{}"}}).empty());
}

}  // namespace
}  // namespace pollux::report

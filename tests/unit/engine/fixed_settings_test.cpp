#include "engine/fixed_settings.hpp"

#include <gtest/gtest.h>

namespace pollux::engine {
namespace {

config::Config read(const std::string& more) {
  const std::string budget = more.find("budget:") == std::string::npos ? "budget: 1\n" : "";
  return config::load_text("pages: [http://example.org/]\n" + budget + more, "pollux.yaml")
      .value()
      .config;
}
const std::string points = "access_points: [{ name: a, proxy: 'http://10.0.0.1:80' }]\n";

TEST(FixedSettings, nothing_differs_and_nothing_is_named) {
  config::Config fresh = read(points);
  EXPECT_TRUE(keep_fixed(fresh, read(points)).empty());
}

TEST(FixedSettings, only_what_cannot_be_changed_is_kept_and_each_key_is_named) {
  const config::Config running = read(points);
  config::Config fresh = read(
      "budget: 7\ndatabase: other.db\n"
      "learner: { policy: uniform, seed: 9, explore: 0.2, cost: { by: time, bias_removal: 0.5 } }\n"
      "network: { allow: [10.0.0.0/8], allow_downgrade: true, proxy: 'http://10.0.0.2:80' }\n"
      "hosts: { delay: 5s }\nfetch: { concurrency: 9, threads: 3 }\n");
  EXPECT_EQ(keep_fixed(fresh, running),
            (std::vector<std::string>{"database", "learner.policy", "learner.seed", "network.allow",
                                      "network.proxy", "fetch.threads"}));
  EXPECT_EQ(fresh.database, running.database);
  EXPECT_EQ(fresh.learner.policy, "htraa");
  EXPECT_EQ(fresh.learner.seed, running.learner.seed);
  EXPECT_EQ(fresh.schedule.seed, running.schedule.seed);
  EXPECT_EQ(fresh.fetch.proxy, running.fetch.proxy);
  EXPECT_EQ(fresh.fetch.allow, running.fetch.allow);
  EXPECT_TRUE(fresh.fetch.access_points.empty());  // a reload changes them
  EXPECT_EQ(fresh.fetch_threads, 0u);
  EXPECT_EQ(fresh.concurrency, 9u);
  EXPECT_EQ(fresh.schedule.budget, 7);
  EXPECT_EQ(fresh.schedule.explore, 0.2);
  EXPECT_TRUE(fresh.learner.cost.by_time);
  EXPECT_EQ(fresh.learner.cost.bias_removal, 0.5);
  EXPECT_TRUE(fresh.allow_downgrade);
  EXPECT_EQ(fresh.host_default.delay, std::chrono::seconds(5));
}

TEST(FixedSettings, what_is_shown_as_in_force_is_what_is_kept) {
  const config::Config running = read("learner: { seed: 4 }\nweb: { listen: '127.0.0.1:8601' }\n");
  config::Config fresh = read(
      "budget: 7\nlearner: { seed: 9, explore: 0.2 }\nweb: { listen: '127.0.0.1:8602', "
      "connections: "
      "9 }\n");
  EXPECT_EQ(keep_fixed(fresh, running), (std::vector<std::string>{"learner.seed", "web"}));
  const auto shown = [&](const std::string& key) {
    for (const config::Setting& row : *fresh.in_force)
      if (row.key == key) return row.value;
    return std::string("none");
  };
  EXPECT_EQ(shown("learner.seed"), "4");
  EXPECT_EQ(shown("web.listen"), "127.0.0.1:8601");
  EXPECT_EQ(shown("web.connections"), "256");
  EXPECT_EQ(shown("learner.explore"), "0.2");
  EXPECT_EQ(shown("budget"), "7");
}

TEST(FixedSettings, agents_come_with_a_new_start_where_there_was_no_way_to_them) {
  const std::string nats = "nats: { servers: ['tls://n.example:4222'] }\n";
  const std::string agents =
      "access_points: [{ name: a, proxy: 'http://10.0.0.1:80' }, { name: b, agent: b-1 }]\n";
  config::Config fresh = read(nats + agents);
  EXPECT_EQ(keep_fixed(fresh, read(points)), (std::vector<std::string>{"nats", "access_points"}));
  ASSERT_EQ(fresh.fetch.access_points.size(), 1u);
  EXPECT_EQ(fresh.fetch.access_points[0].name, "a");
  EXPECT_EQ(fresh.placement.capacities.size(), 1u);

  fresh = read(nats + agents);
  EXPECT_TRUE(keep_fixed(fresh, read(nats + points)).empty());
  EXPECT_EQ(fresh.fetch.access_points.size(), 2u);
}

}  // namespace
}  // namespace pollux::engine

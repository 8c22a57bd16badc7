#include "pollux/config/plan.hpp"

#include "loaded.hpp"

#include <cmath>

namespace pollux::config {
namespace {

std::string pages(int count, const std::string& host = "a.example") {
  std::string text = "pages:\n";
  for (int i = 0; i < count; ++i) text += " - http://" + host + "/" + std::to_string(i) + "\n";
  return text;
}

std::string warnings(const std::string& text) {
  std::string all;
  for (const Warning& warning : loaded(text).warnings) all += warning.message + "\n";
  return all;
}

std::string notes(const std::string& text) {
  const Loaded read = loaded(text);
  EXPECT_TRUE(read.warnings.empty()) << "it need not be mended";
  std::string all;
  for (const Warning& note : read.notes) all += note.message + "\n";
  return all;
}

TEST(Plan, demand_and_use_are_added_up_per_host) {
  const Config config = loaded(
                            "budget: unlimited\ndefaults: {min_interval: 10s, max_interval: 100s}\n"
                            "hosts: {delay: 2s, connections: 1, robots: ignore}\n" +
                            pages(10) + " - https://b.example/\n")
                            .config;
  const Plan plan = make_plan(config);
  ASSERT_EQ(plan.hosts.size(), 2u);
  EXPECT_EQ(plan.hosts[0].host, "a.example:80");
  EXPECT_EQ(plan.hosts[0].pages, 10u);
  EXPECT_DOUBLE_EQ(plan.hosts[0].demanded, 0.1);
  EXPECT_DOUBLE_EQ(plan.hosts[0].wanted, 1);
  EXPECT_DOUBLE_EQ(plan.hosts[0].allowed, 0.5);
  EXPECT_DOUBLE_EQ(plan.demanded, 0.11);
  EXPECT_DOUBLE_EQ(plan.usable, 0.6);
}

TEST(Plan, robots_txt_is_asked_for_once_a_day_and_no_more_often_than_the_host_is_polled) {
  const Config config = loaded(
                            "defaults: {max_interval: 1h}\n"
                            "hosts: {overrides: {c.example: {robots: ignore}}}\n" +
                            pages(24) +
                            " - {url: http://b.example/, max_interval: 10d}\n"
                            " - http://c.example/\n")
                            .config;
  const Plan plan = make_plan(config);
  ASSERT_EQ(plan.hosts.size(), 3u);
  EXPECT_DOUBLE_EQ(plan.hosts[0].robots * 86400, 1);
  EXPECT_DOUBLE_EQ(plan.hosts[1].robots * 86400, 0.1);
  EXPECT_DOUBLE_EQ(plan.hosts[2].robots, 0) << "not where it is not obeyed";
  EXPECT_DOUBLE_EQ(plan.robots * 86400, 1.1);
}

std::string one_page_each(int hosts) {
  std::string text = "pages:\n";
  for (int i = 0; i < hosts; ++i) text += " - http://h" + std::to_string(i) + ".example/\n";
  return text;
}

TEST(Plan, a_budget_for_the_polls_alone_does_not_pay_for_robots_txt) {
  const std::string limits = "defaults: {max_interval: 1d}\n";
  const std::string text = warnings("budget: 1000/d\n" + limits + one_page_each(864));
  EXPECT_TRUE(contains(text, "takes 1.2/min (36/h of it for robots.txt)")) << text;
  // Polls that are rarer than once a day take robots.txt with them: 864 · 2 requests in 1 000/d.
  EXPECT_TRUE(contains(text, "set max_interval to 1 d 18 h")) << text;
  EXPECT_EQ(warnings("budget: 1800/d\n" + limits + one_page_each(864)), "");
  EXPECT_EQ(warnings("budget: 1000/d\nhosts: {robots: ignore}\n" + limits + one_page_each(864)),
            "");
}

TEST(Plan, polls_more_often_than_daily_must_become_rarer_for_the_sake_of_robots_txt) {
  // 24 a day for each of ten hosts, and one robots.txt: 250 requests, 130 are there.
  const std::string text =
      warnings("budget: 130/d\ndefaults: {max_interval: 1h}\n" + one_page_each(10));
  EXPECT_TRUE(contains(text, "set max_interval to 2 h 1 min")) << text;
}

TEST(Plan, a_rendered_page_counts_at_its_price_in_the_budget_and_once_for_its_host) {
  const std::string text =
      "render: { chromium: true, price: 5 }\n"
      "defaults: {min_interval: 10s, max_interval: 100s}\n"
      "hosts: {delay: 100s, robots: ignore}\n" +
      pages(1) +
      " - {url: http://a.example/r, max_interval: 50s, content: {render: true}}\n"
      " - {url: http://b.example/, content: {render: true}}\n";
  const Plan plan = make_plan(loaded("budget: unlimited\n" + text).config);
  EXPECT_EQ(plan.rendered, 2u);
  EXPECT_DOUBLE_EQ(plan.demanded, 0.01 + 5 * 0.02 + 5 * 0.01);
  ASSERT_EQ(plan.hosts.size(), 2u);
  EXPECT_DOUBLE_EQ(plan.hosts[0].demanded, 0.03);
  EXPECT_DOUBLE_EQ(plan.hosts[0].price, 0.11 / 0.03);
  EXPECT_DOUBLE_EQ(plan.hosts[1].price, 5);
  // Each host allows one request in 100 s, whatever that costs.
  EXPECT_DOUBLE_EQ(plan.usable, 0.01 * 0.11 / 0.03 + 0.01 * 5);
  const std::string told = warnings("budget: 1/min\n" + text);
  EXPECT_TRUE(contains(told, "takes 9.6/min, the budget is 1/min")) << told;
}

TEST(Plan, without_limits_everything_is_usable) {
  const Config config =
      loaded("defaults: {min_interval: 0s}\nhosts: {delay: 0s}\n" + pages(1)).config;
  EXPECT_TRUE(std::isinf(make_plan(config).usable));
}

TEST(Plan, a_budget_too_small_for_max_interval_is_told_with_both_cures) {
  const std::string text = warnings(
      "budget: 1\ndefaults: {max_interval: 10s}\n"
      "hosts: {delay: 0s}\n" +
      pages(100));
  EXPECT_TRUE(contains(text, "takes 10/s, the budget is 1/s: raise budget to 10/s")) << text;
  EXPECT_TRUE(contains(text, "set max_interval to 1 min 41 s or more")) << text;
}

TEST(Plan, mixed_max_intervals_are_told_as_a_factor) {
  const std::string text = warnings(
      "budget: 1\ndefaults: {max_interval: 10s}\n"
      "hosts: {delay: 0s}\n" +
      pages(20) + " - {url: http://b.example, max_interval: 1h}\n");
  EXPECT_TRUE(contains(text, "make every max_interval 2.01 times as long")) << text;
}

TEST(Plan, a_host_that_cannot_serve_its_pages_is_named) {
  const std::string text =
      warnings("budget: 5\ndefaults: {min_interval: 1s, max_interval: 10s}\nhosts: {delay: 1s}\n" +
               pages(30));
  EXPECT_TRUE(contains(text, "host a.example:80: 30 pages")) << text;
  EXPECT_TRUE(contains(text, "ask for 3/s, but a delay of 1 s and 1 connection allow at most 1/s"))
      << text;
}

TEST(Plan, a_budget_that_pages_cannot_use_is_told) {
  const std::string text = notes("budget: 20\nhosts: {delay: 0s}\n" + pages(10));
  EXPECT_TRUE(contains(text,
                       "the budget of 20/s cannot be used up: the pages' min_intervals allow at "
                       "most 2/s"))
      << text;
}

TEST(Plan, a_budget_that_hosts_cannot_use_is_told) {
  const std::string text = notes("budget: 20\n" + pages(1000));
  EXPECT_TRUE(contains(text, "hosts.delay and hosts.connections allow at most 1/s")) << text;
}

TEST(Plan, many_overloaded_hosts_give_few_warnings) {
  std::string text =
      "budget: unlimited\ndefaults: {min_interval: 0s, max_interval: 100ms}\npages:\n";
  for (int i = 0; i < 100; ++i) text += " - http://h" + std::to_string(i) + ".example/\n";
  const Loaded many = loaded(text);
  ASSERT_EQ(many.warnings.size(), 6u);
  EXPECT_TRUE(contains(many.warnings.back().message, "95 hosts more"));
}

TEST(Plan, an_override_without_pages_is_told) {
  EXPECT_TRUE(contains(warnings("hosts: {overrides: {c.example: {delay: 0s}}}\n" + pages(1)),
                       "no page is on 'c.example'"));
  EXPECT_FALSE(contains(
      warnings("hosts: {overrides: {a.example: {delay: 0s}, 'a.example:80': {}}}\n" + pages(1)),
      "no page is on"));
}

TEST(Plan, a_configuration_that_fits_has_no_warnings) {
  EXPECT_EQ(warnings("budget: 1\n" + pages(100)), "");
  EXPECT_EQ(notes("budget: 1\n" + pages(100)), "");
}

}  // namespace
}  // namespace pollux::config

#include "pollux/report/explanation.hpp"

#include "unit/report/facts.hpp"

#include <boost/json/array.hpp>
#include <gtest/gtest.h>

namespace pollux::report {
namespace {

PageFacts facts_of(store::PageRow page) {
  PageFacts facts{.page = std::move(page),
                  .host = {.host = "example.org:443", .last_request_at = {}, .blocked_until = {}},
                  .robots = std::nullopt,
                  .rank = {.position = 1, .active = 4},
                  .figures = busy_figures(),
                  .health = {},
                  .now = noon};
  facts.health = health_of({.pid = 42}, facts.figures, noon);
  return facts;
}

TEST(Explanation, an_active_page_has_a_line_on_every_topic) {
  const std::vector<Line> lines = explanation_of(facts_of(busy_page()));
  EXPECT_EQ(on(lines, "share"),
            "25 % of the budget of 2/s, that is a poll every 2 s. Rank 1 of 4 pages, like the "
            "average page.");
  EXPECT_EQ(on(lines, "change rate"),
            "about 1/h, one change every 1 h (7 changes found in 100 polls). The more a poll is "
            "likely to find, the larger the share.");
  EXPECT_EQ(on(lines, "importance"),
            "3: a change here counts 3 times as much as on a page of importance 1.");
  EXPECT_EQ(on(lines, "limits"),
            "min_interval (5 s) binds: its share would pay for a poll every 2 s.");
  EXPECT_EQ(on(lines, "back-off"), "none: no poll has failed.");
  EXPECT_EQ(on(lines, "host"),
            "example.org:443: no request yet. All pages of a host share its delay and "
            "connections.");
  EXPECT_TRUE(on(lines, "copy").starts_with("probably outdated now: 0 %; next change expected: "));
  EXPECT_EQ(on(lines, "last poll"), "10 s ago, HTTP 200, 2 KiB; last change 3 h ago.");
  EXPECT_EQ(on(lines, "next poll"), "about 2026-09-21T14:18:20.000Z (in 5 min).");
}

TEST(Explanation, a_removed_page_is_not_held_back_by_anything) {
  store::PageRow removed = busy_page();
  removed.state = "removed";
  const std::vector<Line> lines = explanation_of(facts_of(removed));
  EXPECT_TRUE(on(lines, "share").starts_with("none: the page is no longer listed."));
  EXPECT_EQ(on(lines, "next poll"), "none.");
  for (const char* topic : {"limits", "back-off", "host", "copy"}) {
    EXPECT_EQ(on(lines, topic), "(none)") << topic;
  }
}

TEST(Explanation, without_a_daemon_the_plan_is_called_an_old_one) {
  PageFacts facts = facts_of(busy_page());
  facts.health = health_of({.pid = std::nullopt}, facts.figures, noon);
  EXPECT_TRUE(on(explanation_of(facts), "next poll")
                  .ends_with("but no daemon is running, this is what the last one planned."));
}

TEST(Explanation, as_json_it_has_the_page_the_facts_and_the_words) {
  const boost::json::object told = explanation_json(facts_of(busy_page()));
  EXPECT_EQ(told.at("url"), "https://example.org/busy");
  EXPECT_EQ(told.at("budget"), 2.0);
  EXPECT_EQ(told.at("rank"), 1);
  EXPECT_EQ(told.at("active_pages"), 4);
  EXPECT_EQ(told.at("binding_limit"), "min_interval");
  EXPECT_EQ(told.at("daemon_running"), true);
  for (const char* field : {"host_blocked_until", "host_delay_ms", "host_response_ms", "robots"}) {
    EXPECT_TRUE(told.at(field).is_null()) << field;
  }
  EXPECT_EQ(told.at("explanation").at(0).at("topic"), "share");
  EXPECT_EQ(told.at("explanation").as_array().size(), explanation_of(facts_of(busy_page())).size());
}

}  // namespace
}  // namespace pollux::report

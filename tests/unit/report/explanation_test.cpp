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
  EXPECT_EQ(
      on(lines, "share"),
      "10 % of the budget of 2/s, that is a poll every 5 s. The learner gives it 25 %; limits "
      "make that another part of the polls. Rank 1 of 4 pages, 0.4 times the average page.");
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

TEST(Explanation, a_status_that_the_error_names_is_not_told_twice) {
  store::PageRow page = busy_page();
  page.progress.error_streak = 1;
  page.progress.last_error = "HTTP 404";
  page.progress.last_status = 404;
  EXPECT_TRUE(on(explanation_of(facts_of(page)), "back-off")
                  .starts_with("1 failure in a row, the last one: HTTP 404. "))
      << on(explanation_of(facts_of(page)), "back-off");
  page.progress.last_error = "body too large";
  EXPECT_TRUE(on(explanation_of(facts_of(page)), "back-off").find("large (HTTP 404)") !=
              std::string::npos);
}

TEST(Explanation, says_in_plain_words_how_far_a_page_is_to_be_trusted) {
  store::PageRow page = busy_page();
  const auto told = [&page](const char* health, const char* reason) {
    page.progress.health = health;
    page.progress.health_reason = reason;
    return on(explanation_of(facts_of(page)), "health");
  };
  EXPECT_EQ(told("suspect", "login wall"),
            "suspect: login wall, its last answer was a form to log in. That is not taken for the "
            "page: it keeps what it had, is asked again at every poll, and neither this nor its "
            "end is a change.");
  for (const char* health :
       {"failing", "suspect", "selector", "moved", "flapping", "noisy", "masked"}) {
    const std::string text = told(health, "so it is");
    EXPECT_TRUE(text.starts_with(health + std::string(": so it is. "))) << text;
    EXPECT_GT(text.size(), 40u) << "and what follows from it: " << text;
  }
  EXPECT_EQ(told("ok", ""), "(none)");
  EXPECT_EQ(on(explanation_of(facts_of(page)), "news"), "(none)");
}

TEST(Explanation, says_that_news_waits_and_until_when) {
  store::PageRow page = busy_page();
  page.progress.health = "ok";
  page.progress.health_reason = "what is new on it is not believed until then";
  EXPECT_EQ(on(explanation_of(facts_of(page)), "news"),
            "waits: what is new on it is not believed until then.");
}

TEST(Explanation, tells_the_rules_of_the_content_and_where_they_are_written) {
  PageFacts facts = facts_of(busy_page());
  facts.page.spec.tags = R"(["shop","prices"])";
  EXPECT_EQ(on(explanation_of(facts), "tags"), "shop, prices");
  EXPECT_EQ(on(explanation_of(facts), "content"), "(none)");
  facts.content = ContentRules{};
  EXPECT_EQ(on(explanation_of(facts), "content"), "no rule of the configuration speaks of it.");
  facts.content->rules = {{"select: ['.price']", "the page, pollux.yaml:12"}};
  EXPECT_EQ(on(explanation_of(facts), "content"),
            "select: ['.price']   (the page, pollux.yaml:12)");
  EXPECT_EQ(explanation_json(facts).at("content").at(0).at("where"), "the page, pollux.yaml:12");
  EXPECT_TRUE(explanation_json(facts).at("conditions").as_array().empty());
  facts.content->conditions = {{"alert", "appears \"sold out\"", true, "it is there"}};
  EXPECT_EQ(on(explanation_of(facts), "alert"),
            "appears \"sold out\": already true (it is there); fires when it becomes true again "
            "after being false.");
  EXPECT_EQ(explanation_json(facts).at("conditions").at(0).at("holds"), true);
  facts.content->conditions[0].holds = false;
  EXPECT_EQ(on(explanation_of(facts), "alert"),
            "appears \"sold out\": not true now (it is there); fires when it becomes true.");
  facts.content->problem = "pollux.yaml:3: no";
  EXPECT_EQ(on(explanation_of(facts), "content"), "its rules are not known: pollux.yaml:3: no.");
  EXPECT_TRUE(explanation_json(facts).at("content").is_null());
}

TEST(Explanation, tells_what_was_measured_beside_what_is_planned) {
  store::PageRow page = busy_page();
  page.progress.share = 0.05;
  page.progress.measured_since = noon - std::chrono::seconds(1'210);
  page.progress.measured_polls = 100;
  EXPECT_TRUE(on(explanation_of(facts_of(page)), "share")
                  .starts_with("5 % of the budget of 2/s, that is a poll every 10 s as planned; "
                               "measured over 20 min 10 s: 4.17 %, a poll every 12 s. Rank 1"))
      << on(explanation_of(facts_of(page)), "share");
}

TEST(Explanation, says_why_a_page_was_looked_at_out_of_turn) {
  PageFacts facts = facts_of(busy_page());
  EXPECT_EQ(on(explanation_of(facts), "look"), "(none)");
  EXPECT_TRUE(explanation_json(facts).at("looked_at").is_null());
  EXPECT_TRUE(explanation_json(facts).at("looked_because").is_null());

  facts.look = store::LookRow{noon - std::chrono::seconds(10), "https://example.org/other"};
  EXPECT_EQ(on(explanation_of(facts), "look"),
            "The last time it was polled out of turn, because https://example.org/other had "
            "changed and nobody had foreseen it; they have changed together before, or it was "
            "tried whether they do.");
  const boost::json::object told = explanation_json(facts);
  EXPECT_EQ(told.at("looked_because"), "https://example.org/other");
  EXPECT_EQ(told.at("looked_at"), "2026-09-21T14:13:10.000Z");

  facts.look->at = noon - std::chrono::hours(2);
  EXPECT_TRUE(on(explanation_of(facts), "look").starts_with("2 h ago it was polled out of turn"))
      << on(explanation_of(facts), "look");
}

TEST(Explanation, says_what_was_learnt_of_the_parts_of_the_web_it_belongs_to) {
  PageFacts facts = facts_of(busy_page());
  facts.nodes = {{.value = 1.1,
                  .first_url = "https://example.org/",
                  .prefix = "https://example.org/",
                  .pages = 300,
                  .share = 0.25,
                  .affinity = 0.875,
                  .tried = 12,
                  .found = 10}};
  EXPECT_EQ(on(explanation_of(facts), "part of"),
            "https://example.org/: 300 pages with 25.00 % of the budget; when a page of one half "
            "changed unforeseen, one of the other had changed, too, with a chance of 88 %.");
  const boost::json::object told = explanation_json(facts);
  ASSERT_EQ(told.at("nodes").as_array().size(), 1U);
  const boost::json::object& node = told.at("nodes").as_array()[0].as_object();
  EXPECT_EQ(node.at("prefix"), "https://example.org/");
  EXPECT_EQ(node.at("pages"), 300);
  EXPECT_DOUBLE_EQ(node.at("affinity").as_double(), 0.875);
}

TEST(Explanation, says_where_redirects_led_and_what_that_looks_like) {
  store::PageRow page = busy_page();
  page.progress.final_url = "https://consent.test/ask";
  page.progress.redirects = 1;
  page.progress.redirect_distance = "other_host";
  EXPECT_EQ(
      on(explanation_of(facts_of(page)), "answered by"),
      "1 redirect away, at another host, looks like a consent page: https://consent.test/ask. "
      "What is compared is probably not the page that was meant.");
}

TEST(Explanation, a_rate_that_polls_cannot_know_is_a_bound) {
  store::PageRow page = busy_page();
  page.progress.changes = 0;
  page.progress.slow_miss_time = 6'480;
  EXPECT_TRUE(on(explanation_of(facts_of(page)), "change rate").starts_with("below 1.67/h: "))
      << on(explanation_of(facts_of(page)), "change rate");
  page = busy_page();
  page.progress.change_rate_per_day = 100'000;
  EXPECT_TRUE(on(explanation_of(facts_of(page)), "change rate")
                  .starts_with("above 12/min, which is how often it is polled: "))
      << on(explanation_of(facts_of(page)), "change rate");
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

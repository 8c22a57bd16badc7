#include "pollux/report/page.hpp"

#include "unit/report/facts.hpp"

#include <boost/json/object.hpp>
#include <gtest/gtest.h>

namespace pollux::report {
namespace {

TEST(Pace, a_share_of_the_budget_is_held_between_the_limits) {
  store::PageRow page = busy_page();
  const DaemonFigures figures = busy_figures();
  page.progress.share = 0.05;  // of 2/s
  EXPECT_DOUBLE_EQ(pace_of(page, figures).seconds.value(), 10);
  EXPECT_EQ(pace_of(page, figures).binding, Pace::Limit::none);
  page.progress.share = 0.25;
  EXPECT_DOUBLE_EQ(pace_of(page, figures).wanted.value(), 2);
  EXPECT_DOUBLE_EQ(pace_of(page, figures).seconds.value(), 5);
  EXPECT_EQ(pace_of(page, figures).binding, Pace::Limit::min_interval);
  page.progress.share = 1e-6;
  EXPECT_DOUBLE_EQ(pace_of(page, figures).seconds.value(), 3'600);
  EXPECT_EQ(pace_of(page, figures).binding, Pace::Limit::max_interval);
}

TEST(Pace, a_stretched_max_interval_counts_as_stretched) {
  store::PageRow page = busy_page();
  page.progress.share = 1e-6;
  DaemonFigures figures = busy_figures();
  figures.max_interval_stretch = 2;
  EXPECT_DOUBLE_EQ(pace_of(page, figures).seconds.value(), 7'200);
}

TEST(Pace, nothing_is_known_without_a_share_a_budget_or_an_active_page) {
  EXPECT_FALSE(pace_of(new_page(), busy_figures()).seconds);
  EXPECT_FALSE(pace_of(busy_page(), DaemonFigures{}).seconds);
  store::PageRow paused = busy_page();
  paused.state = "paused";
  EXPECT_FALSE(pace_of(paused, busy_figures()).seconds);
}

TEST(Outlook, by_rate_half_of_the_copies_are_outdated_at_the_median) {
  store::PageRow page = busy_page();  // 24 changes a day: the median is ln 2 hours away
  const WallTime median = *page.progress.last_confirmed_at + std::chrono::milliseconds(2'495'329);
  const Outlook outlook = outlook_of(page, median);
  EXPECT_NEAR(outlook.outdated.value(), 0.5, 1e-3);
  EXPECT_EQ(outlook.next_change, median);
  EXPECT_EQ(outdated_text(outlook), "50 %");
  EXPECT_EQ(next_change_text(outlook, median), "overdue");
  EXPECT_EQ(next_change_text(outlook, median - std::chrono::minutes(1)), "in 1 min");
}

TEST(Outlook, an_age_model_that_is_no_list_of_numbers_says_nothing) {
  store::PageRow page = busy_page();
  for (const char* text : {"[1,2,3]", "{}", "[1,2,3,4,5,6,\"x\"]", "[1"}) {
    page.progress.outdated_after = text;
    EXPECT_FALSE(outlook_of(page, noon).outdated) << text;
  }
  EXPECT_EQ(outdated_text({}), "—");
  EXPECT_EQ(next_change_text({}, noon), "—");
}

TEST(Page, its_status_in_a_word_or_two) {
  EXPECT_EQ(status_text(new_page()), "new");
  store::PageRow page = busy_page();
  EXPECT_EQ(status_text(page), "200");
  page.progress.moved_to = "https://user:secret@example.org/b";
  EXPECT_EQ(status_text(page), "200, moved to https://***@example.org/b");
  page.progress.last_error = "timeout";
  page.progress.error_streak = 3;
  EXPECT_EQ(status_text(page), "timeout ×3");
  page.state = "paused";
  EXPECT_EQ(status_text(page), "paused");
}

TEST(Page, as_json_it_has_every_field) {
  const boost::json::object busy = page_json(busy_page(), busy_figures(), noon);
  for (const char* field : {"id",
                            "url",
                            "host",
                            "state",
                            "importance",
                            "min_interval_ms",
                            "max_interval_ms",
                            "added_at",
                            "polls",
                            "changes",
                            "errors",
                            "last_polled_at",
                            "last_confirmed_at",
                            "last_changed_at",
                            "last_status",
                            "last_error",
                            "error_streak",
                            "retry_at",
                            "content_hash",
                            "etag",
                            "last_modified",
                            "moved_to",
                            "fresh_until",
                            "body_bytes",
                            "share",
                            "next_due_at",
                            "change_rate_per_day",
                            "outdated_probability",
                            "next_change_expected_at",
                            "download_ms",
                            "poll_interval_s"}) {
    EXPECT_TRUE(busy.contains(field)) << field;
  }
  for (const char* internal : {"slot", "slow_hits", "streak", "age_model", "outdated_after"}) {
    EXPECT_FALSE(busy.contains(internal)) << internal;
  }
  EXPECT_EQ(busy.at("id"), 7);
  EXPECT_EQ(busy.at("importance"), 3.0);
  EXPECT_EQ(busy.at("added_at"), "2026-09-20T14:13:20.000Z");
  EXPECT_EQ(busy.at("last_status"), 200);
  EXPECT_EQ(busy.at("body_bytes"), 2048);
  EXPECT_EQ(busy.at("share"), 0.25);
  EXPECT_EQ(busy.at("poll_interval_s"), 5.0);
}

TEST(Page, as_json_what_nobody_has_seen_is_null) {
  const boost::json::object fresh = page_json(new_page(), busy_figures(), noon);
  for (const char* field :
       {"last_polled_at", "last_status", "last_error", "content_hash", "etag", "body_bytes",
        "change_rate_per_day", "download_ms", "outdated_probability", "poll_interval_s"}) {
    EXPECT_TRUE(fresh.at(field).is_null()) << field;
  }
  EXPECT_EQ(fresh.at("polls"), 0);
  EXPECT_EQ(fresh.at("share"), 0.0);
}

TEST(Page, pages_are_a_table_in_which_the_url_gives_way) {
  store::PageRow paused = busy_page();
  paused.state = "paused";
  const Table table = pages_table({busy_page(), paused}, busy_figures(), noon);
  std::vector<std::string> titles;
  for (const Column& column : table.columns) titles.push_back(column.title);
  EXPECT_EQ(titles, (std::vector<std::string>{"SHARE", "EVERY", "CHANGES/DAY", "POLLS", "CHANGES",
                                              "ERRORS", "LAST CHANGE", "NEXT POLL", "OUTDATED",
                                              "NEXT CHANGE", "STATUS", "URL"}));
  EXPECT_EQ(table.columns.back().fit, Fit::shortened);
  EXPECT_EQ(table.columns.front().align, Align::right);
  std::vector<std::string> texts;
  for (const Cell& cell : table.rows.at(0)) texts.push_back(cell.text);
  EXPECT_EQ(texts,
            (std::vector<std::string>{"25 %", "5 s", "24", "100", "7", "0", "3 h ago", "in 5 min",
                                      "0 %", "in 41 min 25 s", "200", "https://example.org/busy"}));
  EXPECT_EQ(table.rows[0][0].value, 0.25);
  EXPECT_EQ(table.rows[0][3].value, 100);
  EXPECT_EQ(table.rows.at(1).at(7).text, "—") << "a paused page has no next poll";
}

}  // namespace
}  // namespace pollux::report

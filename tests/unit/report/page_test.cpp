#include "pollux/report/page.hpp"

#include "unit/report/facts.hpp"

#include <boost/json/object.hpp>
#include <gtest/gtest.h>

namespace pollux::report {
namespace {

TEST(PageJson, tags_are_a_list_and_what_is_missing_is_null) {
  store::PageRow page = busy_page();
  page.spec.name.clear();
  page.spec.tags.clear();
  const auto json = [&] { return page_json(page, busy_figures(), asked_at, {}); };
  EXPECT_TRUE(json().at("name").is_null());
  EXPECT_TRUE(json().at("tags").as_array().empty());
  page.spec.name = "News";
  page.spec.tags = R"(["shop","prices"])";
  EXPECT_EQ(json().at("name"), "News");
  EXPECT_EQ(json().at("tags").at(1), "prices");
}

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

TEST(Pace, what_limits_keep_from_others_is_redistributed) {
  store::PageRow page = busy_page();
  DaemonFigures figures = busy_figures();
  page.progress.share = 0.02;  // of 2/s: every 25 s by the budget alone
  figures.virtual_rate = 8;
  const Pace pace = pace_of(page, figures);
  EXPECT_DOUBLE_EQ(pace.seconds.value(), 6.25);
  EXPECT_DOUBLE_EQ(pace.share.value(), 0.08);
  page.progress.share = 0.83;
  EXPECT_DOUBLE_EQ(pace_of(page, figures).seconds.value(), 5) << "min_interval";
  EXPECT_DOUBLE_EQ(pace_of(page, figures).share.value(), 0.1);
}

TEST(Pace, planned_shares_are_scaled_so_that_they_add_up) {
  store::PageRow page = busy_page();
  DaemonFigures figures = busy_figures();
  figures.plan_factor = {.free = 0.5, .held = 0.8};
  page.progress.share = 0.05;  // of 2/s: every 10 s
  EXPECT_DOUBLE_EQ(pace_of(page, figures).seconds.value(), 20);
  EXPECT_DOUBLE_EQ(pace_of(page, figures).share.value(), 0.025);
  page.progress.share = 0.25;  // min_interval holds it
  EXPECT_DOUBLE_EQ(pace_of(page, figures).seconds.value(), 6.25);
  figures.plan_factor = {.free = 4, .held = 1};
  page.progress.share = 0.05;
  EXPECT_DOUBLE_EQ(pace_of(page, figures).seconds.value(), 5)
      << "not above what min_interval allows";
}

TEST(Pages, names_tags_and_reasons_have_columns_that_show_where_there_are_any) {
  store::PageRow page = busy_page();
  page.spec.name = "Release notes";
  page.spec.tags = R"(["work"])";
  page.progress.health = "noisy";
  page.progress.health_reason = "it differs at every look";
  const Table table = pages_table({page, new_page()}, busy_figures(), noon);
  const auto cell = [&](std::size_t row, const std::string& title) {
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      if (table.columns[i].title == title) return table.rows[row][i].text;
    return std::string("no such column");
  };
  EXPECT_EQ(cell(0, "NAME"), "Release notes");
  EXPECT_EQ(cell(0, "TAGS"), "work");
  EXPECT_EQ(cell(0, "HEALTH"), "noisy");
  EXPECT_EQ(cell(0, "HEALTH REASON"), "it differs at every look");
  for (const char* title : {"NAME", "TAGS", "HEALTH REASON"}) {
    EXPECT_EQ(cell(1, title), "—");
    const auto column = std::find_if(table.columns.begin(), table.columns.end(),
                                     [&](const Column& one) { return one.title == title; });
    EXPECT_EQ(column->show, Show::if_any) << title;
  }
  EXPECT_EQ(page_heading(page.spec), "Release notes (https://example.org/busy)");
  EXPECT_EQ(page_heading(new_page().spec), "https://example.org/new");
}

TEST(Pace, pages_of_a_host_share_what_its_pause_lets_through) {
  store::PageRow page = busy_page();
  page.progress.share = 0.1;
  const store::HostLoads loads{{"example.org:443", {0.5, 2'000, 500}}};
  const Pace pace = pace_of(page, busy_figures(), loads);
  EXPECT_DOUBLE_EQ(pace.seconds.value(), 12.5) << "2.5 s a request, a fifth of them";
  EXPECT_EQ(pace.binding, Pace::Limit::host);
}

TEST(Pace, a_page_that_fails_is_planned_as_its_back_off_says) {
  store::PageRow page = busy_page();
  page.progress.error_streak = 2;
  page.progress.retry_at = noon + std::chrono::seconds(10);
  EXPECT_DOUBLE_EQ(pace_of(page, busy_figures()).seconds.value(), 20);
  EXPECT_EQ(pace_of(page, busy_figures()).binding, Pace::Limit::back_off);
}

store::PageRow measured_page() {
  store::PageRow page = busy_page();
  page.progress.measured_since = noon - std::chrono::seconds(580);
  page.progress.measured_polls = 100;  // the last one 10 s ago
  return page;
}

TEST(Measured, is_the_mean_from_poll_to_poll_and_grows_when_none_comes) {
  const Measured measured = measured_of(measured_page(), busy_figures(), noon);
  EXPECT_DOUBLE_EQ(measured.seconds.value(), 580 / 101.0) << "longer than 570 s by 100";
  EXPECT_NEAR(measured.share.value(), 1 / (5.75 * 2), 0.01);
  DaemonFigures figures = busy_figures();
  figures.heartbeat_at = noon + std::chrono::hours(1);
  EXPECT_NEAR(measured_of(measured_page(), figures, noon + std::chrono::hours(1)).seconds.value(),
              (3600 + 580) / 101.0, 0.1);
}

TEST(Measured, is_nothing_before_two_polls_of_this_daemon) {
  store::PageRow page = measured_page();
  page.progress.measured_polls = 0;
  EXPECT_FALSE(measured_of(page, busy_figures(), noon).seconds);
  DaemonFigures restarted = busy_figures();
  restarted.started_at = noon - std::chrono::seconds(60);
  EXPECT_FALSE(measured_of(measured_page(), restarted, noon).seconds);
}

TEST(Measured, of_a_daemon_that_is_gone_ends_with_it) {
  const Measured later = measured_of(measured_page(), busy_figures(), noon + std::chrono::hours(9));
  EXPECT_NEAR(later.seconds.value(), 5.75, 0.01);
}

TEST(ChangeRateOf, a_page_that_never_changed_is_an_upper_bound) {
  store::PageRow page = busy_page();
  page.progress.changes = 0;
  page.progress.slow_miss_time = 6480;
  const ChangeRate rate = change_rate_of(page, {}, {});
  EXPECT_EQ(rate.known, ChangeRate::Known::at_most);
  EXPECT_EQ(change_rate_text(rate), "< 40");
  page.progress.slow_miss_time = 0;  // a policy without sums: by the time it was watched, a day
  EXPECT_EQ(change_rate_text(change_rate_of(page, {}, {})), "< 3");
  EXPECT_EQ(change_rate_text(change_rate_of(new_page(), {}, {})), "—");
}

TEST(ChangeRateOf, no_rate_above_what_polling_could_observe_is_a_fact) {
  store::PageRow page = busy_page();
  page.progress.change_rate_per_day = 90'000;
  Measured every_5_s;
  every_5_s.seconds = 5;
  EXPECT_EQ(change_rate_text(change_rate_of(page, {}, every_5_s)), "> 17280");
  page.progress.change_rate_per_day = 9'000;
  EXPECT_EQ(change_rate_text(change_rate_of(page, {}, every_5_s)), "9000");
}

TEST(Page, a_redirect_to_a_login_page_is_seen) {
  store::PageRow page = busy_page();
  page.progress.final_url = "https://id.example.org/login?next=busy";
  page.progress.redirects = 2;
  page.progress.redirect_distance = "same_domain";
  EXPECT_EQ(status_text(page),
            "200, redirected to another host of its domain, looks like a login page: "
            "https://id.example.org/login?next=busy");
  const boost::json::object told = page_json(page, busy_figures(), noon);
  EXPECT_EQ(told.at("final_url"), "https://id.example.org/login?next=busy");
  EXPECT_EQ(told.at("redirects"), 2);
  EXPECT_EQ(told.at("redirect_distance"), "same_domain");
  EXPECT_EQ(told.at("looks_like"), "login");
  page.progress.final_url = "https://www.example.org/busy";
  page.progress.redirect_distance = "same_page";
  EXPECT_EQ(status_text(page), "200");
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
                            "poll_interval_s",
                            "planned_share",
                            "measured_since",
                            "measured_polls",
                            "measured_interval_s",
                            "measured_share",
                            "change_rate_bound",
                            "final_url",
                            "redirects",
                            "redirect_distance",
                            "looks_like"}) {
    EXPECT_TRUE(busy.contains(field)) << field;
  }
  for (const char* internal :
       {"slot", "slow_hits", "streak", "age_model", "outdated_after", "request_mark"}) {
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
  const Table table = pages_table({measured_page(), paused}, busy_figures(), noon);
  std::vector<std::string> titles;
  for (const Column& column : table.columns) titles.push_back(column.title);
  EXPECT_EQ(titles, (std::vector<std::string>{"SHARE", "GOT", "EVERY", "LATELY", "CHANGES/DAY",
                                              "POLLS", "CHANGES", "ERRORS", "LAST CHANGE",
                                              "NEXT POLL", "OUTDATED", "NEXT CHANGE", "HEALTH",
                                              "HEALTH REASON", "STATUS", "TAGS", "NAME", "URL"}));
  EXPECT_EQ(table.columns.back().fit, Fit::shortened);
  EXPECT_EQ(table.columns.front().align, Align::right);
  std::vector<std::string> texts;
  for (const Cell& cell : table.rows.at(0)) texts.push_back(cell.text);
  EXPECT_EQ(texts,
            (std::vector<std::string>{"10 %", "8.71 %", "5 s", "5.7 s", "24", "100", "7", "0",
                                      "3 h ago", "in 5 min", "0 %", "in 41 min 25 s", "ok", "—",
                                      "200", "—", "—", "https://example.org/busy"}));
  EXPECT_EQ(table.rows[0][0].value, 0.1);
  EXPECT_EQ(table.rows[0][5].value, 100);
  EXPECT_EQ(table.rows.at(1).at(9).text, "—") << "a paused page has no next poll";
}

}  // namespace
}  // namespace pollux::report

#include "read_commands.hpp"

#include "pollux/learn/policy.hpp"

namespace pollux::cli {
namespace {

TEST_F(ReadCommands, pages_shows_a_line_each_the_largest_share_first) {
  const Outcome pages = run({"pages"});
  EXPECT_EQ(pages.exit_code, 0);
  EXPECT_LT(pages.out.find("https://example.org/busy"),
            pages.out.find("https://example.org/broken"));
  EXPECT_TRUE(pages.says("10 %")) << "a poll in 5 s of 2/s: " << pages.out;
  EXPECT_TRUE(pages.says("timeout ×3")) << pages.out;
  EXPECT_EQ(std::count(pages.out.begin(), pages.out.end(), '\n'), 5);
}

TEST_F(ReadCommands, pages_filters_and_orders) {
  EXPECT_EQ(run({"pages", "--contains", "bus", "--limit", "1"}).out.find("quiet"),
            std::string::npos);
  const Outcome by_errors = run({"pages", "--order", "errors", "--json"});
  EXPECT_EQ(json::parse(by_errors.out).at(0).at("url"), "https://example.org/broken");
  EXPECT_EQ(json::parse(run({"pages", "--state", "removed", "--json"}).out).as_array().size(), 0U);
  EXPECT_TRUE(run({"pages", "--contains", "nothing"}).says("No page matches"));
}

TEST_F(ReadCommands, pages_as_json_has_the_columns_of_the_table) {
  const json::value pages = json::parse(run({"pages", "--json"}).out);
  ASSERT_EQ(pages.as_array().size(), 4U);
  const json::value& busy = pages.at(0);
  EXPECT_EQ(busy.at("share"), 0.9);
  EXPECT_EQ(busy.at("changes"), 7);
  EXPECT_EQ(busy.at("last_status"), 200);
  EXPECT_EQ(busy.at("last_changed_at").as_string().size(), 24U);
  EXPECT_EQ(busy.at("poll_interval_s").to_number<double>(), 5);  // min_interval binds
  const json::value newest = json::parse(run({"pages", "--json", "--contains", "new"}).out).at(0);
  EXPECT_TRUE(newest.at("last_status").is_null());
  EXPECT_TRUE(newest.at("content_hash").is_null());
  EXPECT_TRUE(newest.at("last_polled_at").is_null());
}

TEST_F(ReadCommands, access_points_says_who_polls_what_and_what_that_gains) {
  EXPECT_TRUE(run({"access-points"}).says("No access points are configured"));
  Batch batch;
  batch.access_points = {{"dsl", "interface eth1", 7}, {"far", "proxy http://p:1", 0}};
  batch.placements = {{"example.org:443", "dsl", true, 6, 0.02},
                      {"example.org:443", "far", false, 0, 0.08},
                      {"not.listed:443", "dsl", true, 6, 0.5}};
  ASSERT_TRUE(store_->write(batch, "htraa").ok());
  const Outcome text = run({"access-points"});
  EXPECT_TRUE(text.says("interface eth1")) << text.out;
  EXPECT_TRUE(text.says("One poll of each of 1 hosts takes 20 ms")) << text.out;
  EXPECT_TRUE(text.says("about 50 ms: 2.50 times as long")) << text.out;
  EXPECT_FALSE(text.says("not.listed"));
  const json::value all = json::parse(run({"access-points", "--json"}).out);
  EXPECT_EQ(all.at("times_as_fast_as_random").to_number<double>(), 2.5);
  EXPECT_EQ(all.at("access_points").at(0).at("capacity"), 7);
  EXPECT_TRUE(all.at("access_points").at(1).at("capacity").is_null());
  EXPECT_EQ(all.at("access_points").at(0).at("hosts"), 1);
  EXPECT_EQ(all.at("hosts").at(0).at("access_point"), "dsl");
  EXPECT_EQ(all.at("hosts").at(0).at("seconds").at("far").to_number<double>(), 0.08);
  const json::value none = json::parse(run({"access-points", "--json", "--host", "zzz"}).out);
  EXPECT_TRUE(none.at("hosts").as_array().empty());
}

TEST_F(ReadCommands, pages_and_explain_say_how_probably_a_copy_is_outdated) {
  const auto page = json::parse(run({"pages", "--json", "--contains", "quiet"}).out).at(0);
  store::PollRecord seen = quiet(PageId(page.at("id").as_int64()));
  seen.progress.last_confirmed_at = now_ - std::chrono::hours(10);
  // By its age: half past in 5 hours.
  seen.progress.outdated_after = "[3600,10000,30000,54000,60000,70000,90000]";
  store::Batch batch;
  batch.polls.push_back(seen);
  ASSERT_TRUE(store_->write(batch, "htraa").ok());
  const Outcome table = run({"pages", "--contains", "quiet"});
  EXPECT_TRUE(table.says("31 %")) << table.out;  // 0.25 + 0.25 · 6000/24000
  EXPECT_TRUE(table.says("in 5 h") || table.says("in 4 h 59 min")) << table.out;
  const Outcome words = run({"explain", "https://example.org/quiet"});
  EXPECT_TRUE(words.says("probably outdated now: 31 %")) << words.out;
  EXPECT_TRUE(words.says("next change expected: in ")) << words.out;
  EXPECT_TRUE(words.says("by its age")) << words.out;
  const json::value told = json::parse(run({"pages", "--json", "--contains", "quiet"}).out).at(0);
  EXPECT_NEAR(told.at("outdated_probability").to_number<double>(), 0.3125, 0.001);
  EXPECT_EQ(told.at("next_change_expected_at").as_string().size(), 24U);

  // By its rate alone: 1 − e^(−0.01·10/24), and the next change is two months away.
  batch.polls[0].progress.outdated_after.clear();
  ASSERT_TRUE(store_->write(batch, "htraa").ok());
  const json::value by_rate =
      json::parse(run({"explain", "https://example.org/quiet", "--json"}).out);
  EXPECT_NEAR(by_rate.at("outdated_probability").to_number<double>(), 0.00416, 0.0002);
  EXPECT_TRUE(json::parse(run({"pages", "--json", "--contains", "new"}).out)
                  .at(0)
                  .at("outdated_probability")
                  .is_null());
}

TEST_F(ReadCommands, wrong_options_are_usage_errors) {
  EXPECT_EQ(run({"pages", "--order", "colour"}).exit_code, 64);
  EXPECT_EQ(run({"pages", "--state", "asleep"}).exit_code, 64);
  EXPECT_EQ(run({"pages", "--limit", "-1"}).exit_code, 64);
  EXPECT_EQ(run({"changes", "--since", "some day"}).exit_code, 64);
  EXPECT_EQ(run({"changes", "--until", "tomorrow"}).exit_code, 64);
  EXPECT_TRUE(run({"changes", "--until", "tomorrow"}).complains("--until tomorrow"));
  EXPECT_EQ(run({"changes", "--url", "ftp://example.org/"}).exit_code, 66);
  EXPECT_EQ(run({"explain", "not a url"}).exit_code, 66);
  EXPECT_EQ(run({"explain", ""}).exit_code, 64);
  EXPECT_EQ(run({"pages", "--columns", "url,colour"}).exit_code, 64);
  EXPECT_EQ(run({"pages", "--columns", "url", "--json"}).exit_code, 64);
  EXPECT_EQ(run({"explain"}).exit_code, 64);
}

TEST_F(ReadCommands, changes_are_shown_and_filtered) {
  const Outcome changes = run({"changes"});
  EXPECT_EQ(changes.exit_code, 0);
  EXPECT_TRUE(changes.says("https://example.org/busy")) << changes.out;
  EXPECT_TRUE(changes.says("3 h ago")) << changes.out;
  EXPECT_TRUE(run({"changes", "--since", "1h"}).says("No change found"));
  EXPECT_TRUE(run({"changes", "--since", "1d"}).says("busy"));
  EXPECT_TRUE(run({"changes", "--since", "yesterday"}).says("busy"));
  EXPECT_TRUE(run({"changes", "--url", "HTTPS://Example.org/busy"}).says("busy"));
  EXPECT_EQ(run({"changes", "--url", "https://example.org/nowhere"}).exit_code, 66);
  EXPECT_TRUE(run({"changes", "--contains", "BUS"}).says("busy"));
  EXPECT_TRUE(run({"changes", "--contains", "quiet"}).says("No change found"));
  EXPECT_TRUE(run({"changes", "--until", "1h"}).says("busy"));
  EXPECT_TRUE(run({"changes", "--until", "1d"}).says("No change found"));
  EXPECT_TRUE(run({"changes", "--since", "4h", "--until", "2h", "--contains", "us"}).says("busy"));
}

TEST_F(ReadCommands, a_part_of_a_url_is_enough_where_no_other_page_has_it) {
  EXPECT_TRUE(run({"explain", "busy"}).says("https://example.org/busy"));
  EXPECT_TRUE(run({"explain", "example.org/busy"}).says("https://example.org/busy"));
  EXPECT_TRUE(run({"changes", "--url", "bus"}).says("https://example.org/busy"));
  const Outcome several = run({"explain", "example.org"});
  EXPECT_EQ(several.exit_code, 64);
  EXPECT_TRUE(several.complains("several pages have 'example.org' in their URL")) << several.err;
  EXPECT_TRUE(several.complains("\n  https://example.org/quiet")) << several.err;
  const Outcome none = run({"explain", "nowhere"});
  EXPECT_EQ(none.exit_code, 66);
  EXPECT_TRUE(none.complains("no page has 'nowhere' in its URL")) << none.err;
  // The whole of one URL is a part of another, and a removed page is in nobody's way.
  std::vector<store::PageSpec> pages;
  for (const char* name : {"", "busy", "busy/old"}) {
    pages.push_back({.url = std::string("https://example.org/") + name, .host = "example.org:443"});
  }
  ASSERT_TRUE(store_->reconcile(pages, now_).ok());
  EXPECT_TRUE(run({"explain", "example.org/"}).says("https://example.org/\n"));
  EXPECT_TRUE(run({"explain", "https://example.org/busy"}).says("https://example.org/busy\n"));
  EXPECT_TRUE(run({"explain", "quiet"}).says("https://example.org/quiet\n"));
  EXPECT_TRUE(run({"explain", "org/busy"}).says("https://example.org/busy\n")) << "it ends so";
  EXPECT_EQ(run({"explain", "bus"}).exit_code, 64);
}

TEST_F(ReadCommands, pages_shows_the_columns_asked_for) {
  const Outcome chosen = run({"pages", "--columns", "url,share,changes_day", "--limit", "1"});
  EXPECT_EQ(chosen.exit_code, 0) << chosen.err;
  EXPECT_TRUE(chosen.out.starts_with("URL ")) << chosen.out;
  EXPECT_TRUE(chosen.says("CHANGES/DAY\n")) << chosen.out;
  EXPECT_FALSE(chosen.says("STATUS")) << chosen.out;
}

TEST_F(ReadCommands, changes_as_json_has_both_ends_of_the_interval) {
  const json::value changes = json::parse(run({"changes", "--json"}).out);
  ASSERT_EQ(changes.as_array().size(), 1U);
  EXPECT_EQ(changes.at(0).at("new_hash").as_string(), std::string(64, 'b'));
  EXPECT_TRUE(changes.at(0).at("found_at").is_string());
  EXPECT_TRUE(changes.at(0).at("previous_poll_at").is_string());
}

TEST_F(ReadCommands, status_knows_whether_a_daemon_runs) {
  Outcome status = run({"status"});
  EXPECT_EQ(status.exit_code, 0);
  EXPECT_TRUE(status.says("running, pid " + std::to_string(getpid()))) << status.out;
  EXPECT_TRUE(status.says("95.0 % used (114 requests in 1 min)")) << status.out;
  EXPECT_TRUE(status.says("4 active on 1 host")) << status.out;
  EXPECT_TRUE(status.says("failing    1")) << status.out;
  store_.reset();
  status = run({"status"});
  EXPECT_EQ(status.exit_code, 0);
  EXPECT_TRUE(status.says("not running")) << status.out;
}

TEST_F(ReadCommands, status_check_is_for_health_checks) {
  Batch batch;
  const auto beat = [&](WallTime time) {
    batch.meta = {{"heartbeat_at", std::to_string(time.time_since_epoch().count())}};
    ASSERT_TRUE(store_->write(batch, "htraa").ok());
  };
  beat(wall_now());
  EXPECT_EQ(run({"status", "--check"}).exit_code, 0);
  beat(wall_now() - std::chrono::hours(1));
  const Outcome stuck = run({"status", "--check"});
  EXPECT_EQ(stuck.exit_code, 69);
  EXPECT_TRUE(stuck.says("STUCK?")) << stuck.out;
  beat(wall_now());
  store_.reset();
  EXPECT_EQ(run({"status", "--check"}).exit_code, 69);
}

TEST_F(ReadCommands, status_as_json_is_one_object) {
  const json::value status = json::parse(run({"status", "--json"}).out);
  EXPECT_EQ(status.at("running"), true);
  EXPECT_EQ(status.at("pid"), getpid());
  EXPECT_EQ(status.at("budget").to_number<double>(), 2);
  EXPECT_EQ(status.at("policy"), "htraa");
  EXPECT_EQ(status.at("pages").at("failing"), 1);
  EXPECT_EQ(status.at("minutes").at(0).at("requests"), 114);
}

TEST_F(ReadCommands, explain_says_that_min_interval_binds) {
  const Outcome busy = run({"explain", "https://example.org/busy"});
  EXPECT_EQ(busy.exit_code, 0);
  EXPECT_TRUE(busy.says("10 % of the budget of 2/s, that is a poll every 5 s")) << busy.out;
  EXPECT_TRUE(busy.says("The learner gives it 90 %")) << busy.out;
  EXPECT_TRUE(busy.says("Rank 1 of 4 pages")) << busy.out;
  EXPECT_TRUE(busy.says("about 1/h, one change every 1 h (7 changes found in 100 polls)"))
      << busy.out;
  EXPECT_TRUE(busy.says("counts 3 times")) << busy.out;
  EXPECT_TRUE(busy.says("min_interval (5 s) binds")) << busy.out;
  EXPECT_TRUE(busy.says("(in 4 min") || busy.says("(in 5 min")) << busy.out;
}

TEST_F(ReadCommands, explain_says_what_the_policy_at_work_makes_of_a_change_rate) {
  const std::string finds_most = "The more a poll is likely to find, the larger the share.";
  const auto explained = [&](const std::string& policy, const std::string& objective) {
    Batch batch;
    batch.meta = {{"policy", policy}, {"objective", objective}};
    EXPECT_TRUE(store_->write(batch, policy).ok());
    return run({"explain", "https://example.org/busy"});
  };
  EXPECT_TRUE(explained("htraa", "changes").says(finds_most));
  const Outcome freshness = explained("htraa", "freshness");
  EXPECT_TRUE(freshness.says("faster than polls can follow gets fewer")) << freshness.out;
  EXPECT_TRUE(freshness.says("a copy out of date here counts 3 times")) << freshness.out;
  const Outcome age = explained("htraa", "age");
  EXPECT_TRUE(age.says("as little time out of date as possible")) << age.out;
  EXPECT_TRUE(age.says("time out of date here counts 3 times")) << age.out;
  EXPECT_TRUE(explained("greedy-outdated", "changes").says("most probably out of date goes first"));
  EXPECT_TRUE(explained("greedy-age", "changes").says("out of date longest goes first"));
  EXPECT_TRUE(explained("two-step", "changes").says("are planned together"));
  for (const char* policy : {"greedy-outdated", "greedy-age", "two-step", "estimator"}) {
    EXPECT_FALSE(explained(policy, "changes").says(finds_most)) << policy;
  }
  EXPECT_TRUE(explained("uniform", "changes").says("3, but uniform treats all pages alike."));
}

TEST_F(ReadCommands, explain_does_not_promise_an_estimate_that_the_policy_never_makes) {
  for (const learn::PolicyInfo& policy : learn::policies()) {
    if (policy.oracle) continue;
    const bool estimates = policy.name == "htraa" || policy.name == "estimator" ||
                           policy.name == "two-step" || policy.name.starts_with("greedy-");
    Batch batch;
    batch.meta = {{"policy", std::string(policy.name)}, {"objective", "changes"}};
    ASSERT_TRUE(store_->write(batch, std::string(policy.name)).ok());
    const Outcome words = run({"explain", "https://example.org/broken"});
    EXPECT_EQ(words.says("no estimate yet: 0 changes found"), estimates) << words.out;
    EXPECT_EQ(words.says(std::string(policy.name) + " makes no estimate: 0 changes"), !estimates)
        << words.out;
  }
  const Outcome inherited = run({"explain", "https://example.org/busy"});
  EXPECT_TRUE(inherited.says("as an earlier policy left it")) << inherited.out;
}

TEST_F(ReadCommands, explain_tells_what_a_long_download_does_to_importance) {
  PollRecord slow = busy(id_of("busy"));
  slow.progress.download_ms = 2000;
  Batch batch;
  batch.polls = {slow};
  batch.meta = {{"cost_by", "time"}, {"cost_bias_removal", "0.5"}};
  ASSERT_TRUE(store_->write(batch, "htraa").ok());
  const Outcome words = run({"explain", "https://example.org/busy"});
  EXPECT_TRUE(words.says("with 2 s it weighs 0.316 times as much")) << words.out;
}

TEST_F(ReadCommands, explain_says_that_max_interval_binds) {
  const Outcome quiet = run({"explain", "https://example.org/quiet"});
  EXPECT_TRUE(quiet.says("max_interval (1 h) binds")) << quiet.out;
}

TEST_F(ReadCommands, explain_tells_of_back_off) {
  const Outcome broken = run({"explain", "https://example.org/broken"});
  EXPECT_TRUE(broken.says("3 failures in a row, the last one: timeout; not polled again before"))
      << broken.out;
}

TEST_F(ReadCommands, explain_and_pages_tell_what_robots_txt_forbids) {
  Batch batch;
  batch.robots.push_back({.host = "example.org:443",
                          .verdict = "rules",
                          .fetched_at = now_ - std::chrono::hours(1),
                          .check_at = now_ + std::chrono::hours(22),
                          .unreachable_since = std::nullopt,
                          .status = 200,
                          .error = "",
                          .crawl_delay_ms = 10'000,
                          .product = "pollux",
                          .rules = "Disallow: /new\n"});
  PollRecord denied;
  denied.page = id_of("new");
  denied.note = store::PageNote{.errors = 0,
                                .error_streak = 0,
                                .last_error = "robots: disallowed by robots.txt",
                                .retry_at = now_ + std::chrono::hours(22),
                                .next_due_at = now_ + std::chrono::hours(22)};
  batch.polls = {denied};
  batch.hosts.push_back({"example.org:443", now_, std::nullopt, 120, 3, 400, 10'000});
  ASSERT_TRUE(store_->write(batch, "htraa").ok());

  const Outcome forbidden = run({"explain", "https://example.org/new"});
  EXPECT_TRUE(forbidden.says("robots.txt of example.org:443 disallows the page")) << forbidden.out;
  EXPECT_TRUE(forbidden.says("not polled before")) << forbidden.out;
  const Outcome allowed = run({"explain", "https://example.org/busy"});
  EXPECT_TRUE(allowed.says("robots.txt of example.org:443 allows the page")) << allowed.out;
  EXPECT_TRUE(
      allowed.says("10 s between two requests to the host; it took 400 ms to answer "
                   "lately; robots.txt asks for 10 s between requests (Crawl-delay)"))
      << allowed.out;
  EXPECT_TRUE(run({"pages"}).says("robots: disallowed by robots.txt"));
  const json::value facts = json::parse(run({"explain", "https://example.org/new", "--json"}).out);
  EXPECT_EQ(facts.at("robots").at("verdict"), "rules");
  EXPECT_EQ(facts.at("robots").at("crawl_delay_ms"), 10'000);
  EXPECT_EQ(facts.at("host_delay_ms"), 10'000);
  EXPECT_EQ(facts.at("state"), "active");
}

TEST_F(ReadCommands, explain_tells_of_a_robots_txt_that_cannot_be_read_or_is_not_there) {
  store::RobotsRow row{.host = "example.org:443",
                       .verdict = "disallow",
                       .fetched_at = now_,
                       .check_at = now_ + std::chrono::hours(1),
                       .unreachable_since = now_,
                       .status = 503,
                       .error = "HTTP 503",
                       .crawl_delay_ms = std::nullopt,
                       .product = "pollux",
                       .rules = ""};
  Batch batch;
  batch.robots = {row};
  ASSERT_TRUE(store_->write(batch, "htraa").ok());
  const Outcome unreadable = run({"explain", "https://example.org/busy"});
  EXPECT_TRUE(unreadable.says("cannot be read (HTTP 503), so nothing of the host is polled"))
      << unreadable.out;
  row.verdict = "allow";
  row.status = 404;
  row.error = "";
  batch.robots = {row};
  ASSERT_TRUE(store_->write(batch, "htraa").ok());
  const Outcome none = run({"explain", "https://example.org/busy"});
  EXPECT_TRUE(none.says("is not there (HTTP 404), so everything is allowed")) << none.out;
}

TEST_F(ReadCommands, explain_and_pages_tell_of_moves_and_of_caches) {
  Batch batch;
  batch.polls = {busy(id_of("busy"))};
  batch.polls[0].change.reset();
  batch.polls[0].progress.moved_to = "https://example.org/busier";
  batch.polls[0].progress.fresh_until = now_ + std::chrono::hours(1);
  ASSERT_TRUE(store_->write(batch, "htraa").ok());
  const Outcome outcome = run({"explain", "https://example.org/busy"});
  EXPECT_TRUE(outcome.says("for good, to https://example.org/busier")) << outcome.out;
  EXPECT_TRUE(outcome.says("respect_cache binds")) << outcome.out;
  EXPECT_TRUE(run({"pages"}).says("200, moved to https://example.org/busier"));
  const json::value facts = json::parse(run({"explain", "https://example.org/busy", "--json"}).out);
  EXPECT_EQ(facts.at("moved_to"), "https://example.org/busier");
  EXPECT_TRUE(facts.at("fresh_until").is_string());
}

TEST_F(ReadCommands, explain_does_not_invent_what_is_unknown) {
  const Outcome fresh = run({"explain", "https://example.org/new"});
  EXPECT_TRUE(fresh.says("not known yet")) << fresh.out;
  EXPECT_TRUE(fresh.says("unknown: no poll yet")) << fresh.out;
}

TEST_F(ReadCommands, explain_as_json_has_facts_and_words) {
  const json::value busy = json::parse(run({"explain", "https://example.org/busy", "--json"}).out);
  EXPECT_EQ(busy.at("rank"), 1);
  EXPECT_EQ(busy.at("binding_limit"), "min_interval");
  EXPECT_GE(busy.at("explanation").as_array().size(), 6U);
}

TEST_F(ReadCommands, explain_names_near_pages_for_an_unknown_one) {
  const Outcome unknown = run({"explain", "https://example.com/busy"});
  EXPECT_EQ(unknown.exit_code, 66);
  EXPECT_TRUE(unknown.complains("did you mean https://example.org/busy")) << unknown.err;
}

TEST_F(ReadCommands, the_configuration_leads_to_the_database) {
  const std::string config = (folder_ / "pollux.yaml").string();
  std::ofstream(config) << "budget: 2\ndatabase: pollux.db\npages: [ \"https://example.org/\" ]\n";
  const Outcome pages = run({"pages", "--config", config}, false);
  EXPECT_EQ(pages.exit_code, 0) << pages.err;
  EXPECT_TRUE(pages.says("https://example.org/busy")) << pages.out;
}

TEST_F(ReadCommands, status_check_judges_the_daemon_and_not_the_file_being_edited) {
  Batch batch;
  batch.meta = {{"heartbeat_at", std::to_string(wall_now().time_since_epoch().count())}};
  ASSERT_TRUE(store_->write(batch, "htraa").ok());
  const std::string config = (folder_ / "pollux.yaml").string();
  for (const char* half_written :
       {"budget: soon\ndatabase: pollux.db\npages: [ftp://x/]\n", "budget: 2\n pages: [\n",
        "budget: 2\npages_file: not-yet.txt\n", "\tbudget: 1\ndatabase: pollux.db\n", ""}) {
    std::ofstream(config) << half_written;
    const Outcome status = run({"status", "--check", "--config", config}, false);
    EXPECT_EQ(status.exit_code, 0) << half_written << status.err;
    EXPECT_EQ(run({"pages", "--config", config}, false).exit_code, 0);
  }
}

TEST_F(ReadCommands, every_command_says_what_is_wrong_with_its_database) {
  database_ = (folder_ / "none.db").string();
  for (const char* command : {"pages", "changes", "status"}) {
    const Outcome outcome = run({command});
    EXPECT_EQ(outcome.exit_code, 66) << command;
    EXPECT_TRUE(outcome.complains("does not exist")) << outcome.err;
  }
  database_ = (folder_ / "garbage.db").string();
  std::ofstream(database_) << std::string(5'000, 'g');
  EXPECT_EQ(run({"status"}).exit_code, 65);
}

}  // namespace
}  // namespace pollux::cli

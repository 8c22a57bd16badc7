#include "pollux/store/reader.hpp"

#include "fixture.hpp"

#include <cmath>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

namespace pollux::store {
namespace {

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// A small database with something of everything: a busy page, a quiet one, a failing one, one not
// polled yet, a removed one.
class ReaderTest : public StoreTest {
 protected:
  ReaderTest() : store_(open()) {
    auto list = pages_of({"news", "quiet", "broken", "new", "gone"});
    list[3].host = "other.example:443";
    EXPECT_TRUE(store_->reconcile(list, at_ms(noon)).ok());
    pages_ = load(*store_);
    Batch batch;
    batch.polls = {poll_of(pages_["news"].id, 40, true), poll_of(pages_["quiet"].id, 10),
                   poll_of(pages_["broken"].id, 9), poll_of(pages_["gone"].id, 3)};
    PageProgress& news = batch.polls[0].progress;
    news.share = 0.75;
    news.change_rate_per_day = 12.3456;
    news.changes = 5;
    news.next_due_at = at_ms(noon + 60'000);
    batch.polls[1].progress.share = 0.2;
    PageProgress& broken = batch.polls[2].progress;
    broken.share = 0.05;
    broken.errors = 3;
    broken.error_streak = 3;
    broken.last_error = "timeout";
    broken.health = "failing";
    broken.last_status = 0;
    broken.content_hash.clear();
    retry_ = now_ms() + 3'600'000;
    broken.retry_at = at_ms(retry_);
    PollRecord again = poll_of(pages_["news"].id, 41, true);
    again.progress = news;
    again.change->found_at = at_ms(now_ms() - 60'000);
    again.change->previous_poll_at = again.change->found_at - std::chrono::milliseconds(90'000);
    batch.polls.push_back(again);
    batch.hosts.push_back({"example.org:443", at_ms(noon), at_ms(noon + 5), 62, 3});
    batch.minutes = {
        {.minute = at_ms(noon / 60'000 * 60'000),
         .budget = 2,
         .requests = 114,
         .polls = 110,
         .changes = 4,
         .same = 100,
         .errors = 6,
         .explored = 3,
         .looks = 9,
         .looks_found = 5},
        {.minute = at_ms(noon / 60'000 * 60'000 + 60'000), .budget = HUGE_VAL, .requests = 7}};
    batch.meta = {{"budget", "2"}, {"policy", "htraa"}};
    EXPECT_TRUE(store_->write(batch, "htraa").ok());
    list.pop_back();
    EXPECT_TRUE(store_->reconcile(list, at_ms(noon)).ok());
  }
  std::unique_ptr<Reader> reader() {
    auto opened = Reader::open(path());
    EXPECT_TRUE(opened.ok()) << (opened.ok() ? "" : opened.error().message);
    return std::move(*opened);
  }
  std::vector<std::string> names(Reader::PageQuery query) {
    std::vector<std::string> found;
    const auto pages = reader()->pages(query);
    EXPECT_TRUE(pages.ok());
    for (const PageRow& page : *pages) found.push_back(page.spec.url.substr(20));
    return found;
  }
  using Names = std::vector<std::string>;

  std::unique_ptr<Store> store_;
  std::map<std::string, PageRow> pages_;
  std::int64_t retry_ = 0;
};

TEST_F(ReaderTest, a_missing_file_is_missing_input_with_the_cure) {
  const auto none = Reader::open(path("none.db"));
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().exit_code, ExitCode::missing_input);
  EXPECT_NE(none.error().message.find("--database"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path("none.db")));
}

TEST_F(ReaderTest, garbage_is_bad_data) {
  write_file("garbage.db", std::string(5'000, 'g'));
  const auto opened = Reader::open(path("garbage.db"));
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().exit_code, ExitCode::bad_data);
}

TEST_F(ReaderTest, a_folder_is_refused) {
  const auto opened = Reader::open(folder_.string());
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().exit_code, ExitCode::missing_input);
}

TEST_F(ReaderTest, pages_come_in_the_order_asked_for) {
  EXPECT_EQ(names({.order = PageOrder::share}), (Names{"news", "quiet", "broken", "new"}));
  EXPECT_EQ(names({.order = PageOrder::url}), (Names{"broken", "new", "news", "quiet"}));
  EXPECT_EQ(names({.order = PageOrder::errors})[0], "broken");
  EXPECT_EQ(names({.order = PageOrder::changes})[0], "news");
  EXPECT_EQ(names({.order = PageOrder::last_changed})[0], "news");
  EXPECT_EQ(names({.order = PageOrder::next_due})[0], "news");
}

TEST_F(ReaderTest, pages_are_filtered_and_limited) {
  EXPECT_EQ(names({.contains = "NEW"}), (Names{"news", "new"}));
  EXPECT_EQ(names({.contains = "%"}), Names{});
  EXPECT_EQ(names({.state = "removed"}), (Names{"gone"}));
  EXPECT_EQ(names({.limit = 2}), (Names{"news", "quiet"}));
  EXPECT_EQ(names({.limit = 0}).size(), 4U);
}

TEST_F(ReaderTest, pages_fit_a_glob_and_come_behind_a_url) {
  const auto by_url = [&](std::string match, std::string after, std::int64_t limit = 0) {
    return names({.order = PageOrder::url, .limit = limit, .match = match, .after = after});
  };
  EXPECT_EQ(by_url("*/new*", ""), (Names{"new", "news"}));
  EXPECT_EQ(by_url("*/new?", ""), (Names{"news"}));
  EXPECT_EQ(by_url("[a-z]*", ""), Names{}) << "brackets stand for themselves";
  EXPECT_EQ(by_url("*e*", "", 2), (Names{"broken", "new"})) << "of those that fit";
  EXPECT_EQ(by_url("", "https://example.org/new"), (Names{"news", "quiet"}));
  EXPECT_EQ(by_url("*t", "https://example.org/new", 1), (Names{"quiet"}));
}

TEST_F(ReaderTest, changes_behind_an_id_come_oldest_first_and_unread_ones_alone) {
  const auto all = reader()->changes({.after_id = 0});
  ASSERT_EQ(all->size(), 2U);
  EXPECT_LT((*all)[0].id, (*all)[1].id);
  const auto last = reader()->changes({.after_id = (*all)[0].id});
  ASSERT_EQ(last->size(), 1U);
  EXPECT_EQ((*last)[0].id, (*all)[1].id);
  EXPECT_FALSE((*last)[0].read_at);
  const std::int64_t first[] = {(*all)[0].id};
  ASSERT_TRUE(store_->mark_read(first, at_ms(noon)).ok());
  const auto unread = reader()->changes({.unread = true});
  ASSERT_EQ(unread->size(), 1U);
  EXPECT_EQ((*unread)[0].id, (*all)[1].id);
  EXPECT_EQ((*reader()->changes({.limit = 1, .after_id = 0}))[0].read_at, at_ms(noon));
}

TEST_F(ReaderTest, one_page_is_found_by_its_url) {
  const auto page = reader()->page("https://example.org/news");
  ASSERT_TRUE(page.ok());
  EXPECT_EQ(page->progress.share, 0.75);
  EXPECT_EQ(page->progress.changes, 5);
}

TEST_F(ReaderTest, an_unknown_page_is_answered_with_near_ones) {
  const auto page = reader()->page("http://www.example.org/new");
  ASSERT_FALSE(page.ok());
  EXPECT_EQ(page.error().exit_code, ExitCode::missing_input);
  EXPECT_NE(page.error().message.find("https://example.org/new, https://example.org/news"),
            std::string::npos)
      << page.error().message;
}

TEST_F(ReaderTest, changes_come_newest_first_and_filtered) {
  auto all = reader()->changes({});
  ASSERT_EQ(all->size(), 2U);
  EXPECT_GT((*all)[0].row.found_at, (*all)[1].row.found_at);
  EXPECT_EQ((*all)[0].url, "https://example.org/news");
  EXPECT_EQ((*all)[0].row.new_hash, std::string(64, 'b'));
  EXPECT_EQ(reader()->changes({.url = {}, .since = at_ms(now_ms() - 3'600'000)})->size(), 1U);
  EXPECT_EQ(reader()->changes({.url = "https://example.org/quiet", .since = {}})->size(), 0U);
  EXPECT_EQ(reader()->changes({.url = {}, .since = {}, .limit = 1})->size(), 1U);
}

TEST_F(ReaderTest, the_summary_counts) {
  const auto summary = reader()->summary();
  ASSERT_TRUE(summary.ok());
  EXPECT_EQ(summary->active, 4);
  EXPECT_EQ(summary->removed, 1);
  EXPECT_EQ(summary->hosts, 2);
  EXPECT_EQ(summary->failing, 1);
  EXPECT_EQ(summary->polls, 40 + 10 + 9 + 3);
  EXPECT_EQ(summary->minutes.size(), 2U);
  EXPECT_EQ(summary->minutes[1].requests, 114);
  EXPECT_GT(summary->database_bytes + summary->wal_bytes, 0);
  EXPECT_EQ(summary->meta.at("policy"), "htraa");
  EXPECT_EQ(reader()->meta()->at("budget"), "2");
}

TEST_F(ReaderTest, ranks_count_from_one) {
  EXPECT_EQ(reader()->share_rank(pages_["news"].id)->position, 1);
  EXPECT_EQ(reader()->share_rank(pages_["broken"].id)->position, 3);
  EXPECT_EQ(reader()->share_rank(pages_["broken"].id)->active, 4);
}

TEST_F(ReaderTest, hosts_are_found_or_empty) {
  EXPECT_EQ(reader()->host("example.org:443")->requests, 62);
  EXPECT_EQ(reader()->host("nobody:80")->requests, 0);
}

TEST_F(ReaderTest, page_report_is_for_people) {
  const std::string of_news = " FROM page_report WHERE url LIKE '%/news'";
  EXPECT_EQ(ask("SELECT share_percent" + of_news), "10.0") << "every 5 s of 2/s";
  EXPECT_EQ(ask("SELECT polled_every" + of_news), "5.0 s");  // min_interval binds
  EXPECT_EQ(ask("SELECT change_rate_per_day" + of_news), "12.346");
  EXPECT_EQ(ask("SELECT last_polled_at" + of_news), "2026-09-21T14:13:20.040Z");
  EXPECT_EQ(ask("SELECT status" + of_news), "ok");
  EXPECT_EQ(ask("SELECT backing_off_until IS NULL" + of_news), "1");
  EXPECT_EQ(ask("SELECT polled_every FROM page_report WHERE url LIKE '%/quiet'"), "5.0 s");
  // It backs off from September to an hour from now.
  EXPECT_EQ(ask("SELECT polled_every LIKE '% d' FROM page_report WHERE url LIKE '%/broken'"), "1");
  EXPECT_EQ(ask("SELECT status FROM page_report WHERE url LIKE '%/broken'"),
            "timeout (3 in a row)");
  EXPECT_EQ(ask("SELECT backing_off_until IS NOT NULL FROM page_report WHERE url LIKE '%/broken'"),
            "1");
  EXPECT_EQ(ask("SELECT last_status IS NULL FROM page_report WHERE url LIKE '%/broken'"), "1");
  EXPECT_EQ(ask("SELECT status FROM page_report WHERE url LIKE '%/new'"), "not polled yet");
  EXPECT_EQ(ask("SELECT state FROM page_report WHERE url LIKE '%/gone'"), "removed");
}

// The fixture writes no confirmed poll of its own.
TEST_F(ReaderTest, page_report_says_how_probably_a_copy_is_outdated) {
  const std::string outlook =
      "SELECT outdated_probability FROM page_report WHERE url LIKE '%/news'";
  const auto set = [&](const std::string& what) {
    Result<Connection> connection = Connection::open(path(), SQLITE_OPEN_READWRITE);
    ASSERT_TRUE(connection.ok());
    ASSERT_TRUE(connection->execute("UPDATE page SET " + what + " WHERE url LIKE '%/news'").ok());
  };
  // A change a day on the average, not looked at for a day: 1 − 1/e, straight between 50 and 75 %.
  const std::string a_day_ago = "last_confirmed_at = (strftime('%s', 'now') - 86400) * 1000";
  set(a_day_ago + ", change_rate_per_day = 1, outdated_after = NULL");
  EXPECT_EQ(ask(outlook), "61 %");
  // A page of habits: surely not within 20 hours, surely after 28.
  set(a_day_ago + ", outdated_after = '[72000,79200,84600,86400,90000,93600,100800]'");
  EXPECT_EQ(ask(outlook), "50 %");
  EXPECT_EQ(
      ask("SELECT next_change_expected_at LIKE strftime('%Y-%m-%dT%H:%M', 'now') || '%' OR "
          "next_change_expected_at LIKE strftime('%Y-%m-%dT%H:%M', 'now', '-1 minute') || '%' "
          "FROM page_report WHERE url LIKE '%/news'"),
      "1");
  EXPECT_EQ(ask("SELECT outdated_probability IS NULL FROM page_report WHERE url LIKE '%/new'"),
            "1");
}

TEST_F(ReaderTest, page_report_says_in_words_when_the_next_change_is_expected) {
  const std::string words = "SELECT next_change_expected FROM page_report WHERE url LIKE '%/news'";
  const auto expect_in = [&](const std::string& median) {
    Result<Connection> connection = Connection::open(path(), SQLITE_OPEN_READWRITE);
    ASSERT_TRUE(connection.ok());
    const std::string waits = "'[1,2,3," + median + ",4e9,5e9,6e9]'";
    const Status set = connection->execute(
        "UPDATE page SET last_confirmed_at = (strftime('%s', 'now') - 7200) * 1000, "
        "outdated_after = " +
        waits + " WHERE url LIKE '%/news'");
    ASSERT_TRUE(set.ok());
  };
  expect_in("25380");  // 7 h 3 min after the poll, which was 2 h ago
  EXPECT_TRUE(ask(words) == "in 5.0 h" || ask(words) == "in 5.1 h") << ask(words);
  expect_in("3600");
  EXPECT_EQ(ask(words), "overdue");
  expect_in("8990");
  EXPECT_TRUE(ask(words) == "in 30 min" || ask(words) == "in 29 min") << ask(words);
  expect_in("353000");
  EXPECT_EQ(ask(words), "in 4.0 d");
  expect_in("3.5e9");  // a century is no expectation
  EXPECT_EQ(ask("SELECT next_change_expected IS NULL FROM page_report WHERE url LIKE '%/news'"),
            "1");
}

TEST_F(ReaderTest, page_report_tells_what_was_measured_and_no_rate_that_polls_cannot_know) {
  const auto set = [&](const std::string& what) {
    Result<Connection> connection = Connection::open(path(), SQLITE_OPEN_READWRITE);
    ASSERT_TRUE(connection.ok());
    const Status done = connection->execute("UPDATE page SET " + what + " WHERE url LIKE '%/news'");
    ASSERT_TRUE(done.ok()) << done.error().message;
  };
  const std::string of_news = " FROM page_report WHERE url LIKE '%/news'";
  set("measured_since = (strftime('%s', 'now') - 600) * 1000, measured_polls = 60, "
      "last_polled_at = strftime('%s', 'now') * 1000, changes = 5, change_rate_per_day = 99999, "
      "final_url = 'https://id.test/', redirects = 1, redirect_distance = 'other_host', "
      "last_error = NULL, error_streak = 0, moved_to = NULL");
  EXPECT_EQ(ask("SELECT measured_every" + of_news), "10.0 s");
  EXPECT_EQ(ask("SELECT measured_share_percent" + of_news), "5.0") << "of 2/s";
  EXPECT_EQ(ask("SELECT change_rate" + of_news), "> 8.64e+03/d");
  EXPECT_EQ(ask("SELECT change_rate_per_day IS NULL" + of_news), "1");
  EXPECT_EQ(ask("SELECT status || ' ' || final_url" + of_news),
            "ok, redirected: other host https://id.test/");
  set("changes = 0, slow_miss_time = 6480");
  EXPECT_EQ(ask("SELECT change_rate" + of_news), "< 40/d");
  set("changes = 5, change_rate_per_day = 12.3456");
  EXPECT_EQ(ask("SELECT change_rate" + of_news), "12.3/d");
}

TEST_F(ReaderTest, the_load_of_a_host_is_the_shares_of_its_active_pages) {
  const auto pages = reader()->pages({});
  ASSERT_TRUE(pages.ok());
  const auto loads = reader()->host_loads(*pages);
  ASSERT_TRUE(loads.ok());
  double sum = 0;
  for (const PageRow& page : *pages) sum += page.progress.share;
  ASSERT_EQ(loads->size(), 2u);
  EXPECT_NEAR(loads->at("example.org:443").share, sum, 1e-9);
}

// Shares are written at each page's own polls: those of one moment do not add up.
TEST_F(ReaderTest, planned_shares_add_up_and_pages_are_sorted_by_them) {
  Result<Connection> connection = Connection::open(path(), SQLITE_OPEN_READWRITE);
  ASSERT_TRUE(connection.ok());
  ASSERT_TRUE(connection
                  ->execute("UPDATE page SET state = 'active', error_streak = 0, retry_at = NULL, "
                            "min_interval_ms = 100, max_interval_ms = 86400000, share = 0.3; "
                            "UPDATE page SET share = 0.5, min_interval_ms = 10000 WHERE url LIKE "
                            "'%/news'; UPDATE page SET share = 0.2 WHERE url LIKE '%/quiet'")
                  .ok());
  EXPECT_EQ(ask("SELECT round(sum(share_percent)) FROM page_report"), "100.0");
  EXPECT_EQ(ask("SELECT share_percent FROM page_report WHERE url LIKE '%/news'"), "5.0")
      << "min_interval holds it: every 10 s of 2/s";
  EXPECT_EQ(ask("SELECT group_concat(substr(url, 21)) FROM (SELECT url FROM page_report)"),
            "broken,gone,new,quiet,news");
  const auto pages = reader()->pages({});
  ASSERT_TRUE(pages.ok());
  std::string order;
  for (const PageRow& page : *pages) order += page.spec.url.substr(20) + " ";
  EXPECT_EQ(order, "broken gone new quiet news ");
  const auto factor = reader()->plan_factor();
  ASSERT_TRUE(factor.ok());
  EXPECT_NEAR(factor->free, (2 - 0.1) / 2.2, 1e-9);
  EXPECT_EQ(factor->held, 1);
  const auto news = reader()->share_rank(pages->back().id);
  ASSERT_TRUE(news.ok());
  EXPECT_EQ(news->position, 5);
  EXPECT_EQ(news->active, 5);
}

// More than the budget is held by limits: all give way.
TEST_F(ReaderTest, planned_shares_never_exceed_the_budget) {
  Result<Connection> connection = Connection::open(path(), SQLITE_OPEN_READWRITE);
  ASSERT_TRUE(connection.ok());
  ASSERT_TRUE(connection
                  ->execute("UPDATE page SET state = 'active', error_streak = 0, retry_at = NULL, "
                            "min_interval_ms = 100, max_interval_ms = 1000, share = 0.01")
                  .ok());
  EXPECT_EQ(ask("SELECT round(sum(share_percent)) FROM page_report"), "100.0");
  const auto factor = reader()->plan_factor();
  ASSERT_TRUE(factor.ok());
  EXPECT_NEAR(factor->held, 0.4, 1e-9) << "five pages every second, and 2/s";
}

TEST_F(ReaderTest, page_report_polls_as_seldom_as_the_stretched_max_interval_says) {
  Result<Connection> connection = Connection::open(path(), SQLITE_OPEN_READWRITE);
  ASSERT_TRUE(connection.ok());
  ASSERT_TRUE(connection
                  ->execute("UPDATE page SET share = 1e-9, max_interval_ms = 60000 WHERE url LIKE "
                            "'%/news'; INSERT INTO meta VALUES ('max_interval_stretch', '3.000') "
                            "ON CONFLICT DO UPDATE SET value = '3.000'")
                  .ok());
  EXPECT_EQ(ask("SELECT polled_every FROM page_report WHERE url LIKE '%/news'"), "3.0 min");
}

TEST_F(ReaderTest, change_report_is_for_people) {
  EXPECT_EQ(ask("SELECT at_most_old FROM change_report LIMIT 1"), "1.5 min");
  EXPECT_EQ(ask("SELECT found_at FROM change_report LIMIT 1 OFFSET 1"), "2026-09-21T14:13:20.040Z");
  EXPECT_EQ(ask("SELECT new_hash_start FROM change_report"), "bbbbbbbbbbbb");
}

TEST_F(ReaderTest, budget_report_is_for_people) {
  EXPECT_EQ(ask("SELECT used FROM budget_report LIMIT 1"), "unlimited");
  EXPECT_EQ(ask("SELECT used FROM budget_report LIMIT 1 OFFSET 1"), "95.0 %");
  EXPECT_EQ(ask("SELECT allowed FROM budget_report LIMIT 1 OFFSET 1"), "120");
  EXPECT_EQ(ask("SELECT minute FROM budget_report LIMIT 1 OFFSET 1"), "2026-09-21T14:13:00Z");
  EXPECT_EQ(ask("SELECT explored || ' ' || looks || ' ' || looks_found FROM budget_report "
                "LIMIT 1 OFFSET 1"),
            "3 9 5");
}

TEST_F(ReaderTest, each_of_the_queries_gives_rows) {
  std::ifstream file(std::string(POLLUX_SOURCE_DIR) + "/src/store/queries.sql");
  std::string line;
  int queries = 0;
  auto connection = Connection::open(path(), SQLITE_OPEN_READONLY);
  while (std::getline(file, line)) {
    if (line.starts_with("--")) continue;
    ++queries;
    auto statement = connection->prepare(line);
    ASSERT_TRUE(statement.ok()) << line << statement.error().message;
    const auto row = statement->step();
    ASSERT_TRUE(row.ok()) << line << row.error().message;
    EXPECT_TRUE(*row) << line;
  }
  EXPECT_EQ(queries, 11);
}

TEST_F(ReaderTest, reading_goes_on_while_the_daemon_writes) {
  auto connection = reader();
  std::thread writing([&] {
    store_->release_owner();
    for (int turn = 0; turn < 50; ++turn) {
      Batch batch;
      for (const auto& [name, page] : pages_) batch.polls.push_back(poll_of(page.id, 1000 + turn));
      EXPECT_TRUE(store_->write(batch, "htraa").ok());
    }
    store_->release_owner();
  });
  for (int i = 0; i < 200; ++i) {
    // Batches are atomic for readers, too: all pages of a batch have the same count.
    const auto pages = connection->pages({.limit = 0});
    ASSERT_TRUE(pages.ok()) << pages.error().message;
    std::set<std::int64_t> counts;
    for (const PageRow& page : *pages) {
      if (page.progress.polls >= 1000) counts.insert(page.progress.polls);
    }
    EXPECT_LE(counts.size(), 1U);
  }
  writing.join();
}

TEST_F(ReaderTest, another_user_may_read_during_and_after_a_run) {
  std::filesystem::permissions(folder_, std::filesystem::perms(0755));
  const auto read_as_nobody = [&] {
    const pid_t child = fork();
    if (child == 0) {
      if (geteuid() == 0 && seteuid(65534) != 0) _exit(99);
      const auto opened = Reader::open(path());
      _exit(opened.ok() && (*opened)->summary().ok() ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
  };
  EXPECT_EQ(read_as_nobody(), 0);
  store_.reset();
  EXPECT_EQ(read_as_nobody(), 0);
}

}  // namespace
}  // namespace pollux::store

#include "fixture.hpp"

#include <cmath>
#include <csignal>

#include <sys/wait.h>
#include <unistd.h>

namespace pollux::store {
namespace {

class WriteTest : public StoreTest {
 protected:
  WriteTest() : store_(open()) {
    EXPECT_TRUE(store_->reconcile(pages_of({"a", "b", "c"}), at_ms(noon)).ok());
    pages_ = load(*store_);
  }
  std::unique_ptr<Store> store_;
  std::map<std::string, PageRow> pages_;
};

TEST_F(WriteTest, every_part_of_the_progress_comes_back) {
  PageProgress told;
  told.polls = 10;
  told.changes = 2;
  told.errors = 3;
  told.last_polled_at = at_ms(noon + 1);
  told.last_confirmed_at = at_ms(noon + 2);
  told.last_changed_at = at_ms(noon + 3);
  told.last_status = 503;
  told.last_error = "timeout";
  told.error_streak = 4;
  told.retry_at = at_ms(noon + 5);
  told.content_hash = std::string(64, 'c');
  told.etag = "\"tag\"";
  told.last_modified = "Mon, 16 Nov 2026 00:15:32 GMT";
  told.body_bytes = 123;
  told.share = 0.25;
  told.next_due_at = at_ms(noon + 6);
  told.change_rate_per_day = 1.5;
  told.slow_hits = 1.1, told.slow_hit_time = 2.2, told.slow_miss_time = 3.3;
  told.fast_hits = 4.4, told.fast_hit_time = 5.5, told.fast_miss_time = 6.6;
  told.streak = 7, told.position = 8.8;
  told.age_model = "[1,0.5,null]";
  told.outdated_after = "[1,2,3,4,5,6,7]";
  told.download_ms = 81.5;
  Batch batch;
  batch.polls.push_back({pages_["b"].id, told, std::nullopt});
  ASSERT_TRUE(store_->write(batch, "htraa").ok());
  store_.reset();
  store_ = open();

  const PageProgress read = load(*store_)["b"].progress;
  EXPECT_EQ(read.polls, 10);
  EXPECT_EQ(read.changes, 2);
  EXPECT_EQ(read.errors, 3);
  EXPECT_EQ(read.last_polled_at, told.last_polled_at);
  EXPECT_EQ(read.last_confirmed_at, told.last_confirmed_at);
  EXPECT_EQ(read.last_changed_at, told.last_changed_at);
  EXPECT_EQ(read.last_status, 503);
  EXPECT_EQ(read.last_error, "timeout");
  EXPECT_EQ(read.error_streak, 4);
  EXPECT_EQ(read.retry_at, told.retry_at);
  EXPECT_EQ(read.content_hash, told.content_hash);
  EXPECT_EQ(read.etag, told.etag);
  EXPECT_EQ(read.last_modified, told.last_modified);
  EXPECT_EQ(read.body_bytes, 123);
  EXPECT_EQ(read.share, 0.25);
  EXPECT_EQ(read.next_due_at, told.next_due_at);
  EXPECT_EQ(read.change_rate_per_day, 1.5);
  EXPECT_EQ(read.slow_hits, 1.1);
  EXPECT_EQ(read.slow_hit_time, 2.2);
  EXPECT_EQ(read.slow_miss_time, 3.3);
  EXPECT_EQ(read.fast_hits, 4.4);
  EXPECT_EQ(read.fast_hit_time, 5.5);
  EXPECT_EQ(read.fast_miss_time, 6.6);
  EXPECT_EQ(read.streak, 7);
  EXPECT_EQ(read.position, 8.8);
  EXPECT_EQ(read.age_model, told.age_model);
  EXPECT_EQ(read.outdated_after, told.outdated_after);
  EXPECT_EQ(read.download_ms, 81.5);
}

TEST_F(WriteTest, a_change_is_stored_with_both_ends_of_its_interval) {
  Batch batch;
  batch.polls.push_back(poll_of(pages_["a"].id, 1, true));
  ASSERT_TRUE(store_->write(batch, "htraa").ok());
  EXPECT_EQ(ask("SELECT found_at - previous_poll_at FROM change"), "60001");
}

TEST_F(WriteTest, a_batch_is_all_or_nothing) {
  Batch batch;
  batch.polls.push_back(poll_of(pages_["a"].id, 5));
  // The last part fails because its table is away.
  ask("ALTER TABLE meta RENAME TO elsewhere");
  batch.meta.emplace_back("key", "1");
  ASSERT_FALSE(store_->write(batch, "htraa").ok());
  EXPECT_EQ(load(*store_)["a"].progress.polls, 0);
  ask("ALTER TABLE elsewhere RENAME TO meta");
  ASSERT_TRUE(store_->write(batch, "htraa").ok());
  EXPECT_EQ(load(*store_)["a"].progress.polls, 5);
}

TEST_F(WriteTest, a_poll_of_an_unknown_page_does_not_spoil_the_batch) {
  Batch batch;
  batch.polls.push_back(poll_of(PageId(999), 5, true));
  batch.polls.push_back(poll_of(pages_["a"].id, 5));
  ASSERT_TRUE(store_->write(batch, "htraa").ok());
  EXPECT_EQ(ask("SELECT count(*) FROM change"), "0");
  EXPECT_EQ(load(*store_)["a"].progress.polls, 5);
}

TEST_F(WriteTest, odd_numbers_do_not_spoil_the_batch) {
  Batch batch;
  batch.polls.push_back(poll_of(pages_["a"].id, 5));
  batch.polls[0].progress.share = std::nan("");
  batch.polls[0].progress.slow_hits = HUGE_VAL;
  ASSERT_TRUE(store_->write(batch, "htraa").ok());
  EXPECT_EQ(load(*store_)["a"].progress.share, 0);
}

TEST_F(WriteTest, nodes_are_kept_per_policy) {
  Batch batch;
  batch.nodes = {{1, 0, 0.25}, {2, 7, 0.5}};
  ASSERT_TRUE(store_->write(batch, "htraa").ok());
  batch.nodes = {{1, 0, 0.75}};
  ASSERT_TRUE(store_->write(batch, "htraa-ri").ok());
  batch.nodes = {{2, 7, 0.625}};
  ASSERT_TRUE(store_->write(batch, "htraa").ok());
  const auto nodes = store_->load_nodes("htraa");
  ASSERT_TRUE(nodes.ok());
  ASSERT_EQ(nodes->size(), 2U);
  EXPECT_EQ((*nodes)[0].value, 0.25);
  EXPECT_EQ((*nodes)[1].position, 7U);
  EXPECT_EQ((*nodes)[1].value, 0.625);
  EXPECT_EQ(store_->load_nodes("htraa-ri")->size(), 1U);
  EXPECT_TRUE(store_->load_nodes("uniform")->empty());
}

TEST_F(WriteTest, hosts_are_replaced) {
  Batch batch;
  batch.hosts.push_back({"example.org:443", at_ms(1), at_ms(2), 3, 4});
  ASSERT_TRUE(store_->write(batch, "htraa").ok());
  batch.hosts[0] = {"example.org:443", at_ms(5), std::nullopt, 6, 7};
  ASSERT_TRUE(store_->write(batch, "htraa").ok());
  const auto hosts = store_->load_hosts();
  ASSERT_EQ(hosts->size(), 1U);
  EXPECT_EQ((*hosts)[0].last_request_at, at_ms(5));
  EXPECT_EQ((*hosts)[0].blocked_until, std::nullopt);
  EXPECT_EQ((*hosts)[0].requests, 6);
}

TEST_F(WriteTest, minutes_add_up) {
  const auto minute = [](std::int64_t ms) {
    return MinuteRow{.minute = at_ms(ms), .budget = 20, .requests = 10, .polls = 8, .changes = 1};
  };
  Batch batch;
  batch.minutes = {minute(noon - 60'000)};
  ASSERT_TRUE(store_->write(batch, "htraa").ok());
  batch.minutes = {minute(noon), minute(noon)};
  ASSERT_TRUE(store_->write(batch, "htraa").ok());
  EXPECT_EQ(ask("SELECT count(*) FROM budget_minute"), "2");
  EXPECT_EQ(ask("SELECT requests || ' ' || polls || ' ' || changes FROM budget_minute "
                "ORDER BY minute DESC"),
            "20 16 2");
}

TEST_F(WriteTest, meta_is_remembered) {
  Batch batch;
  batch.meta = {{"policy", "htraa"}, {"policy", "uniform"}};
  ASSERT_TRUE(store_->write(batch, "htraa").ok());
  EXPECT_EQ(*store_->meta("policy"), "uniform");
  EXPECT_EQ(*store_->meta("nothing"), "");
}

TEST_F(WriteTest, a_reader_with_an_open_transaction_does_not_stop_the_writer) {
  Result<Connection> reader = Connection::open(path(), SQLITE_OPEN_READONLY);
  ASSERT_TRUE(reader->execute("BEGIN; SELECT count(*) FROM page").ok());
  Batch batch;
  batch.polls.push_back(poll_of(pages_["a"].id, 5));
  ASSERT_TRUE(store_->write(batch, "htraa").ok());
  EXPECT_EQ(*reader->integer("SELECT max(polls) FROM page"), 0);
  ASSERT_TRUE(reader->execute("COMMIT").ok());
  EXPECT_EQ(*reader->integer("SELECT max(polls) FROM page"), 5);
  EXPECT_GT(store_->wal_bytes(), 0);
}

// The child writes batches, each of which sets all pages to the same number of polls and records a
// change, and says so after each; the parent kills it in the middle of things.
[[noreturn]] void write_until_killed(const std::string& path, int report) {
  auto store = Store::open(path);
  if (!store.ok() || !(*store)->reconcile(numbered_pages(300), at_ms(noon)).ok()) _exit(1);
  std::vector<PageId> ids;
  if (!(*store)->load_pages([&](PageRow&& page) { ids.push_back(page.id); }).ok()) _exit(1);
  for (std::int64_t turn = 1;; ++turn) {
    Batch batch;
    for (const PageId id : ids) batch.polls.push_back(poll_of(id, turn, id == ids.front()));
    if (!(*store)->write(batch, "htraa").ok()) _exit(1);
    if (write(report, &turn, sizeof turn) != sizeof turn) _exit(1);
  }
}

TEST_F(StoreTest, kill_9_in_the_middle_of_a_batch_keeps_every_committed_one) {
  std::int64_t changes_before = 0;
  for (int round = 0; round < 5; ++round) {
    int report[2];
    ASSERT_EQ(pipe(report), 0);
    const pid_t child = fork();
    if (child == 0) write_until_killed(path(), report[1]);
    close(report[1]);
    std::int64_t told = 0, turn = 0;
    while (told < 5 + round && read(report[0], &turn, sizeof turn) == sizeof turn) told = turn;
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    while (read(report[0], &turn, sizeof turn) == sizeof turn) told = turn;
    close(report[0]);
    ASSERT_GE(told, 5);

    auto store = open();  // runs quick_check
    ASSERT_NE(store, nullptr);
    const std::int64_t turns = std::stoll(ask("SELECT min(polls) FROM page"));
    EXPECT_EQ(ask("SELECT max(polls) FROM page"), std::to_string(turns));  // whole batches only
    EXPECT_GE(turns, told);      // nothing acknowledged is lost
    EXPECT_LE(turns, told + 1);  // the one committed but not yet reported
    EXPECT_EQ(std::stoll(ask("SELECT count(*) FROM change")), changes_before + turns);
    changes_before += turns;
  }
}

TEST_F(StoreTest, a_robots_txt_may_replace_a_row_and_make_none) {
  auto store = open();
  RobotsRow row;
  row.host = "example.org:443";
  row.verdict = "allow";
  row.only_instead = true;
  Batch batch;
  batch.robots = {row};
  ASSERT_TRUE(store->write(batch, "htraa").ok());
  EXPECT_EQ(ask("SELECT count(*) FROM robots"), "0");
  batch.robots[0].only_instead = false;
  ASSERT_TRUE(store->write(batch, "htraa").ok());
  batch.robots[0].only_instead = true;
  batch.robots[0].verdict = "rules";
  batch.robots[0].rules = "Disallow: /\n";
  ASSERT_TRUE(store->write(batch, "htraa").ok());
  EXPECT_EQ(ask("SELECT verdict FROM robots"), "rules");
}

TEST_F(StoreTest, what_robots_txt_said_comes_back_as_it_was) {
  auto store = open();
  RobotsRow row{.host = "example.org:443",
                .verdict = "rules",
                .fetched_at = at_ms(noon),
                .check_at = at_ms(noon + 86'400'000),
                .unreachable_since = std::nullopt,
                .status = 200,
                .error = "",
                .crawl_delay_ms = 2500,
                .product = "pollux",
                .rules = "Disallow: /private\n"};
  Batch batch;
  batch.robots.push_back(row);
  ASSERT_TRUE(store->write(batch, "htraa").ok());
  row.verdict = "disallow";
  row.rules = "";
  row.status = 0;
  row.error = "timeout";
  row.crawl_delay_ms = std::nullopt;
  row.unreachable_since = at_ms(noon + 5);
  batch.robots = {row};
  batch.robots.push_back(row);
  batch.robots.back().host = "other.org:80";
  batch.robots.back().fetched_at = at_ms(noon - 1);
  ASSERT_TRUE(store->write(batch, "htraa").ok());
  std::vector<RobotsRow> loaded;
  ASSERT_TRUE(store->load_robots([&](RobotsRow&& r) { loaded.push_back(std::move(r)); }).ok());
  ASSERT_EQ(loaded.size(), 2u);
  EXPECT_EQ(loaded[0].host, "example.org:443") << "the latest first";
  EXPECT_EQ(loaded[0].verdict, "disallow");
  EXPECT_EQ(loaded[0].error, "timeout");
  EXPECT_EQ(loaded[0].unreachable_since, at_ms(noon + 5));
  EXPECT_EQ(loaded[0].crawl_delay_ms, std::nullopt);
  EXPECT_EQ(ask("SELECT status IS NULL FROM robots LIMIT 1"), "1");
}

TEST_F(StoreTest, a_note_says_why_a_page_was_not_polled_and_changes_nothing_else) {
  auto store = open();
  ASSERT_TRUE(store->reconcile(pages_of({"a"}), at_ms(noon)).ok());
  const PageId id = load(*store)["a"].id;
  Batch batch;
  batch.polls = {poll_of(id, 5)};
  PollRecord denied;
  denied.page = id;
  denied.note = PageNote{.errors = 0,
                         .error_streak = 0,
                         .last_error = "robots: disallowed by robots.txt",
                         .retry_at = at_ms(noon + 9000),
                         .next_due_at = at_ms(noon + 9000)};
  batch.polls.push_back(denied);
  ASSERT_TRUE(store->write(batch, "htraa").ok());
  const PageProgress page = load(*store)["a"].progress;
  EXPECT_EQ(page.polls, 5);
  EXPECT_EQ(page.last_status, 200);
  EXPECT_EQ(page.last_error, "robots: disallowed by robots.txt");
  EXPECT_EQ(page.retry_at, at_ms(noon + 9000));
  EXPECT_EQ(ask("SELECT status FROM page_report"), "robots: disallowed by robots.txt");
}

TEST_F(StoreTest, where_a_page_has_moved_and_how_long_it_is_fresh_are_kept) {
  auto store = open();
  ASSERT_TRUE(store->reconcile(pages_of({"a"}), at_ms(noon)).ok());
  Batch batch;
  batch.polls = {poll_of(load(*store)["a"].id, 5)};
  batch.polls[0].progress.moved_to = "https://example.org/b";
  batch.polls[0].progress.fresh_until = at_ms(noon + 60'000);
  batch.hosts.push_back({"example.org:443", at_ms(noon), std::nullopt, 3, 1, 250, 1000});
  ASSERT_TRUE(store->write(batch, "htraa").ok());
  const PageProgress page = load(*store)["a"].progress;
  EXPECT_EQ(page.moved_to, "https://example.org/b");
  EXPECT_EQ(page.fresh_until, at_ms(noon + 60'000));
  EXPECT_EQ(ask("SELECT status || moved_to FROM page_report"), "ok, movedhttps://example.org/b");
  const auto hosts = store->load_hosts();
  ASSERT_TRUE(hosts.ok());
  EXPECT_EQ(hosts->at(0).response_ms, 250);
  EXPECT_EQ(hosts->at(0).delay_ms, 1000);
}

}  // namespace
}  // namespace pollux::store

#include "store/tidy.hpp"

#include "fixture.hpp"
#include "store/checkpoints.hpp"

namespace pollux::store {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t day = 86'400'000;

class TidyTest : public StoreTest {
 protected:
  void SetUp() override {
    store_ = open();
    ASSERT_TRUE(store_->reconcile(numbered_pages(10), at_ms(noon)).ok());
    ASSERT_TRUE(store_->load_pages([&](PageRow&& page) { ids_.push_back(page.id); }).ok());
  }
  void record_changes(int count, std::int64_t found_at) {
    Batch batch;
    for (int i = 0; i < count; ++i) {
      batch.polls.push_back(poll_of(ids_[static_cast<std::size_t>(i) % ids_.size()], i, true));
      batch.polls.back().progress.last_polled_at = at_ms(found_at);
      batch.polls.back().change->found_at = at_ms(found_at);
    }
    ASSERT_TRUE(store_->write(batch, "htraa").ok());
  }
  int tidy(std::int64_t now) {
    int steps = 1;
    while (true) {
      const Result<bool> more = store_->tidy(keep_, at_ms(now));
      EXPECT_TRUE(more.ok()) << (more.ok() ? "" : more.error().message);
      if (!more.ok() || !*more) return steps;
      ++steps;
    }
  }
  Retention keep_{.changes = 24h * 10, .minutes = 24h * 3};
  std::unique_ptr<Store> store_;
  std::vector<PageId> ids_;
};

TEST_F(TidyTest, old_changes_go_a_few_at_a_time_and_younger_ones_stay) {
  record_changes(1'200, noon - 11 * day);
  record_changes(7, noon - 9 * day);
  EXPECT_GE(tidy(noon), 3) << "no step is a long one";
  EXPECT_EQ(ask("SELECT count(*) FROM change"), "7");
}

TEST_F(TidyTest, old_minutes_go) {
  Batch batch;
  batch.minutes = {{.minute = at_ms(noon - 4 * day)}, {.minute = at_ms(noon - 2 * day)}};
  ASSERT_TRUE(store_->write(batch, "htraa").ok());
  tidy(noon);
  EXPECT_EQ(ask("SELECT count(*) FROM budget_minute"), "1");
}

TEST_F(TidyTest, a_removed_page_goes_when_its_history_has_gone_and_not_before) {
  record_changes(10, noon);
  ASSERT_TRUE(store_->reconcile(pages_of({"p1"}), at_ms(noon)).ok());
  tidy(noon + 9 * day);
  EXPECT_EQ(ask("SELECT count(*) FROM page"), "10");
  tidy(noon + 11 * day);
  EXPECT_EQ(ask("SELECT count(*) FROM page"), "1");
  EXPECT_EQ(ask("SELECT url FROM page"), "https://example.org/p1");
}

TEST_F(TidyTest, what_is_known_of_a_host_goes_with_its_last_page_and_not_before) {
  Batch batch;
  for (const char* host : {"example.org:443", "gone.example:80"}) {
    batch.hosts.push_back({});
    batch.hosts.back().host = host;
    batch.robots.push_back({});
    batch.robots.back().host = host;
    batch.robots.back().verdict = "allow";
    batch.placements.push_back({host, "here", true, 1, 0.5});
    batch.placements.push_back({host, "there", false, 0, 0.7});
  }
  ASSERT_TRUE(store_->write(batch, "htraa").ok());
  std::vector<PageSpec> listed = pages_of({"p1"});
  listed.push_back(page_of("elsewhere"));
  listed.back().host = "gone.example:80";
  ASSERT_TRUE(store_->reconcile(listed, at_ms(noon)).ok());
  const auto rows = [&] {
    return ask(
        "SELECT (SELECT count(*) FROM host) || ' ' || (SELECT count(*) FROM robots) || ' ' "
        "|| (SELECT count(*) FROM placement)");
  };
  tidy(noon + 11 * day);
  EXPECT_EQ(rows(), "2 2 4") << "both have a page";
  ASSERT_TRUE(store_->reconcile(pages_of({"p1"}), at_ms(noon)).ok());
  tidy(noon + 9 * day);
  EXPECT_EQ(rows(), "2 2 4") << "the page may come back";
  tidy(noon + 11 * day);
  EXPECT_EQ(rows(), "1 1 2");
  EXPECT_EQ(ask("SELECT host FROM host"), "example.org:443");
}

TEST_F(TidyTest, rows_of_many_hosts_are_looked_at_a_few_at_a_time) {
  Batch batch;
  for (int i = 0; i < 1'700; ++i) {
    batch.hosts.push_back({});
    batch.hosts.back().host = "gone" + std::to_string(i) + ":80";
  }
  ASSERT_TRUE(store_->write(batch, "htraa").ok());
  ASSERT_TRUE(*store_->tidy(keep_, at_ms(noon)));
  EXPECT_EQ(ask("SELECT count(*) FROM host"), "1200");
  EXPECT_GE(tidy(noon), 3);
  EXPECT_EQ(ask("SELECT count(*) FROM host"), "0");
}

TEST_F(TidyTest, a_clock_set_back_deletes_nothing) {
  record_changes(50, noon);
  tidy(noon - 365 * day);
  tidy(0);
  EXPECT_EQ(ask("SELECT count(*) FROM change"), "50");
}

TEST_F(TidyTest, the_file_stops_growing) {
  std::uintmax_t halfway = 0;
  for (int turn = 1; turn <= 30; ++turn) {
    record_changes(1'000, noon + turn * day);
    tidy(noon + turn * day);
    if (turn == 15) {
      ask("PRAGMA wal_checkpoint(TRUNCATE)");
      halfway = std::filesystem::file_size(path());
    }
  }
  ask("PRAGMA wal_checkpoint(TRUNCATE)");
  EXPECT_LE(std::filesystem::file_size(path()), halfway + halfway / 10);
}

TEST_F(TidyTest, room_that_is_not_needed_any_more_is_given_back) {
  for (int i = 0; i < 20; ++i) record_changes(2'000, noon);
  ask("PRAGMA wal_checkpoint(TRUNCATE)");
  const auto before = std::filesystem::file_size(path());
  tidy(noon + 30 * day);
  ask("PRAGMA wal_checkpoint(TRUNCATE)");
  EXPECT_LT(std::filesystem::file_size(path()), before / 2);
}

TEST_F(TidyTest, nothing_to_do_writes_nothing) {
  tidy(noon);
  const std::int64_t before = store_->wal_bytes();
  tidy(noon);
  EXPECT_EQ(store_->wal_bytes(), before);
}

// A reader that stays for an hour: the log grows, and nobody spends time on it in vain.
TEST_F(StoreTest, a_log_that_cannot_be_emptied_is_not_sorted_at_every_commit) {
  open().reset();
  Checkpoints checkpoints(50);
  Result<Connection> writer = Connection::open(path(), SQLITE_OPEN_READWRITE);
  checkpoints.attach(*writer);
  ASSERT_TRUE(writer->execute("PRAGMA synchronous = OFF").ok());
  Result<Connection> reader = Connection::open(path(), SQLITE_OPEN_READONLY);
  ASSERT_TRUE(reader->execute("BEGIN; SELECT count(*) FROM page").ok());
  const auto commit = [&](int times) {
    for (int i = 0; i < times; ++i) {
      ASSERT_TRUE(writer
                      ->execute("INSERT INTO meta VALUES ('k', '" + std::to_string(i) +
                                "') ON CONFLICT (key) DO UPDATE SET value = excluded.value")
                      .ok());
    }
  };
  commit(1000);
  EXPECT_GT(checkpoints.attempts(), 0);
  EXPECT_LT(checkpoints.attempts(), 20);
  const auto log = [&] { return std::filesystem::file_size(path() + "-wal"); };
  const auto grown = log();
  ASSERT_TRUE(reader->execute("COMMIT").ok());
  commit(2000);
  EXPECT_LT(log(), grown * 2) << "emptied and used again once the reader has gone";
}

}  // namespace
}  // namespace pollux::store

#include "pollux/store/writer.hpp"

#include "fixture.hpp"
#include "support/log_lines.hpp"

#include <atomic>
#include <csignal>
#include <future>
#include <mutex>

#include <sys/resource.h>

namespace pollux::store {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// A ceiling on the size of any file this process writes: the kernel refuses the next write, as a
// full disk would, until the ceiling is lifted.
class FullDisk {
 public:
  explicit FullDisk(std::uintmax_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit now{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &now);
  }
  ~FullDisk() { make_room(); }
  void make_room() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

class WriterTest : public StoreTest {
 protected:
  void SetUp() override {
    store_ = open();
    ASSERT_TRUE(store_->reconcile(numbered_pages(100), at_ms(noon)).ok());
    ASSERT_TRUE(store_->load_pages([&](PageRow&& page) { ids_.push_back(page.id); }).ok());
  }
  Writer make(WriterOptions options = {}) {
    return Writer(std::move(store_), "htraa", options,
                  {.committed =
                       [this](const std::vector<ChangeRow>& changes) {
                         // Reported only when another connection can see them.
                         visible_ = std::stoll(ask("SELECT count(*) FROM change"));
                         reported_ += changes.size();
                       },
                   .trouble =
                       [this](const Trouble& trouble) {
                         std::lock_guard lock(mutex_);
                         troubles_.push_back(trouble.problem);
                       }});
  }
  std::vector<std::string> troubles() {
    std::lock_guard lock(mutex_);
    return troubles_;
  }
  template <typename Condition>
  static bool eventually(Condition condition) {
    for (int i = 0; i < 6000; ++i) {
      if (condition()) return true;
      std::this_thread::sleep_for(milliseconds(5));
    }
    return false;
  }

  std::unique_ptr<Store> store_;
  std::vector<PageId> ids_;
  std::atomic<std::int64_t> visible_{0};
  std::atomic<std::size_t> reported_{0};
  std::mutex mutex_;
  std::vector<std::string> troubles_;
};

TEST_F(WriterTest, a_poll_is_never_on_disk_without_what_its_host_wants) {
  Writer writer = make({.batch_polls = 1, .batch_age = milliseconds(1)});
  for (int i = 1; i <= 200; ++i) {
    PollRecord record = poll_of(ids_[0], i, false);
    record.hosts.push_back({"example.org:443", at_ms(noon), at_ms(noon + i), i, 0});
    writer.submit(std::move(record));
    ASSERT_EQ(ask("SELECT count(*) FROM page WHERE polls > "
                  "(SELECT coalesce(max(requests), 0) FROM host)"),
              "0");
  }
  ASSERT_TRUE(writer.stop(seconds(5)).ok());
  EXPECT_EQ(ask("SELECT requests FROM host"), "200");
}

// Rules that a person added to the tables, in place of those that a slip of ours would break.
TEST_F(WriterTest, a_row_that_is_refused_for_ever_is_dropped_and_named_and_all_others_are_kept) {
  ask("CREATE TRIGGER a BEFORE UPDATE ON page WHEN new.polls = 13 "
      "BEGIN SELECT raise(ABORT, 'unlucky'); END");
  ask("CREATE TRIGGER b BEFORE INSERT ON change WHEN new.status = 999 "
      "BEGIN SELECT raise(ABORT, 'unlucky'); END");
  test::LogLines log;
  Writer writer = make({.batch_age = milliseconds(5)});
  writer.submit(poll_of(ids_[0], 13, true));
  PollRecord odd = poll_of(ids_[1], 5, true);
  odd.change->status = 999;
  odd.change->url = "https://example.org/\nforged";
  writer.submit(std::move(odd));
  writer.submit(poll_of(ids_[2], 6, true));
  Batch batch;
  batch.robots.resize(2);
  batch.robots[0].host = "bad:80";
  batch.robots[0].verdict = "no such verdict";
  batch.robots[1].host = "good:80";
  batch.robots[1].verdict = "allow";
  batch.access_points = {{"twice", "way", 0}, {"twice", "way", 0}, {"once", "way", 0}};
  batch.meta.emplace_back("last", "1");
  writer.submit(std::move(batch));
  ASSERT_TRUE(eventually([&] { return ask("SELECT value FROM meta WHERE key = 'last'") == "1"; }));
  ASSERT_TRUE(writer.stop(seconds(5)).ok());
  EXPECT_TRUE(troubles().empty());
  EXPECT_EQ(ask("SELECT group_concat(polls) FROM (SELECT polls FROM page WHERE polls > 0)"), "5,6");
  EXPECT_EQ(ask("SELECT count(*) FROM change"), "2") << "that of the refused poll is its own row";
  EXPECT_EQ(reported_, 2u) << "and only what is on disk is reported";
  EXPECT_EQ(ask("SELECT group_concat(host) FROM robots"), "good:80");
  EXPECT_EQ(ask("SELECT count(*) FROM access_point"), "2");
  const std::string page = std::to_string(value(ids_[0]));
  EXPECT_TRUE(log.have("[error] a poll of page " + page + " was not recorded")) << log.text();
  EXPECT_TRUE(log.have("example.org/\\x0aforged was not recorded")) << log.text();
  EXPECT_TRUE(log.have("robots.txt of bad:80 was not recorded")) << log.text();
  EXPECT_TRUE(log.have("access point twice was not recorded")) << log.text();
}

TEST_F(WriterTest, a_lonely_record_is_written_after_a_while) {
  Writer writer = make({.batch_age = milliseconds(20)});
  writer.submit(poll_of(ids_[0], 5));
  EXPECT_TRUE(eventually([&] { return ask("SELECT max(polls) FROM page") == "5"; }));
}

TEST_F(WriterTest, a_full_batch_does_not_wait_for_its_age) {
  Writer writer = make({.batch_polls = 10, .batch_age = std::chrono::hours(1)});
  for (int i = 0; i < 10; ++i) writer.submit(poll_of(ids_[i], 5));
  EXPECT_TRUE(eventually([&] { return ask("SELECT sum(polls) FROM page") == "50"; }));
}

TEST_F(WriterTest, stop_writes_what_is_left_and_closes_cleanly) {
  Writer writer = make({.batch_age = std::chrono::hours(1)});
  for (const PageId id : ids_) writer.submit(poll_of(id, 3));
  ASSERT_TRUE(writer.stop(seconds(60)).ok());
  EXPECT_EQ(writer.queued(), 0U);
  EXPECT_EQ(ask("SELECT sum(polls) FROM page"), "300");
  EXPECT_EQ(ask("SELECT value FROM meta WHERE key = 'clean_stop'"), "1");
  EXPECT_TRUE(writer.stop(seconds(0)).ok());
}

TEST_F(WriterTest, changes_are_reported_once_and_only_when_on_disk) {
  Writer writer = make({.batch_polls = 7, .batch_age = milliseconds(5)});
  for (int i = 0; i < 100; ++i) writer.submit(poll_of(ids_[i], 1, i % 2 == 0));
  ASSERT_TRUE(writer.stop(seconds(60)).ok());
  EXPECT_EQ(reported_, 50U);
  EXPECT_EQ(visible_, 50);
}

TEST_F(WriterTest, a_job_runs_after_what_was_queued_before_it) {
  Writer writer = make({.batch_polls = 30, .batch_age = std::chrono::hours(1)});
  for (const PageId id : ids_) writer.submit(poll_of(id, 2));
  std::promise<std::int64_t> seen;
  writer.run([&](Store& store) {
    std::int64_t sum = 0;
    const Status read = store.load_pages([&](PageRow&& page) { sum += page.progress.polls; });
    seen.set_value(read.ok() ? sum : -1);
  });
  EXPECT_EQ(seen.get_future().get(), 200);
}

TEST_F(WriterTest, other_rows_are_merged_and_written) {
  Writer writer = make({.batch_age = std::chrono::hours(1)});
  for (int i = 1; i <= 50; ++i) {
    Batch batch;
    batch.nodes = {{1, 0, i / 100.0}};
    batch.hosts.push_back({"example.org:443", at_ms(i), std::nullopt, i, 0});
    batch.minutes.push_back({.minute = at_ms(noon), .budget = 20, .requests = 2, .polls = 1});
    batch.meta.emplace_back("heartbeat_at", std::to_string(i));
    writer.submit(std::move(batch));
  }
  ASSERT_TRUE(writer.stop(seconds(60)).ok());
  EXPECT_EQ(ask("SELECT value FROM learner_value"), "0.5");
  EXPECT_EQ(ask("SELECT requests FROM host"), "50");
  EXPECT_EQ(ask("SELECT requests FROM budget_minute"), "100");
  EXPECT_EQ(ask("SELECT value FROM meta WHERE key = 'heartbeat_at'"), "50");
}

TEST_F(WriterTest, progress_goes_on_while_there_is_nothing_to_do) {
  Writer writer = make();
  const std::uint64_t before = writer.progress();
  EXPECT_TRUE(eventually([&] { return writer.progress() > before + 1; }));
}

TEST_F(WriterTest, a_full_disk_loses_nothing_and_writing_resumes_when_there_is_room) {
  Writer writer = make({.queue_capacity = 60,
                        .batch_polls = 20,
                        .batch_age = milliseconds(5),
                        .retry_after_error = milliseconds(20)});
  FullDisk disk(4096);
  for (const PageId id : ids_) writer.submit(poll_of(id, 4, true));
  ASSERT_TRUE(eventually([&] { return !troubles().empty(); }));
  EXPECT_FALSE(troubles()[0].empty());
  EXPECT_EQ(daemon_alert(path()), troubles()[0]) << "pollux status shows it";
  EXPECT_FALSE(writer.full()) << "polling goes on";
  EXPECT_EQ(writer.queued(), 100U);
  EXPECT_EQ(reported_, 0U);
  const std::uint64_t before = writer.progress();
  EXPECT_TRUE(eventually([&] { return writer.progress() > before; }));  // failing is not stuck

  disk.make_room();
  EXPECT_TRUE(eventually([&] { return writer.queued() == 0; }));
  EXPECT_FALSE(writer.full());
  ASSERT_TRUE(eventually([&] { return troubles().size() == 2; }));
  EXPECT_EQ(troubles()[1], "");
  EXPECT_EQ(daemon_alert(path()), "");
  ASSERT_TRUE(writer.stop(seconds(60)).ok());
  EXPECT_EQ(ask("SELECT sum(polls) FROM page"), "400");
  EXPECT_EQ(ask("SELECT count(*) FROM change"), "100");
  EXPECT_EQ(reported_, 100U);
}

TEST_F(WriterTest, stop_gives_up_at_its_deadline_and_says_what_is_lost) {
  Writer writer = make({.batch_age = milliseconds(5), .retry_after_error = milliseconds(20)});
  FullDisk disk(4096);
  writer.submit(poll_of(ids_[0], 4, true));
  writer.submit(poll_of(ids_[1], 4));
  ASSERT_TRUE(eventually([&] { return !troubles().empty(); }));
  const Status stopped = writer.stop(milliseconds(50));
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().exit_code, ExitCode::io);
  EXPECT_NE(stopped.error().message.find("2 poll results (1 changes"), std::string::npos)
      << stopped.error().message;
}

TEST_F(WriterTest, a_foreign_writer_is_waited_for) {
  sqlite3* foreign = nullptr;
  ASSERT_EQ(sqlite3_open(path().c_str(), &foreign), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(foreign, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  Writer writer = make({.batch_age = milliseconds(5)});
  writer.submit(poll_of(ids_[0], 4));
  ASSERT_TRUE(eventually([&] { return writer.queued() == 1; }));
  sqlite3_exec(foreign, "COMMIT", nullptr, nullptr, nullptr);
  sqlite3_close(foreign);
  EXPECT_TRUE(eventually([&] { return writer.queued() == 0; }));
  EXPECT_EQ(ask("SELECT max(polls) FROM page"), "4");
}

TEST_F(WriterTest, many_threads_may_submit) {
  Writer writer = make({.batch_polls = 50, .batch_age = milliseconds(5)});
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t i = t; i < ids_.size(); i += 4) writer.submit(poll_of(ids_[i], 6, true));
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_TRUE(writer.stop(seconds(60)).ok());
  EXPECT_EQ(ask("SELECT sum(polls) FROM page"), "600");
  EXPECT_EQ(reported_, 100U);
}

}  // namespace
}  // namespace pollux::store

// The writer on a disk that fails: what is kept, what is said, and that it goes on afterwards.
#include "fault_vfs.hpp"
#include "fixture.hpp"
#include "pollux/store/writer.hpp"

#include <future>
#include <mutex>
#include <thread>

namespace pollux::store {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class FailingDisk : public StoreTest, public testing::WithParamInterface<int> {
 protected:
  void SetUp() override {
    store_ = open();
    ASSERT_TRUE(store_->reconcile(numbered_pages(50), at_ms(noon)).ok());
    ASSERT_TRUE(store_->load_pages([&](PageRow&& page) { ids_.push_back(page.id); }).ok());
  }
  std::unique_ptr<Writer> make(WriterOptions options) {
    options.batch_age = milliseconds(5);
    options.retry_after_error = milliseconds(20);
    return std::make_unique<Writer>(
        std::move(store_), "htraa", options,
        Writer::Callbacks{.committed =
                              [this](const std::vector<ChangeRow>& changes) {
                                std::lock_guard lock(mutex_);
                                reported_ += changes.size();
                              },
                          .trouble =
                              [this](const Trouble& trouble) {
                                std::lock_guard lock(mutex_);
                                troubles_.push_back(trouble);
                              }});
  }
  std::vector<Trouble> troubles() {
    std::lock_guard lock(mutex_);
    return troubles_;
  }
  std::size_t reported() {
    std::lock_guard lock(mutex_);
    return reported_;
  }
  template <typename Condition>
  static bool eventually(Condition condition) {
    for (int i = 0; i < 6000; ++i) {
      if (condition()) return true;
      std::this_thread::sleep_for(milliseconds(5));
    }
    return false;
  }

  FaultVfs disk_;
  std::unique_ptr<Store> store_;
  std::vector<PageId> ids_;
  std::mutex mutex_;
  std::size_t reported_ = 0;
  std::vector<Trouble> troubles_;
};

TEST_P(FailingDisk, is_outlived_with_every_change_and_the_newest_state) {
  const auto writer = make({.queue_capacity = 20, .batch_polls = 10});
  disk_.fail_writes(GetParam());
  writer->submit(poll_of(ids_[0], 1));
  ASSERT_TRUE(eventually([&] { return !troubles().empty(); }));
  EXPECT_FALSE(troubles()[0].damaged);
  // Forty rounds over fifty pages: far more than the queue's capacity.
  for (std::int64_t round = 1; round <= 40; ++round) {
    for (const PageId id : ids_) writer->submit(poll_of(id, round, true));
    EXPECT_FALSE(writer->full()) << "polling goes on";
  }
  EXPECT_LE(writer->queued(), 20u + 50u + 10u) << "one entry a page";
  EXPECT_EQ(reported(), 0u) << "nothing is reported that is not on disk";
  disk_.recover();
  ASSERT_TRUE(eventually([&] { return writer->queued() == 0; }));
  ASSERT_TRUE(writer->stop(seconds(30)).ok());
  EXPECT_EQ(ask("SELECT count(*) FROM change"), "2000");
  EXPECT_EQ(reported(), 2000u);
  EXPECT_EQ(ask("SELECT min(polls) || ' ' || max(polls) FROM page"), "40 40");
  ASSERT_EQ(troubles().size(), 2u) << "told once when it began and once when it ended";
  EXPECT_EQ(troubles()[1].problem, "");
  EXPECT_FALSE(troubles()[1].squeezed.any());
  EXPECT_EQ(ask("PRAGMA integrity_check"), "ok");
}

TEST_P(FailingDisk, for_longer_than_memory_lasts_says_what_it_cost) {
  const auto writer = make({.queue_capacity = 20, .memory = 100'000, .batch_polls = 10});
  disk_.fail_writes(GetParam());
  std::int64_t round = 0;
  const auto poll_all = [&] {
    ++round;
    for (const PageId id : ids_) writer->submit(poll_of(id, round, true));
  };
  poll_all();
  ASSERT_TRUE(eventually([&] { return !troubles().empty(); })) << "before memory runs out";
  ASSERT_TRUE(eventually([&] {
    poll_all();
    return troubles().size() == 2;
  }));
  EXPECT_TRUE(troubles()[1].squeezed.any());
  EXPECT_FALSE(troubles()[1].problem.empty());
  disk_.recover();
  ASSERT_TRUE(eventually([&] { return writer->queued() == 0; }));
  ASSERT_TRUE(writer->stop(seconds(30)).ok());
  const Trouble over = troubles().back();
  EXPECT_EQ(over.problem, "");
  EXPECT_EQ(reported() + over.squeezed.changes, static_cast<std::size_t>(round) * ids_.size())
      << "every change is on disk or was counted";
  EXPECT_EQ(ask("SELECT count(*) FROM change"), std::to_string(reported()));
  EXPECT_EQ(ask("SELECT min(polls) FROM page"), std::to_string(round));
}

TEST_P(FailingDisk, while_it_fails_a_job_waits_for_what_was_queued_before_it) {
  const auto writer = make({.queue_capacity = 20, .batch_polls = 10});
  disk_.fail_writes(GetParam());
  for (const PageId id : ids_) writer->submit(poll_of(id, 1));
  ASSERT_TRUE(eventually([&] { return !troubles().empty(); }));
  std::promise<std::int64_t> seen;
  writer->run([&](Store& store) {
    std::int64_t least = 99;
    const Status read =
        store.load_pages([&](PageRow&& page) { least = std::min(least, page.progress.polls); });
    seen.set_value(read.ok() ? least : -1);
  });
  for (const PageId id : ids_) writer->submit(poll_of(id, 2));  // makes the queue one entry a page
  disk_.recover();
  EXPECT_GE(seen.get_future().get(), 1);
}

INSTANTIATE_TEST_SUITE_P(, FailingDisk,
                         testing::Values(SQLITE_FULL, SQLITE_IOERR_WRITE, SQLITE_READONLY),
                         [](const testing::TestParamInfo<int>& with) {
                           switch (with.param) {
                             case SQLITE_FULL:
                               return "full";
                             case SQLITE_READONLY:
                               return "read_only";
                             default:
                               return "broken";
                           }
                         });

using BrokenDisk = FailingDisk;

TEST_F(BrokenDisk, that_cannot_sync_acknowledges_nothing) {
  const auto writer = make({});
  disk_.fail_syncs(SQLITE_IOERR_FSYNC);
  writer->submit(poll_of(ids_[0], 1, true));
  ASSERT_TRUE(eventually([&] { return !troubles().empty(); }));
  EXPECT_EQ(reported(), 0u);
  disk_.recover();
  ASSERT_TRUE(eventually([&] { return reported() == 1; }));
  EXPECT_EQ(ask("SELECT count(*) FROM change"), "1");
}

TEST_F(BrokenDisk, a_damaged_file_is_said_to_be_damaged_and_its_stop_is_not_a_clean_one) {
  const auto writer = make({});
  disk_.fail_writes(SQLITE_CORRUPT);
  writer->submit(poll_of(ids_[0], 1, true));
  ASSERT_TRUE(eventually([&] { return !troubles().empty(); }));
  EXPECT_TRUE(troubles()[0].damaged);
  const Status stopped = writer->stop(milliseconds(50));
  disk_.recover();
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().exit_code, ExitCode::io) << "a service manager starts it again";
  EXPECT_EQ(ask("SELECT value FROM meta WHERE key = 'clean_stop'"), "0");
}

TEST_F(BrokenDisk, damage_met_while_reading_makes_the_next_start_check) {
  store_.reset();
  store_ = open();  // with an empty cache
  EXPECT_FALSE(store_->damaged());
  disk_.fail_reads(SQLITE_CORRUPT);
  EXPECT_FALSE(store_->load_pages([](PageRow&&) {}).ok());
  EXPECT_TRUE(store_->damaged());
  store_.reset();
  disk_.recover();
  EXPECT_EQ(ask("SELECT value FROM meta WHERE key = 'clean_stop'"), "0");
}

TEST_F(BrokenDisk, that_cannot_be_read_at_the_start_is_an_io_error_and_no_damage) {
  store_.reset();
  disk_.fail_reads(SQLITE_IOERR_READ);
  const auto refused = Store::open(path());
  disk_.recover();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().exit_code, ExitCode::io) << refused.error().message;
  EXPECT_TRUE(Store::open(path()).ok());
}

}  // namespace
}  // namespace pollux::store

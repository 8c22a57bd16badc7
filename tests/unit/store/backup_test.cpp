#include "pollux/store/backup.hpp"

#include "fixture.hpp"
#include "pollux/store/writer.hpp"
#include "store/backup_files.hpp"

#include <atomic>
#include <thread>

namespace pollux::store {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

class BackupTest : public StoreTest {
 protected:
  std::unique_ptr<Store> watched(int pages) {
    auto store = open();
    EXPECT_TRUE(store->reconcile(numbered_pages(pages), at_ms(noon)).ok());
    return store;
  }
  std::size_t copies() const { return backups_of(path(), folder_).size(); }
  // Overwrites part of the file, as a broken disk would, after a stop that was not clean.
  void damage() {
    ask("UPDATE meta SET value = '0' WHERE key = 'clean_stop'");
    ask("PRAGMA wal_checkpoint(TRUNCATE)");
    std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(8 * 4096);
    file << std::string(20 * 4096, '\x5a');
  }
  fs::path damaged_file() const {
    for (const auto& entry : fs::directory_iterator(folder_)) {
      const std::string name = entry.path().filename().string();
      if (name.find(".damaged-") != std::string::npos && !name.ends_with("-wal") &&
          !name.ends_with("-shm")) {
        return entry.path();
      }
    }
    return {};
  }
};

TEST_F(BackupTest, a_copy_is_made_beside_a_store_that_is_open_and_holds_everything) {
  auto store = watched(100);
  const Result<std::string> made = back_up(path(), {}, at_ms(noon));
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(*made, path("pollux.db.backup-20260921T141320Z"));
  Result<Connection> copy = Connection::open(*made, SQLITE_OPEN_READONLY);
  EXPECT_EQ(*copy->integer("SELECT count(*) FROM page"), 100);
  EXPECT_EQ(*copy->text("PRAGMA integrity_check"), "ok");
  EXPECT_EQ(*copy->integer("PRAGMA auto_vacuum"), 2);
  Batch batch;
  batch.polls.push_back(poll_of(load(*store)["p1"].id, 5));
  EXPECT_TRUE(store->write(batch, "htraa").ok()) << "the store goes on";
}

TEST_F(BackupTest, the_oldest_copies_go_and_those_of_migrations_stay) {
  auto store = watched(3);
  write_file("pollux.db.backup-v1", "of a migration");
  write_file("pollux.db.backup-old", "of a person");
  for (int day = 0; day < 5; ++day) {
    ASSERT_TRUE(back_up(path(), {.keep = 2, .directory = {}}, at_ms(noon + day * 86'400'000)).ok());
    std::this_thread::sleep_for(5ms);  // the files' times tell which is newer
  }
  EXPECT_EQ(copies(), 3u) << "two and the migration's";
  EXPECT_TRUE(fs::exists(path("pollux.db.backup-20260925T141320Z")));
  EXPECT_TRUE(fs::exists(path("pollux.db.backup-20260924T141320Z")));
  EXPECT_TRUE(fs::exists(path("pollux.db.backup-v1")));
  EXPECT_TRUE(fs::exists(path("pollux.db.backup-old")));
}

TEST_F(BackupTest, a_folder_that_does_not_exist_is_named_with_the_cure) {
  auto store = watched(3);
  const auto made = back_up(path(), {.directory = path("nowhere")}, at_ms(noon));
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.error().message.find("storage.backup_directory"), std::string::npos);
}

TEST_F(BackupTest, one_that_is_cancelled_leaves_nothing_behind) {
  auto store = watched(5'000);
  const auto made = back_up(path(), {}, at_ms(noon), [] { return true; });
  EXPECT_FALSE(made.ok());
  for (const auto& entry : fs::directory_iterator(folder_)) {
    EXPECT_EQ(entry.path().string().find("backup"), std::string::npos) << entry.path();
  }
}

TEST_F(BackupTest, the_next_one_is_due_a_period_after_the_last_whatever_the_clock_says) {
  auto store = watched(3);
  const BackupOptions daily{.every = 24h, .directory = {}};
  EXPECT_EQ(until_next_backup(path(), daily, SystemClock().wall()), 0h) << "there is none yet";
  ASSERT_TRUE(back_up(path(), daily, SystemClock().wall()).ok());
  const Duration pause = until_next_backup(path(), daily, SystemClock().wall());
  EXPECT_GT(pause, 23h);
  EXPECT_LE(pause, 24h);
  EXPECT_EQ(until_next_backup(path(), daily, SystemClock().wall() - 24h * 365), 24h);
  EXPECT_EQ(until_next_backup(path(), daily, SystemClock().wall() + 24h * 365), 0h);
}

TEST_F(BackupTest, are_made_again_and_again_while_the_writer_writes) {
  auto store = watched(50);
  std::vector<PageId> ids;
  ASSERT_TRUE(store->load_pages([&](PageRow&& page) { ids.push_back(page.id); }).ok());
  Writer writer(std::move(store), "htraa", {.batch_age = 5ms}, {});
  std::atomic<int> made{0}, failed{0};
  const SystemClock clock;
  {
    Backups backups(path(), {.every = 30ms, .keep = 2, .directory = {}}, clock,
                    [&](const Result<std::string>& one) { ++(one.ok() ? made : failed); });
    for (std::int64_t round = 1; made < 4 && round < 5000; ++round) {
      for (const PageId id : ids) writer.submit(poll_of(id, round, true));
      std::this_thread::sleep_for(5ms);
    }
  }
  EXPECT_GE(made, 4);
  EXPECT_EQ(failed, 0);
  EXPECT_LE(copies(), 2u);
  ASSERT_TRUE(writer.stop(60s).ok());
  EXPECT_EQ(ask("PRAGMA integrity_check"), "ok");
}

TEST_F(BackupTest, a_damaged_database_is_moved_aside_and_the_newest_good_backup_restored) {
  auto store = watched(5'000);
  ASSERT_TRUE(back_up(path(), {}, at_ms(noon)).ok());
  std::this_thread::sleep_for(5ms);
  write_file("pollux.db.backup-20270101T000000Z", "newer, but no database");
  ASSERT_TRUE(store->reconcile(numbered_pages(5'001), at_ms(noon)).ok());
  store.reset();
  damage();
  store = open();
  ASSERT_NE(store, nullptr);
  EXPECT_EQ(load(*store).size(), 5'000u) << "as it was when the backup was made";
  EXPECT_EQ(ask("PRAGMA integrity_check"), "ok");
  EXPECT_FALSE(damaged_file().empty());
  EXPECT_TRUE(fs::exists(path("pollux.db.backup-20260921T141320Z"))) << "the backup stays";
}

TEST_F(BackupTest, a_file_overwritten_from_its_start_is_restored_too) {
  auto store = watched(10);
  ASSERT_TRUE(back_up(path(), {}, at_ms(noon)).ok());
  store.reset();
  write_file("pollux.db", std::string(50'000, 'x'));
  store = open();
  ASSERT_NE(store, nullptr);
  EXPECT_EQ(load(*store).size(), 10u);
  EXPECT_EQ(fs::file_size(damaged_file()), 50'000u);
}

TEST_F(BackupTest, backups_in_a_folder_of_their_own_are_found) {
  auto store = watched(10);
  fs::create_directory(path("copies"));
  ASSERT_TRUE(back_up(path(), {.directory = path("copies")}, at_ms(noon)).ok());
  store.reset();
  write_file("pollux.db", std::string(50'000, 'x'));
  EXPECT_FALSE(Store::open(path()).ok());
  EXPECT_TRUE(Store::open(path(), {.backup_directory = path("copies")}).ok());
}

TEST_F(BackupTest, without_a_good_backup_the_refusal_is_loud_names_the_cure_and_touches_nothing) {
  watched(5'000).reset();
  damage();
  write_file("pollux.db.backup-20270101T000000Z", "no database");
  std::ifstream file(path(), std::ios::binary);
  const std::string before(std::istreambuf_iterator<char>(file), {});
  const auto refused = Store::open(path());
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().exit_code, ExitCode::bad_data);
  EXPECT_NE(refused.error().message.find(".recover"), std::string::npos) << refused.error().message;
  std::ifstream again(path(), std::ios::binary);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(again), {}), before);
}

TEST_F(BackupTest, the_log_of_a_damaged_database_goes_with_it) {
  auto store = watched(10);
  ASSERT_TRUE(back_up(path(), {}, at_ms(noon)).ok());
  store.reset();
  write_file("pollux.db", std::string(50'000, 'x'));
  write_file("pollux.db-wal", std::string(5'000, 'y'));
  store = open();
  ASSERT_NE(store, nullptr);
  EXPECT_EQ(fs::file_size(damaged_file().string() + "-wal"), 5'000u);
}

TEST_F(BackupTest, a_check_that_takes_too_long_is_ended_and_the_start_goes_on) {
  watched(20'000).reset();
  ask("UPDATE meta SET value = '0' WHERE key = 'clean_stop'");
  EXPECT_TRUE(Store::open(path(), {.check_may_take = 0s}).ok());
}

TEST_F(BackupTest, a_check_is_ended_when_the_daemon_is_told_to_stop) {
  watched(20'000).reset();
  ask("UPDATE meta SET value = '0' WHERE key = 'clean_stop'");
  const auto stopped = Store::open(path(), {.cancelled = [] { return true; }});
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().exit_code, ExitCode::temporary);
  EXPECT_TRUE(Store::open(path()).ok());
}

}  // namespace
}  // namespace pollux::store

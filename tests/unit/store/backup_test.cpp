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
  std::size_t copies() const { return backups_at(backup_folder(path(), "", "")).size(); }
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

TEST_F(BackupTest, copies_are_for_those_who_may_read_the_database) {
  auto store = watched(3);
  fs::permissions(path(), fs::perms(0600));
  const Result<std::string> made = back_up(path(), {}, at_ms(noon));
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(fs::status(*made).permissions(), fs::perms(0600));
  fs::permissions(*made, fs::perms(0644));  // as earlier versions made them
  store.reset();
  write_file("pollux.db", std::string(50'000, 'x'));
  store = open();
  ASSERT_NE(store, nullptr);
  EXPECT_EQ(fs::status(path()).permissions(), fs::perms(0600)) << "restored";
}

TEST_F(BackupTest, of_a_damaged_database_is_none_and_says_so_and_keeps_the_good_ones) {
  auto store = watched(5'000);
  ASSERT_TRUE(back_up(path(), {.keep = 1, .directory = {}}, at_ms(noon)).ok());
  store.reset();
  damage();
  const auto made = back_up(path(), {.keep = 1, .directory = {}}, at_ms(noon + 86'400'000));
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().exit_code, ExitCode::bad_data) << made.error().message;
  EXPECT_EQ(copies(), 1u);
}

// quick_check does not see it, the copy does.
TEST_F(BackupTest, a_row_that_cannot_be_used_makes_no_backup) {
  auto store = watched(10);
  store.reset();
  ask("UPDATE page SET content_hash = 'nonsense' WHERE id = 3");
  const auto made = back_up(path(), {}, at_ms(noon));
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().exit_code, ExitCode::bad_data);
  EXPECT_NE(made.error().message.find("page 3"), std::string::npos) << made.error().message;
  EXPECT_EQ(copies(), 0u);
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
  EXPECT_NE(store->repaired().find("was damaged"), std::string::npos) << "people are told";
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

TEST_F(BackupTest, the_newest_is_restored_wherever_it_lies) {
  auto store = watched(10);
  fs::create_directory(path("copies"));
  ASSERT_TRUE(back_up(path(), {.directory = path("copies")}, at_ms(noon)).ok());
  ASSERT_TRUE(store->reconcile(numbered_pages(20), at_ms(noon)).ok());
  ASSERT_TRUE(back_up(path(), {}, at_ms(noon)).ok());  // beside the database, as an upgrade does
  store.reset();
  for (const auto& copy : fs::directory_iterator(path("copies"))) {
    fs::last_write_time(copy, fs::last_write_time(copy) - 1h);
  }
  write_file("pollux.db", std::string(50'000, 'x'));
  ASSERT_TRUE(Store::open(path(), {.backup_directory = path("copies")}).ok());
  EXPECT_EQ(ask("SELECT count(*) FROM page"), "20");
}

// Two machines, the same path on each, one folder for backups.
class SharedFolder : public BackupTest {
 protected:
  void SetUp() override {
    for (const char* name : {"one", "two", "copies"}) fs::create_directory(folder_ / name);
    for (int i = 0; i < 2; ++i) {
      auto store = Store::open(database(i));
      ASSERT_TRUE(store.ok());
      ASSERT_TRUE((*store)->reconcile(numbered_pages(i + 1), at_ms(noon)).ok());
    }
  }
  std::string database(int i) const { return path(i == 0 ? "one/pollux.db" : "two/pollux.db"); }
  std::string back_up_to_copies(int i, int day) const {
    std::this_thread::sleep_for(5ms);
    const auto made = back_up(database(i), {.keep = 2, .directory = path("copies")},
                              at_ms(noon + day * 86'400'000));
    EXPECT_TRUE(made.ok()) << made.error().message;
    return made.ok() ? *made : "";
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path("copies")), {}));
  }
  Result<std::unique_ptr<Store>> open_overwritten(int i) const {
    std::ofstream(database(i), std::ios::binary) << std::string(50'000, 'x');
    return Store::open(database(i), {.backup_directory = path("copies")});
  }
};

TEST_F(SharedFolder, databases_of_one_name_keep_their_backups_apart) {
  for (int day = 0; day < 4; ++day) {
    for (int i = 0; i < 2; ++i) back_up_to_copies(i, day);
  }
  EXPECT_EQ(files(), 4u) << "two of each, though made in the same seconds";
  for (int i = 0; i < 2; ++i) {
    const auto store = open_overwritten(i);
    ASSERT_TRUE(store.ok()) << store.error().message;
    EXPECT_EQ(load(**store).size(), static_cast<std::size_t>(i + 1)) << "its own pages";
  }
}

TEST_F(SharedFolder, a_backup_of_the_other_database_is_neither_due_date_nor_replacement) {
  back_up_to_copies(0, 0);
  EXPECT_EQ(until_next_backup(database(1), {.directory = path("copies")}, SystemClock().wall()),
            0h);
  const auto refused = open_overwritten(1);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("of other databases"), std::string::npos)
      << refused.error().message;
}

TEST_F(SharedFolder, a_database_that_has_moved_finds_its_backups) {
  back_up_to_copies(0, 0);
  fs::rename(folder_ / "one", folder_ / "three");
  std::ofstream(path("three/pollux.db"), std::ios::binary) << std::string(50'000, 'x');
  const auto store = Store::open(path("three/pollux.db"), {.backup_directory = path("copies")});
  ASSERT_TRUE(store.ok()) << store.error().message;
}

TEST_F(SharedFolder, without_the_lock_file_the_only_id_there_is_will_do_and_two_will_not) {
  back_up_to_copies(0, 0);
  fs::remove(database(0) + "-lock");
  EXPECT_TRUE(open_overwritten(0).ok());
  back_up_to_copies(1, 0);
  fs::remove(database(0) + "-lock");
  EXPECT_FALSE(open_overwritten(0).ok());
}

TEST_F(SharedFolder, copies_without_an_id_are_found_and_left_alone) {
  const std::string old = path("copies/pollux.db.backup-20260101T000000Z");
  fs::rename(back_up_to_copies(0, 0), old);
  EXPECT_TRUE(open_overwritten(0).ok());
  for (int day = 0; day < 4; ++day) back_up_to_copies(1, day);
  EXPECT_TRUE(fs::exists(old));
  fs::copy_file(database(1), path("copies/pollux.db"));
  EXPECT_FALSE(open_overwritten(0).ok()) << "a database of that name lives there: they are its own";
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
  const auto store = Store::open(path(), {.check_may_take = 0s});
  ASSERT_TRUE(store.ok());
  EXPECT_TRUE((*store)->reconcile(numbered_pages(20'000), at_ms(noon)).ok());
}

TEST_F(BackupTest, a_check_is_ended_when_the_daemon_is_told_to_stop) {
  watched(20'000).reset();
  ask("UPDATE meta SET value = '0' WHERE key = 'clean_stop'");
  auto store = Store::open(path(), {.cancelled = [] { return true; }});
  ASSERT_TRUE(store.ok());
  const auto stopped = (*store)->reconcile(numbered_pages(20'000), at_ms(noon));
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().exit_code, ExitCode::temporary);
  EXPECT_FALSE((*store)->damaged());
  store->reset();
  EXPECT_TRUE(Store::open(path()).ok());
}

}  // namespace
}  // namespace pollux::store

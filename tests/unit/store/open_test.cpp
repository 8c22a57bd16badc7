#include "fixture.hpp"
#include "pollux/store/backup.hpp"
#include "store/migrations.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pollux::store {
namespace {

using OpenTest = StoreTest;

ExitCode refusal(const std::string& path, std::string* message = nullptr) {
  const Result<std::unique_ptr<Store>> store = Store::open(path);
  if (store.ok()) return ExitCode::ok;
  if (message != nullptr) *message = store.error().message;
  return store.error().exit_code;
}

TEST_F(OpenTest, a_new_database_is_set_up_as_promised) {
  auto store = open();
  EXPECT_EQ(ask("PRAGMA journal_mode"), "wal");
  EXPECT_EQ(ask("PRAGMA page_size"), "4096");
  EXPECT_EQ(ask("PRAGMA auto_vacuum"), "2");
  EXPECT_EQ(ask("PRAGMA application_id"), std::to_string(application_id));
  EXPECT_EQ(ask("PRAGMA user_version"), std::to_string(migrations().size()));
  EXPECT_EQ(ask("SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND strict = 0 "
                "AND type = 'table' AND name NOT LIKE 'sqlite_%'"),
            "0");
}

TEST_F(OpenTest, a_second_daemon_is_refused_and_told_the_pid) {
  auto first = open();
  std::string message;
  EXPECT_EQ(refusal(path(), &message), ExitCode::temporary);
  EXPECT_NE(message.find("pid " + std::to_string(getpid())), std::string::npos) << message;
  first.reset();
  EXPECT_EQ(refusal(path()), ExitCode::ok);
}

TEST_F(OpenTest, a_second_daemon_is_refused_under_another_name_of_the_file) {
  auto first = open();
  std::filesystem::create_symlink(path(), path("alias.db"));
  EXPECT_EQ(refusal(path("alias.db")), ExitCode::temporary);
}

TEST_F(OpenTest, the_holder_can_be_asked_for) {
  EXPECT_EQ(daemon_pid(path()), std::nullopt);
  auto store = open();
  EXPECT_EQ(daemon_pid(path()), getpid());
  store.reset();
  EXPECT_EQ(daemon_pid(path()), std::nullopt);
}

TEST_F(OpenTest, a_file_that_is_no_database_is_refused_and_left_alone) {
  const std::string garbage(10'000, 'x');
  write_file("pollux.db", garbage);
  EXPECT_EQ(refusal(path()), ExitCode::bad_data);
  std::ifstream file(path(), std::ios::binary);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), garbage);
}

TEST_F(OpenTest, the_database_of_another_program_is_refused) {
  ask("CREATE TABLE t (x)");
  {
    Result<Connection> other = Connection::open(path(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    ASSERT_TRUE(other.ok());
    ASSERT_TRUE(other->execute("CREATE TABLE t (x)").ok());
  }
  EXPECT_EQ(refusal(path()), ExitCode::bad_data);
  EXPECT_EQ(ask("SELECT count(*) FROM sqlite_schema"), "1");
}

TEST_F(OpenTest, an_empty_file_becomes_a_database) {
  write_file("pollux.db", "");
  EXPECT_EQ(refusal(path()), ExitCode::ok);
}

TEST_F(OpenTest, a_newer_schema_is_refused) {
  open().reset();
  ask("PRAGMA user_version = 99");
  ask("UPDATE meta SET value = '99' WHERE key = 'schema_version'");
  std::string message;
  EXPECT_EQ(refusal(path(), &message), ExitCode::bad_data);
  EXPECT_NE(message.find("newer"), std::string::npos) << message;
  EXPECT_FALSE(Reader::open(path()).ok());
}

TEST_F(OpenTest, a_folder_is_refused_and_nothing_is_left_beside_it) {
  std::filesystem::create_directory(path("folder"));
  EXPECT_EQ(refusal(path("folder")), ExitCode::cannot_create);
  EXPECT_FALSE(std::filesystem::exists(path("folder-lock")));
}

TEST_F(OpenTest, a_missing_folder_is_refused_with_the_cure) {
  std::string message;
  EXPECT_EQ(refusal(path("nowhere/pollux.db"), &message), ExitCode::cannot_create);
  EXPECT_NE(message.find("create"), std::string::npos) << message;
}

TEST_F(OpenTest, no_name_is_refused) {
  EXPECT_EQ(refusal(""), ExitCode::cannot_create);
}

// Root may write everywhere, so the question is put by a child that gives its rights up.
int refusal_without_rights(const std::string& path) {
  const pid_t child = fork();
  if (child == 0) {
    if (geteuid() == 0 && seteuid(65534) != 0) _exit(99);
    _exit(static_cast<int>(refusal(path)));
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

TEST_F(OpenTest, a_folder_that_may_not_be_written_to_is_refused) {
  std::filesystem::permissions(folder_, std::filesystem::perms(0555));
  EXPECT_EQ(refusal_without_rights(path()), static_cast<int>(ExitCode::cannot_create));
}

TEST_F(OpenTest, a_database_that_may_not_be_written_to_is_refused) {
  open().reset();
  std::filesystem::permissions(path(), std::filesystem::perms(0444));
  std::filesystem::permissions(path("pollux.db-lock"), std::filesystem::perms(0666));
  std::filesystem::permissions(folder_, std::filesystem::perms(0555));
  EXPECT_EQ(refusal_without_rights(path()), static_cast<int>(ExitCode::cannot_create));
}

std::string clean_stop(const std::string& path) {
  const Result<Connection> connection = Connection::open(path, SQLITE_OPEN_READWRITE);
  return *connection->text("SELECT value FROM meta WHERE key = 'clean_stop'");
}

TEST_F(OpenTest, only_what_finished_counts_as_a_clean_stop) {
  auto store = open();
  EXPECT_EQ(clean_stop(path()), "") << "nothing has been written yet";
  ASSERT_TRUE(store->reconcile(pages_of({"a"}), at_ms(noon)).ok());
  EXPECT_EQ(clean_stop(path()), "0");
  ASSERT_TRUE(store->finish().ok());
  store.reset();
  EXPECT_EQ(clean_stop(path()), "1");
  store = open();
  ASSERT_TRUE(store->reconcile(pages_of({"b"}), at_ms(noon)).ok());
  store.reset();
  EXPECT_EQ(clean_stop(path()), "0") << "a start that failed";
}

TEST_F(OpenTest, nothing_is_written_to_a_file_that_the_check_of_the_start_finds_damaged) {
  auto store = open();
  ASSERT_TRUE(store->reconcile(numbered_pages(5'000), at_ms(noon)).ok());
  ASSERT_TRUE(store->finish().ok());
  store.reset();
  ask("PRAGMA wal_checkpoint(TRUNCATE)");
  {
    std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
    // Among the pages' rows, far behind the schema.
    file.seekp(static_cast<std::streamoff>(std::filesystem::file_size(path()) / 4096 / 2 * 4096));
    file << std::string(20 * 4096, '\x5a');
  }
  std::ifstream file(path(), std::ios::binary);
  const std::string before(std::istreambuf_iterator<char>(file), {});
  store = open();  // reading goes on beside the check
  ASSERT_NE(store, nullptr);
  const auto refused = store->reconcile(numbered_pages(5'001), at_ms(noon));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().exit_code, ExitCode::bad_data);
  EXPECT_TRUE(store->damaged());
  store.reset();
  std::ifstream again(path(), std::ios::binary);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(again), {}), before);
  EXPECT_EQ(refusal(path()), ExitCode::bad_data)
      << "the next start is told, and there is no backup";
}

TEST_F(OpenTest, a_header_that_lies_about_the_schema_is_damage) {
  auto store = open();
  ASSERT_TRUE(store->reconcile(pages_of({"a"}), at_ms(noon)).ok());
  store.reset();
  ask("PRAGMA user_version = 3");
  std::string message;
  EXPECT_EQ(refusal(path(), &message), ExitCode::bad_data);
  EXPECT_NE(message.find("header"), std::string::npos) << message;
}

TEST_F(OpenTest, the_log_files_stay_after_a_clean_stop_so_that_others_may_read) {
  auto store = open();
  ASSERT_TRUE(store->reconcile(pages_of({"a"}), at_ms(noon)).ok());
  ASSERT_TRUE(store->finish().ok());
  store.reset();
  EXPECT_TRUE(std::filesystem::exists(path("pollux.db-wal")));
  EXPECT_EQ(std::filesystem::file_size(path("pollux.db-wal")), 0U);
}

TEST_F(OpenTest, a_lock_file_that_is_a_link_is_refused_and_its_target_left_alone) {
  write_file("precious", "do not touch");
  std::filesystem::create_symlink(path("precious"), path("pollux.db-lock"));
  EXPECT_EQ(refusal(path()), ExitCode::cannot_create);
  std::ifstream file(path("precious"));
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "do not touch");
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(OpenTest, a_file_of_somebody_else_in_the_locks_place_is_left_alone) {
  write_file("pollux.db-lock", "a note of mine");
  EXPECT_EQ(refusal(path()), ExitCode::cannot_create);
  std::filesystem::remove(path("pollux.db-lock"));
  write_file("precious", "123");
  std::filesystem::create_hard_link(path("precious"), path("pollux.db-lock"));
  EXPECT_EQ(refusal(path()), ExitCode::cannot_create);
  EXPECT_EQ(std::filesystem::file_size(path("precious")), 3U);
}

TEST_F(OpenTest, a_file_that_was_cut_to_nothing_is_restored) {
  auto store = open();
  ASSERT_TRUE(store->reconcile(pages_of({"a", "b"}), at_ms(noon)).ok());
  ASSERT_TRUE(back_up(path(), {}, at_ms(noon)).ok());
  ASSERT_TRUE(store->finish().ok());
  store.reset();
  std::filesystem::resize_file(path(), 0);
  store = open();
  EXPECT_EQ(load(*store).size(), 2U);
}

TEST_F(OpenTest, a_migration_makes_a_backup_and_keeps_everything) {
  auto store = open();
  ASSERT_TRUE(store->reconcile(pages_of({"a", "b"}), at_ms(noon)).ok());
  store.reset();
  std::vector<Migration> steps(migrations().begin(), migrations().end());
  steps.push_back({"extra", "ALTER TABLE page ADD COLUMN extra TEXT"});
  {
    Result<Connection> connection = Connection::open(path(), SQLITE_OPEN_READWRITE);
    ASSERT_TRUE(connection.ok());
    const Result<Identity> identity = identify(*connection, steps.size());
    ASSERT_TRUE(identity.ok());
    const Status migrated = migrate(*connection, *identity, steps);
    ASSERT_TRUE(migrated.ok()) << migrated.error().message;
  }
  EXPECT_EQ(ask("PRAGMA user_version"), std::to_string(steps.size()));
  EXPECT_EQ(ask("SELECT count(extra IS NULL) FROM page"), "2");
  const std::size_t before = migrations().size();
  Result<Connection> backup =
      Connection::open(path("pollux.db.backup-v" + std::to_string(before)), SQLITE_OPEN_READONLY);
  ASSERT_TRUE(backup.ok());
  EXPECT_EQ(*backup->integer("PRAGMA user_version"), static_cast<std::int64_t>(before));
  EXPECT_EQ(*backup->integer("SELECT count(*) FROM page"), 2);
}

TEST_F(OpenTest, hashes_of_0_1_0_are_those_of_bytes) {
  open().reset();  // the settings of the file
  std::filesystem::remove(path());
  const std::string hash(64, 'a');
  {
    Result<Connection> connection =
        Connection::open(path(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    ASSERT_TRUE(connection.ok());
    const std::span<const Migration> of_0_1_0 = migrations().subspan(0, 6);
    const Result<Identity> identity = identify(*connection, of_0_1_0.size());
    ASSERT_TRUE(identity.ok());
    ASSERT_TRUE(migrate(*connection, *identity, of_0_1_0).ok());
    ASSERT_TRUE(connection
                    ->execute("INSERT INTO page (url, host, slot, added_at, state, importance, "
                              "min_interval_ms, max_interval_ms, polls, content_hash, body_bytes) "
                              "VALUES ('https://example.org/a', 'example.org:443', 0, 1, 'active', "
                              "1, 5000, 86400000, 3, '" +
                              hash + "', 9)")
                    .ok());
  }
  auto store = open();
  const PageProgress read = load(*store)["a"].progress;
  EXPECT_EQ(read.body_hash, hash);
  EXPECT_EQ(read.content_hash, "");
  EXPECT_EQ(read.polls, 3);
  EXPECT_EQ(read.body_bytes, 9);
}

// SQLite keeps a shared lock on an open database. A process loses it when it closes any descriptor
// of the file, and the next one that opens it would remove the log.
TEST_F(OpenTest, a_new_database_and_a_known_one_stay_locked_for_other_processes) {
  for (int start = 0; start < 2; ++start) {
    const auto store = open();
    const std::string file = path();
    const pid_t child = fork();
    if (child == 0) {
      const int descriptor = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
      struct flock question {};
      question.l_type = F_WRLCK;
      question.l_whence = SEEK_SET;
      question.l_start = 0x40000002;  // SQLite's shared locks
      question.l_len = 510;
      const bool asked = descriptor >= 0 && fcntl(descriptor, F_GETLK, &question) == 0;
      _exit(asked && question.l_type != F_UNLCK ? 0 : 1);
    }
    int status = 1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << (start == 0 ? "a new one" : "a known one");
  }
}

TEST_F(OpenTest, a_migration_that_fails_changes_nothing) {
  open().reset();
  std::vector<Migration> steps(migrations().begin(), migrations().end());
  steps.push_back({"half", "CREATE TABLE half (x); CREATE TABLE page (x)"});
  {
    Result<Connection> connection = Connection::open(path(), SQLITE_OPEN_READWRITE);
    ASSERT_TRUE(connection.ok());
    const Status failed = migrate(*connection, *identify(*connection, steps.size()), steps);
    ASSERT_FALSE(failed.ok());
    EXPECT_TRUE(failed.error().message.ends_with("(migration half)")) << failed.error().message;
  }
  EXPECT_EQ(ask("PRAGMA user_version"), std::to_string(migrations().size()));
  EXPECT_EQ(ask("SELECT count(*) FROM sqlite_schema WHERE name = 'half'"), "0");
}

}  // namespace
}  // namespace pollux::store

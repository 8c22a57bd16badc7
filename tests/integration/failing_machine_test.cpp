// The whole program on a machine that fails it: a full disk, no descriptors left, a clock that
// jumps, a reader that stays, a damaged database.
#include "integration/notify_socket.hpp"
#include "integration/running_daemon.hpp"
#include "pollux/store/backup.hpp"
#include "pollux/store/store.hpp"
#include "store/sqlite.hpp"
#include "support/behaviours.hpp"
#include "support/origin.hpp"
#include "support/shifted_wall_clock.hpp"
#include "support/small_disk.hpp"

#include <algorithm>
#include <atomic>

#include <sys/resource.h>

namespace pollux::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class FailingMachine : public RunningDaemon {
 protected:
  Finished pollux(std::vector<std::string> arguments) {
    const fs::path place = folder_ / "command";
    fs::create_directories(place);
    return Program(POLLUX_BINARY, place, std::move(arguments)).wait();
  }
  // A daemon whose database is on the SmallDisk; it has found changes of /old.
  void watch_on_small_disk(Origin& origin, NotifySocket& manager) {
    database_file_ = "disk/test.db";
    origin.otherwise(serve::changing_page());
    configure({origin.url("/old")}, "50");
    start({{"NOTIFY_SOCKET", manager.path()}});
    ASSERT_TRUE(eventually([&] { return progress(origin.url("/old")).changes >= 2; }));
  }
  // Seconds of processor time the daemon has used.
  double cpu_seconds() const {
    std::ifstream file("/proc/" + std::to_string(daemon_->pid()) + "/stat");
    std::string word;
    double ticks = 0;
    for (int field = 1; file >> word; ++field) {
      if (field == 14 || field == 15) ticks += std::stod(word);
    }
    return ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
  }
};

TEST_F(FailingMachine, a_full_disk_stops_nothing_is_told_and_costs_nothing) {
  SmallDisk disk(folder_ / "disk");
  if (!disk.mounted()) GTEST_SKIP() << "mounting a small disk needs root";
  database_file_ = "disk/test.db";
  Origin origin;
  origin.on("/moving", serve::changing_page());
  origin.otherwise(serve::page("still"));
  std::vector<std::string> urls{origin.url("/moving")};
  for (int i = 0; i < 20; ++i) urls.push_back(origin.url("/" + std::to_string(i)));
  configure(urls, "100");
  NotifySocket manager((folder_ / "notify").string());
  start({{"NOTIFY_SOCKET", manager.path()}, {"WATCHDOG_USEC", "1500000"}});
  ASSERT_TRUE(eventually([&] { return progress(origin.url("/moving")).changes >= 2; }));

  disk.fill();
  ASSERT_TRUE(logged("cannot write the database"));
  ASSERT_TRUE(eventually([&] { return manager.has("STATUS=ALERT: cannot write the database"); }));
  const std::size_t asked = origin.requests();
  ASSERT_TRUE(eventually([&] { return origin.requests() > asked + 100; })) << "polling goes on";
  const Finished status = pollux({"status", "--database", database()});
  EXPECT_NE(status.out.find("ALERT"), std::string::npos) << status.out;
  EXPECT_NE(status.out.find("make room on the disk"), std::string::npos) << status.out;
  EXPECT_EQ(pollux({"status", "--check", "--database", database()}).exit_code, 69);
  manager.forget();
  EXPECT_TRUE(eventually([&] { return manager.has("WATCHDOG=1"); })) << "trying is not hanging";

  const auto room_at = std::chrono::steady_clock::now();
  disk.make_room();
  ASSERT_TRUE(logged("can be written again; nothing was lost"));
  EXPECT_LE(std::chrono::steady_clock::now() - room_at, 10s);
  ASSERT_TRUE(eventually([&] { return manager.has("STATUS=watching"); }));
  EXPECT_EQ(pollux({"status", "--database", database()}).out.find("ALERT"), std::string::npos);
  const Finished finished = stop();
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  const store::PageProgress moving = progress(origin.url("/moving"));
  EXPECT_EQ(moving.changes, moving.polls - 1) << "all but the baseline";
  EXPECT_EQ(reader()->changes({.url = origin.url("/moving"), .limit = 0})->size(),
            static_cast<std::size_t>(moving.changes));
}

TEST_F(FailingMachine, a_reload_on_a_full_disk_waits_says_so_and_is_applied_when_there_is_room) {
  SmallDisk disk(folder_ / "disk");
  if (!disk.mounted()) GTEST_SKIP() << "mounting a small disk needs root";
  Origin origin;
  NotifySocket manager((folder_ / "notify").string());
  ASSERT_NO_FATAL_FAILURE(watch_on_small_disk(origin, manager));
  disk.fill();
  ASSERT_TRUE(eventually([&] { return manager.has("STATUS=ALERT: cannot write the database"); }));
  manager.forget();
  configure({origin.url("/new")}, "50");
  daemon_->send(SIGHUP);
  ASSERT_TRUE(logged("the reload waits"));
  ASSERT_TRUE(eventually(
      [&] { return manager.has("; a reload waits until the database can be written"); }));
  EXPECT_LT(manager.heard().find("RELOADING=1"), manager.heard().find("READY=1"));
  configure({origin.url("/new")}, "-1");
  daemon_->send(SIGHUP);
  ASSERT_TRUE(logged("reload refused")) << "a bad file is refused at once";
  const std::size_t asked = origin.requests("/old");
  ASSERT_TRUE(eventually([&] { return origin.requests("/old") > asked + 20; }));
  EXPECT_EQ(origin.requests("/new"), 0u);

  configure({origin.url("/new")}, "50");
  manager.forget();
  disk.make_room();
  ASSERT_TRUE(logged("changed; watching 1 page on 1 host")) << "without another signal";
  ASSERT_TRUE(eventually([&] { return progress(origin.url("/new")).changes >= 2; }));
  ASSERT_TRUE(eventually([&] { return manager.has("READY=1\nSTATUS=watching"); }));
  EXPECT_EQ(stop().exit_code, 0);
  EXPECT_EQ(reader()->page(origin.url("/old"))->state, "removed");
}

// The signal comes first, the trouble is noticed while the list waits for the writer.
TEST_F(FailingMachine, a_reload_that_meets_a_full_disk_is_answered_and_works_when_there_is_room) {
  SmallDisk disk(folder_ / "disk");
  if (!disk.mounted()) GTEST_SKIP() << "mounting a small disk needs root";
  Origin origin;
  NotifySocket manager((folder_ / "notify").string());
  ASSERT_NO_FATAL_FAILURE(watch_on_small_disk(origin, manager));
  configure({origin.url("/new")}, "50");
  manager.forget();
  disk.fill();
  daemon_->send(SIGHUP);
  ASSERT_TRUE(eventually([&] { return manager.has("READY=1"); })) << "it waits, or is refused";
  ASSERT_TRUE(logged("cannot write the database"));
  disk.make_room();
  ASSERT_TRUE(logged("can be written again"));
  daemon_->send(SIGHUP);
  ASSERT_TRUE(eventually([&] { return progress(origin.url("/new")).changes >= 2; }));
  EXPECT_EQ(stop().exit_code, 0);
}

TEST_F(FailingMachine, a_disk_that_is_full_at_the_start_refuses_with_74) {
  SmallDisk disk(folder_ / "disk");
  if (!disk.mounted()) GTEST_SKIP() << "mounting a small disk needs root";
  database_file_ = "disk/test.db";
  configure({"http://127.0.0.1:2/"}, "1");
  disk.fill();
  start();
  const Finished finished = daemon_->wait();
  EXPECT_EQ(finished.exit_code, 74) << finished.err;
}

TEST_F(FailingMachine, without_descriptors_polls_end_as_errors_and_come_back_when_there_are_some) {
  if (sanitizer_needs_descriptors) GTEST_SKIP() << "a sanitizer needs descriptors of its own";
  Origin origin;
  std::atomic<bool> silent{false};
  origin.otherwise([&](Exchange& x) -> Step {
    if (silent) co_return co_await x.wait_for_close();
    co_await x.respond(200, "", "here");
  });
  std::vector<std::string> urls;
  for (int i = 0; i < 400; ++i) urls.push_back(origin.url("/" + std::to_string(i)));
  configure(urls, "60", "defaults: { timeout: 4s }\n");
  // Enough for the program itself and some twenty connections.
  daemon_ = std::make_unique<Program>(
      "/bin/sh", folder_,
      std::vector<std::string>{"-c", "ulimit -n 40; exec \"$0\" run --config \"$1\"", POLLUX_BINARY,
                               (folder_ / "pollux.yaml").string()});
  const auto count = [&](const std::string& error_part) {
    const auto open = reader();
    if (!open) return std::size_t{0};
    const auto pages = open->pages({.limit = 0});
    std::size_t found = 0;
    if (!pages.ok()) return found;
    for (const store::PageRow& page : *pages) {
      found +=
          page.progress.polls > 0 &&
          (error_part.empty() ? page.progress.last_error.empty()
                              : page.progress.last_error.find(error_part) != std::string::npos);
    }
    return found;
  };
  // It answers at first: a host that never did gets a few fetches only.
  ASSERT_TRUE(eventually([&] { return origin.requests() > 8; })) << daemon_->text("err");
  silent = true;
  ASSERT_TRUE(eventually([&] { return count("no descriptor left") >= 5; })) << daemon_->text("err");
  const double used = cpu_seconds();
  std::this_thread::sleep_for(1s);
  EXPECT_LT(cpu_seconds() - used, 0.7) << "it does not spin";
  silent = false;
  EXPECT_TRUE(eventually([&] { return count("") >= 50; }));
  EXPECT_EQ(stop().exit_code, 0);
}

TEST_F(FailingMachine, a_clock_that_jumps_a_day_either_way_disturbs_nothing) {
  ShiftedWallClock clock(folder_ / "clock");
  const auto environment = clock.environment(SHIFTED_CLOCK);
  Origin origin;
  origin.otherwise(serve::changing_page());
  std::vector<std::string> urls;
  for (int i = 0; i < 10; ++i) urls.push_back(origin.url("/" + std::to_string(i)));
  configure(urls, "40");
  const auto polled_on = [&] {
    const std::size_t asked = origin.requests();
    return eventually([&] { return origin.requests() >= asked + 60; });
  };
  start(environment);
  ASSERT_TRUE(polled_on());
  clock.shift(24h);
  ASSERT_TRUE(polled_on());
  clock.shift(-24h);
  ASSERT_TRUE(polled_on());
  clock.shift(24h);
  ASSERT_TRUE(polled_on());
  EXPECT_EQ(stop().exit_code, 0);
  clock.shift(-24h);  // everything in the database lies ahead now
  start(environment);
  ASSERT_TRUE(polled_on());
  EXPECT_EQ(stop().exit_code, 0);

  const std::vector<SteadyTime> arrivals = origin.arrivals();
  // One request at a time may be under way to the host, so one sent earlier may arrive within.
  for (std::size_t last = 42; last < arrivals.size(); ++last) {
    ASSERT_GE(arrivals[last] - arrivals[last - 42], 1s) << "no second holds more than 41 and one";
  }
  const auto changes = reader()->changes({.limit = 0});
  ASSERT_TRUE(changes.ok());
  for (const store::ChangeView& change : *changes) {
    EXPECT_LE(change.row.previous_poll_at, change.row.found_at);
    EXPECT_LE(change.row.found_at - change.row.previous_poll_at, 1h) << "not a day long";
  }
  const auto [earliest, latest] =
      std::ranges::minmax(*changes, {}, [](const auto& change) { return change.row.found_at; });
  EXPECT_GE(latest.row.found_at - earliest.row.found_at, 47h) << "it saw the jumps";
}

TEST_F(FailingMachine, a_reader_that_keeps_a_transaction_open_does_not_stop_it) {
  Origin origin;
  origin.otherwise(serve::changing_page());
  configure({origin.url("/")}, "50");
  start();
  ASSERT_TRUE(eventually([&] { return progress(origin.url("/")).changes >= 1; }));
  auto holder = store::Connection::open(database(), SQLITE_OPEN_READONLY);
  ASSERT_TRUE(holder->execute("BEGIN; SELECT count(*) FROM page").ok());
  const std::int64_t then = progress(origin.url("/")).changes;
  EXPECT_TRUE(eventually([&] { return progress(origin.url("/")).changes >= then + 20; }));
  EXPECT_EQ(stop().exit_code, 0) << "nor its end";
}

TEST_F(FailingMachine, a_damaged_database_is_replaced_by_its_backup_and_polling_begins) {
  Origin origin;
  origin.otherwise(serve::changing_page());
  configure({origin.url("/")}, "50",
            "defaults: { min_interval: 0s }\nstorage: { backup_every: 200ms, backup_keep: 2 }\n");
  start();
  ASSERT_TRUE(logged("backed up to"));
  EXPECT_EQ(stop().exit_code, 0);
  std::ofstream(database(), std::ios::binary) << std::string(20'000, 'x');
  // A backup that was being made at the stop leaves a log from which all would be restored.
  std::filesystem::remove(database() + "-wal");
  start();
  ASSERT_TRUE(logged("was damaged"));
  const std::size_t asked = origin.requests();
  EXPECT_TRUE(eventually([&] { return origin.requests() > asked + 5; }));
  EXPECT_EQ(stop().exit_code, 0);
  EXPECT_GE(progress(origin.url("/")).changes, 1) << "history came back";
}

// Indexes and tables that disagree: SQLite reads and writes on, a full check alone sees it.
TEST_F(FailingMachine, damage_that_only_a_full_check_sees_ends_it_and_the_next_start_recovers) {
  Origin origin;
  origin.otherwise(serve::changing_page());
  configure({origin.url("/a"), origin.url("/b")}, "50",
            "defaults: { min_interval: 0s }\nstorage: { backup_every: 200ms, backup_keep: 1 }\n");
  start();
  ASSERT_TRUE(logged("backed up to"));
  ASSERT_TRUE(logged("the database is sound"));
  EXPECT_EQ(stop().exit_code, 0);
  {
    auto file = store::Connection::open(database(), SQLITE_OPEN_READWRITE);
    ASSERT_TRUE(file->execute("PRAGMA writable_schema = ON; CREATE TABLE kept AS SELECT * FROM "
                              "sqlite_schema WHERE name = 'change_by_page'; DELETE FROM "
                              "sqlite_schema WHERE name = 'change_by_page'")
                    .ok());
  }
  {
    auto file = store::Connection::open(database(), SQLITE_OPEN_READWRITE);
    ASSERT_TRUE(file->execute("UPDATE change SET found_at = found_at + 1; PRAGMA writable_schema = "
                              "ON; INSERT INTO sqlite_schema SELECT * FROM kept; DROP TABLE kept")
                    .ok());
  }
  start();
  const Finished finished = daemon_->wait();
  EXPECT_EQ(finished.exit_code, 74) << finished.err;
  EXPECT_NE(finished.err.find("the database is damaged"), std::string::npos) << finished.err;
  start();
  ASSERT_TRUE(logged("took its place"));
  ASSERT_TRUE(logged("the database is sound"));
  const std::size_t asked = origin.requests();
  EXPECT_TRUE(eventually([&] { return origin.requests() > asked + 5; }));
  EXPECT_EQ(stop().exit_code, 0);
}

TEST_F(FailingMachine, a_log_that_a_reader_keeps_from_shrinking_is_told_with_its_name) {
  Origin origin;
  origin.otherwise(serve::changing_page());
  configure({origin.url("/")}, "50");
  start();
  ASSERT_TRUE(eventually([&] { return progress(origin.url("/")).changes >= 1; }));
  auto holder = store::Connection::open(database(), SQLITE_OPEN_READONLY);
  ASSERT_TRUE(holder->execute("BEGIN; SELECT count(*) FROM page").ok());
  {
    auto filler = store::Connection::open(database(), SQLITE_OPEN_READWRITE);
    sqlite3_busy_timeout(filler->handle(), 60'000);
    ASSERT_TRUE(filler
                    ->execute("PRAGMA wal_autocheckpoint = 0; CREATE TABLE filler (x); "
                              "INSERT INTO filler VALUES (zeroblob(70000000)); DROP TABLE filler")
                    .ok());
  }
  EXPECT_TRUE(logged("the database's log has grown to"));
  EXPECT_TRUE(logged("process " + std::to_string(getpid()) + " ("));
  EXPECT_EQ(stop().exit_code, 0);
}

// What happens to its files while it runs.
class TakenAway : public FailingMachine {
 protected:
  void watch() {
    origin_.otherwise(serve::changing_page());
    configure({origin_.url("/")}, "50");
    start();
    ASSERT_TRUE(eventually([&] { return progress(origin_.url("/")).changes >= 3; }));
    ASSERT_TRUE(logged("watching"));
  }
  // Every change that was reported is in the database.
  void expect_nothing_lost() {
    const std::string said = daemon_->text("err");
    std::size_t reported = 0;
    for (std::size_t at = said.find("changed: "); at != std::string::npos;
         at = said.find("changed: ", at + 1)) {
      ++reported;
    }
    const Finished finished = stop();
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    const auto changes = reader()->changes({.limit = 0});
    ASSERT_TRUE(changes.ok());
    EXPECT_GE(changes->size(), reported);
    const store::PageProgress page = progress(origin_.url("/"));
    EXPECT_EQ(page.changes, page.polls - 1) << "all but the baseline";
  }
  Origin origin_;
};

TEST_F(TakenAway, a_deleted_database_is_put_back_and_nothing_is_lost) {
  ASSERT_NO_FATAL_FAILURE(watch());
  for (const char* part : {"", "-wal", "-shm"}) fs::remove(database() + part);
  ASSERT_TRUE(logged("files of the database were deleted"));
  ASSERT_TRUE(logged("copied back to its place"));
  const std::int64_t then = progress(origin_.url("/")).changes;
  EXPECT_GE(then, 3);
  EXPECT_TRUE(eventually([&] { return progress(origin_.url("/")).changes > then + 5; }));
  expect_nothing_lost();
}

TEST_F(TakenAway, a_deleted_log_is_noticed_too) {
  ASSERT_NO_FATAL_FAILURE(watch());
  fs::remove(database() + "-wal");
  ASSERT_TRUE(logged("copied back to its place"));
  expect_nothing_lost();
}

TEST_F(TakenAway, a_database_deleted_just_before_the_end_is_put_back_too) {
  ASSERT_NO_FATAL_FAILURE(watch());
  for (const char* part : {"", "-wal", "-shm"}) fs::remove(database() + part);
  expect_nothing_lost();
}

TEST_F(TakenAway, a_deleted_lock_file_is_made_anew_and_a_second_daemon_is_refused) {
  ASSERT_NO_FATAL_FAILURE(watch());
  fs::remove(database() + "-lock");
  ASSERT_TRUE(logged("the lock file was made anew"));
  const Finished second = pollux({"run", "--config", (folder_ / "pollux.yaml").string()});
  EXPECT_EQ(second.exit_code, 75) << second.err;
  expect_nothing_lost();
}

TEST_F(TakenAway, another_database_in_its_place_is_left_alone_and_ends_it_with_74) {
  ASSERT_NO_FATAL_FAILURE(watch());
  std::ofstream(folder_ / "other", std::ios::binary) << "somebody else's";
  fs::rename(folder_ / "other", database());
  const auto replaced = std::chrono::steady_clock::now();
  const std::size_t limit = 60;  // seconds; on a machine that is not busy it takes two
  const Finished finished = daemon_->wait();
  EXPECT_LE(std::chrono::steady_clock::now() - replaced, std::chrono::seconds(limit));
  EXPECT_EQ(finished.exit_code, 74) << finished.err;
  EXPECT_NE(finished.err.find("leaving it alone"), std::string::npos) << finished.err;
  std::ifstream file(database());
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "somebody else's");
  const std::size_t saved = finished.err.find("what was recorded is in ");
  ASSERT_NE(saved, std::string::npos) << finished.err;
  std::string name = finished.err.substr(saved + 24);
  name = name.substr(0, name.find('\n'));
  auto copy = store::Reader::open(name);
  ASSERT_TRUE(copy.ok()) << name;
  EXPECT_GE((*copy)->page(origin_.url("/"))->progress.changes, 3);
}

// As `cp other.db pollux.db` does it: the file is the same, what it holds is not.
TEST_F(TakenAway, a_database_overwritten_in_place_is_not_written_to_and_ends_it_with_74) {
  ASSERT_NO_FATAL_FAILURE(watch());
  std::string other(std::size_t{64} << 10, 'x');
  std::ofstream(database(), std::ios::binary | std::ios::trunc) << other;
  const Finished finished = daemon_->wait();
  EXPECT_EQ(finished.exit_code, 74) << finished.err;
  EXPECT_NE(finished.err.find("somebody else has written to its files"), std::string::npos)
      << finished.err;
  std::ifstream file(database(), std::ios::binary);
  EXPECT_TRUE(std::string(std::istreambuf_iterator<char>(file), {}) == other);
}

TEST_F(TakenAway, a_log_cut_short_in_place_ends_it_and_the_next_start_goes_on) {
  ASSERT_NO_FATAL_FAILURE(watch());
  EXPECT_EQ(stop().exit_code, 0);  // all of it lies in the database now
  const std::int64_t then = progress(origin_.url("/")).polls;
  start();
  ASSERT_TRUE(eventually([&] { return progress(origin_.url("/")).polls > then + 3; }));
  fs::resize_file(database() + "-wal", 0);
  const Finished finished = daemon_->wait();
  EXPECT_EQ(finished.exit_code, 74) << finished.err;
  start();
  EXPECT_TRUE(eventually([&] { return progress(origin_.url("/")).polls > then + 6; }))
      << daemon_->text("err");
  EXPECT_EQ(stop().exit_code, 0);
}

TEST_F(TakenAway, of_two_daemons_the_one_without_the_lock_file_ends) {
  ASSERT_NO_FATAL_FAILURE(watch());
  // The second daemon's part: it has made a lock file of its own.
  fs::remove(database() + "-lock");
  auto second = store::Store::open(database());
  if (!second.ok()) GTEST_SKIP() << "the first one was quicker: " << second.error().message;
  const Finished finished = daemon_->wait();
  EXPECT_EQ(finished.exit_code, 74) << finished.err;
  EXPECT_NE(finished.err.find("another daemon has its lock"), std::string::npos) << finished.err;
}

TEST_F(FailingMachine, no_core_dump_can_hold_its_secrets) {
  if (sanitizer_needs_descriptors) GTEST_SKIP() << "a sanitizer looks at its process from outside";
  Origin origin;
  origin.otherwise(serve::page("x"));
  configure({origin.url("/")}, "5");
  // Whoever starts it may allow core dumps.
  rlimit before{};
  getrlimit(RLIMIT_CORE, &before);
  if (before.rlim_max == 0) GTEST_SKIP() << "nothing can be dumped here";
  const rlimit all{before.rlim_max, before.rlim_max};
  setrlimit(RLIMIT_CORE, &all);
  start();
  setrlimit(RLIMIT_CORE, &before);
  ASSERT_TRUE(logged("watching"));
  std::ifstream limits("/proc/" + std::to_string(daemon_->pid()) + "/limits");
  const std::string text(std::istreambuf_iterator<char>(limits), {});
  const std::size_t core = text.find("Max core file size");
  ASSERT_NE(core, std::string::npos);
  EXPECT_EQ(text.substr(core + 26, 1), "0") << text.substr(core, 60);
  daemon_->send(SIGQUIT);
  EXPECT_NE(daemon_->wait().exit_code, 0);
  EXPECT_TRUE(std::none_of(
      fs::directory_iterator(folder_), fs::directory_iterator(),
      [](const auto& entry) { return entry.path().filename().string().starts_with("core"); }));
}

struct BadPlace {
  const char* name;
  const char* file;
  int exit_code;
  const char* says;
};

class DatabasePath : public FailingMachine, public testing::WithParamInterface<BadPlace> {};

TEST_P(DatabasePath, is_refused_with_a_cure_and_its_own_exit_code) {
  fs::create_directory(folder_ / "folder");
  std::ofstream(folder_ / "garbage.db") << std::string(9'000, 'g');
  {
    auto newer = store::Connection::open((folder_ / "newer.db").string(),
                                         SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    ASSERT_TRUE(newer
                    ->execute("CREATE TABLE page (id); PRAGMA application_id = 0x506f6c6c; "
                              "PRAGMA user_version = 9999")
                    .ok());
    auto foreign = store::Connection::open((folder_ / "foreign.db").string(),
                                           SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    ASSERT_TRUE(foreign->execute("CREATE TABLE bookmarks (id)").ok());
  }
  database_file_ = GetParam().file;
  configure({"http://127.0.0.1:2/"}, "1");
  start();
  const Finished finished = daemon_->wait();
  daemon_.reset();
  EXPECT_EQ(finished.exit_code, GetParam().exit_code) << finished.err;
  EXPECT_NE(finished.err.find(GetParam().says), std::string::npos) << finished.err;
}

INSTANTIATE_TEST_SUITE_P(, DatabasePath,
                         testing::Values(BadPlace{"a_folder", "folder", 73, "name a file in it"},
                                         BadPlace{"missing", "nowhere/x.db", 73, "create "},
                                         BadPlace{"garbage", "garbage.db", 65, "move it away"},
                                         BadPlace{"newer_schema", "newer.db", 65, "newer Pollux"},
                                         BadPlace{"foreign", "foreign.db", 65, "another program"},
                                         BadPlace{"read_only", "/proc/x.db", 73, "may write"}),
                         [](const testing::TestParamInfo<BadPlace>& place) {
                           return place.param.name;
                         });

}  // namespace
}  // namespace pollux::test

// What a Store is made of, for the files that hold its calls.
#pragma once

#include "pollux/base/thread_owner.hpp"
#include "pollux/store/store.hpp"
#include "store/backup_files.hpp"
#include "store/checkpoints.hpp"
#include "store/lock.hpp"
#include "store/log_readers.hpp"
#include "store/open.hpp"
#include "store/open_files.hpp"
#include "store/rejected_rows.hpp"
#include "store/sqlite.hpp"
#include "store/tidy.hpp"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace pollux::store {

struct StoreStatements {
  Statement share, poll, note, change, node, host, robots, minute, meta, placement, value,
      gone_node, look;
};

struct Store::State {
  DatabaseLock lock;        // outlives the connection
  Checkpoints checkpoints;  // likewise
  Connection connection;
  std::unique_ptr<RunningCheck> check;  // until the first write
  StoreStatements sql;
  ThreadOwner owner;
  Tidying tidying;
  LogReaders log_readers;
  RejectedRows rejected;
  std::vector<const ChangeRow*> dropped_changes;  // of the batch that is being written
  std::vector<std::pair<const ChangeRow*, std::int64_t>> change_ids;  // likewise
  std::shared_ptr<OpenFiles> files;
  const FileRights rights;     // of the database
  const std::string repaired;  // see Store::repaired()
  bool running = false;        // the file says that a daemon writes to it
  std::string damage;

  State(DatabaseLock l, OpenedForWriting opened, StoreStatements s)
      : lock(std::move(l)),
        connection(std::move(opened.connection)),
        check(std::move(opened.check)),
        sql(std::move(s)),
        files(std::make_shared<OpenFiles>(connection.path(), lock.file())),
        rights(rights_of(connection.path())),
        repaired(std::move(opened.repaired)) {
    checkpoints.attach(connection, files.get());
  }

  // Checks every outcome for signs of damage: nothing else here is bad data. SQLite itself cannot
  // be asked any more, when a transaction has been rolled back.
  template <typename Outcome>
  Outcome seen(Outcome outcome) {
    if (!outcome && outcome.error().exit_code == ExitCode::bad_data) {
      note_damage(outcome.error().message);
    }
    return outcome;
  }
  void note_damage(const std::string& found);
  Error damaged_row(const std::string& flaw);
  Status wait_for_check();
  Status examine_files();
  void empty_log();
  Status ready_to_write();
  Status may_write();
  Status reopen();
  // Runs a statement that writes one row; one that will never be taken is dropped.
  template <typename Name>
  Status put(Statement& statement, Name name) {
    const Result<bool> written = rejected.judge(connection, statement.run(), name);
    return written ? success() : written.error();
  }
  Result<Reconciled> reconcile(const std::vector<PageSpec>& pages, WallTime now,
                               const EachPage* each, const Shrinking& allowed);
  Status load_pages(const std::function<void(PageRow&&)>& each);
  Status load_robots(const std::function<void(RobotsRow&&)>& each);
  Result<std::string> meta(const std::string& key);
  Status write_change(PageId page, const ChangeRow& change);
  Status write_poll(const PollRecord& record);
  Status write_note(PageId page, const PageNote& note);
  Status write_all(const Batch& batch, const std::string& policy);
  Result<Written> write(const Batch& batch, const std::string& policy);
  Status write_shares(const Batch& batch);
  Status write_polls(const Batch& batch);
  Status write_nodes(const Batch& batch, const std::string& policy);
  Status write_hosts(const Batch& batch);
  Status write_robots(const Batch& batch);
  Status write_minutes(const Batch& batch);
  Status write_meta(const Batch& batch);
  Status write_placements(const Batch& batch);
  // A transaction of its own around `work`, whose outcome it is.
  template <typename Work>
  auto transact(Keep keep, Work work) -> decltype(work()) {
    owner.check();
    Transaction transaction(connection);
    if (Status begun = transaction.begin_writing(); !begun) return begun.error();
    if (Status allowed = may_write(); !allowed) return allowed.error();
    auto done = work();
    if (!done || keep == Keep::no) return seen(std::move(done));
    if (Status committed = transaction.commit(); !committed) return committed.error();
    running = true;
    return done;
  }
};

}  // namespace pollux::store

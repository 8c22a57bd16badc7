// State in SQLite. The only user of sqlite3.
//
// A Store is the one connection that writes and checkpoints. It holds a lock on the database for
// its life, so a second daemon is refused (ExitCode::temporary). Every call is one transaction;
// after it returns, what it wrote survives kill -9 and power loss (synchronous FULL); a call that
// returns an error has changed nothing and may be repeated. Schema: src/store/README.md.
// Threading: one owner at a time (asserted); the daemon opens it, then gives it to a Writer.
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/store/live.hpp"
#include "pollux/store/options.hpp"
#include "pollux/store/rows.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace pollux::store {

struct Batch {
  std::vector<ShareRow> shares;  // of pages that have not been polled since; polls come after them
  std::vector<PollRecord> polls;
  std::vector<NodeRow> nodes;
  std::vector<HostRow> hosts;
  std::vector<RobotsRow> robots;
  std::vector<MinuteRow> minutes;
  std::vector<std::pair<std::string, std::string>> meta;
  std::vector<PlacementRow> placements;
  std::vector<VersionPut> versions;  // the writer's to keep, before the rest
  std::vector<SuspicionRow> suspicions;
  std::vector<MaskRow> masks;
  std::vector<NoticeRow> notices;
  std::vector<DeliveryChange> deliveries;
  std::optional<std::vector<AccessPointRow>>
      access_points;  // all of them, in place of the old ones
  bool empty() const {
    return shares.empty() && polls.empty() && nodes.empty() && hosts.empty() && robots.empty() &&
           minutes.empty() && meta.empty() && placements.empty() && versions.empty() &&
           suspicions.empty() && masks.empty() && notices.empty() && deliveries.empty() &&
           !access_points;
  }
};

struct OpenOptions {
  std::string backup_directory = {};  // as in BackupOptions
  // The quick check of a start is ended after this long: a huge file on a slow disk must not keep
  // the daemon from starting. The full one follows in the background (Checkups).
  Duration check_may_take = std::chrono::seconds(60);
  // Asked now and then while something takes long, from any thread; true ends it with an error.
  std::function<bool()> cancelled = {};
  // Damage that was met when the file was read: a backup takes its place, whatever a check says.
  std::string known_damage = {};
};

class OpenFiles;

struct Reconciled {
  std::size_t added = 0, revived = 0, updated = 0, removed = 0, active = 0;
  std::size_t before = 0;  // active and paused pages that files listed
};

// How much a list may shrink at once: a file that was cut short looks like a list that shrank.
struct Shrinking {
  static constexpr std::size_t short_list = 20;  // a shorter one may shrink as it likes
  double most = 1;                               // part of the pages that may go
  bool allows(std::size_t removed, std::size_t before) const {
    return before < short_list ||
           static_cast<double>(removed) <= most * static_cast<double>(before) + 1e-6;
  }
};

struct Written {
  // Changes of the batch that are not on disk and never will be; they point into it.
  std::vector<const ChangeRow*> dropped_changes;
  std::vector<std::pair<const ChangeRow*, std::int64_t>> change_ids;  // of the others: their rows
};

class Store {
 public:
  // Creates, migrates (append-only, after a backup) or refuses: bad_data (not a database, another
  // program's, newer schema, damaged), cannot_create (no such folder, a folder, not writable),
  // temporary (another daemon), io. A damaged file is moved aside, and the newest good backup
  // restored; without one it is refused, untouched. A quick check goes on beside what is read
  // next: the first call that writes waits for it, and fails when it found damage.
  static Result<std::unique_ptr<Store>> open(const std::string& path,
                                             const OpenOptions& options = {});
  ~Store();  // without finish() the next start is told that the stop was not a clean one
  // Everything is written. Says so in the file, which is put back if somebody has taken it away.
  Status finish();

  // Makes the list of active pages equal to `pages`: new ones are added, gone ones become 'removed'
  // and keep their history, removed ones that are listed again come back with theirs, options are
  // updated, nothing learnt is lost. A 'paused' page that is listed stays paused. Free slots are
  // given out smallest first, those just freed included. Errors (configuration), which change
  // nothing: a URL that is listed twice, and a list that shrinks by more than is allowed.
  Result<Reconciled> reconcile(const std::vector<PageSpec>& pages, WallTime now,
                               const Shrinking& allowed = {});
  // Likewise, and hands every active page over with its position in `pages`, in one pass: what a
  // start needs. The row may be changed, or taken if another one is left in its place. When an
  // error follows, what was handed over does not count.
  using EachPage = std::function<void(std::unique_ptr<PageRow>& page, std::uint32_t position)>;
  Result<Reconciled> reconcile(const std::vector<PageSpec>& pages, WallTime now,
                               const EachPage& each);

  Status load_pages(const std::function<void(PageRow&&)>& each);  // the active ones, by id
  Result<std::vector<HostRow>> load_hosts();
  // Sorted by host. Those of access points that are no longer configured are kept, unplaced.
  Result<std::vector<PlacementRow>> load_placements();
  Status load_robots(const std::function<void(RobotsRow&&)>& each);  // the latest fetched first
  Status load_masks(const std::function<void(MaskRow&&)>& each);
  // Nodes are kept per policy; changing the policy starts its tree anew and keeps the others'.
  Result<std::vector<NodeRow>> load_nodes(const std::string& policy);
  // Polls of a page that is not in the table are skipped with a warning. A row that a constraint of
  // the table is against would be refused at every attempt: it is dropped, named in the log as an
  // error, and all others are written. Any other failure is one of the whole batch.
  Result<Written> write(const Batch& batch, const std::string& policy);
  Result<std::string> meta(const std::string& key);  // "" when absent

  // Pages that are steered while the daemon runs (live.hpp). Each is one transaction; with Keep::no
  // it is taken back at its end, and the answer says what would have come of it.
  Result<std::vector<ChosenPage>> choose_pages(const PageChoice& choice);  // by id
  Result<std::vector<LiveRow>> load_live();
  // Pages that are there stay as they are; removed ones come back with their history. No more than
  // `most` live ones in all.
  Result<AddedLive> add_live_pages(const std::vector<LivePageSpec>& pages, WallTime now,
                                   std::size_t most, Keep keep);
  // They become 'removed' and keep their history; what was set of them is forgotten.
  Status remove_live_pages(std::span<const PageId> pages, Keep keep);
  // With an end they go on by themselves: at the next reload or start, or when due_pauses() says.
  Status pause_pages(std::span<const PageId> pages, std::optional<WallTime> until, Keep keep);
  Result<std::vector<PageRow>> resume_pages(std::span<const PageId> pages, Keep keep);
  Result<std::vector<PageId>> due_pauses(WallTime now);
  Result<std::optional<WallTime>> next_pause_end();
  // Their options, and what was set of them: empty settings are none. Refused (configuration) when
  // settings of more than `most` pages would be kept.
  Status set_pages(const std::vector<std::pair<PageId, LivePageSpec>>& pages, std::size_t most,
                   Keep keep);
  // The row as it is then. missing_input: there is none.
  Result<DecidedMask> decide_mask(std::int64_t mask, MaskRow::State state);
  // How many were not read before. missing_input, and nothing is done: one of them is not there.
  Result<std::size_t> mark_read(std::span<const std::int64_t> changes, WallTime now);

  // A message that was given up, or waits, is tried now: what it is about. Any delivery of it names
  // it. An error (missing_input) when there is none, or when it has been sent.
  Result<std::string> retry_delivery(std::int64_t delivery, WallTime now);
  // Deliveries that wait for other rules than these are given up; how many.
  Result<std::int64_t> give_up_deliveries(const std::vector<std::string>& rules);
  // What was repaired from a backup when it was opened; "" for nothing.
  const std::string& repaired() const;
  // One small step of deleting what is older than it need be; true when there is more to do.
  Result<bool> tidy(const Retention& keep, WallTime now);
  std::int64_t wal_bytes() const;
  // Who keeps a read transaction open, so that the log cannot shrink: "process 17 (sqlite3)"; ""
  // when it is nobody outside this process, or nobody can tell.
  std::string log_readers();
  // Where `pollux status` finds what cannot be written to the database; "" when all is well.
  void announce(const std::string& alert) const;
  // What damage a call has met, or whoever else has found; "" for none. The next open() checks all
  // of the file, and restores a backup.
  const std::string& damage() const;
  bool damaged() const { return !damage().empty(); }
  void note_damage(const std::string& damage);
  // For who watches over the files; see FileWatch.
  std::shared_ptr<const OpenFiles> files() const;
  // Puts back what was taken away: copies the open database to its place when nothing lies there,
  // moves the log's contents home when the log is gone, makes the lock file anew. What it did, ""
  // for nothing. An error (io): another file lies there, or another daemon has the lock.
  Result<std::string> mend_files();
  // When somebody else has written to the files: an error, and damage, unless they are sound.
  Status examine_files();
  // When another file has the database's name: the open one is saved under a name of its own.
  Result<std::string> rescue(WallTime now);
  // Lets another thread become the owner, at a moment when no thread uses the store.
  void release_owner();

 private:
  struct State;
  explicit Store(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace pollux::store

#include "store/reconcile.hpp"

#include "pollux/base/text.hpp"
#include "store/free_slots.hpp"
#include "store/list_positions.hpp"
#include "store/live_pages.hpp"
#include "store/page_health.hpp"
#include "store/page_row.hpp"

#include <memory>
#include <optional>
#include <string_view>

#include <spdlog/fmt/fmt.h>

namespace pollux::store {
namespace {

// The row of a listed page, as far as the list can differ from it.
struct Known {
  std::int64_t id = 0;
  std::uint32_t position = 0;  // in the list
};

// What has to be done, found by one pass over the table.
struct Plan {
  std::vector<std::int64_t> remove;
  std::vector<Known> revive;
  std::vector<Known> update;
  std::vector<bool> listed;      // position in the list → has a row already
  std::vector<bool> slot_taken;  // by pages that stay
  std::size_t rows = 0;          // in the table
  std::size_t known = 0;         // of the list, in the table already
  std::size_t active = 0;        // among those that stay as they are
  std::size_t paused = 0;        // likewise
  std::size_t live = 0;          // of both: no file's list can lose them
};

Error damaged(const Connection& connection, const std::string& flaw) {
  return {"database " + printable(connection.path()) + ": damaged: " + flaw, ExitCode::bad_data};
}

// The table has no such URL and no such slot, says the pass; an index that has one is damaged.
Status run_row(const Connection& connection, Statement& statement) {
  Status done = statement.run();
  if (done || (sqlite3_errcode(connection.handle()) & 0xff) != SQLITE_CONSTRAINT) return done;
  return damaged(connection, done.error().message);
}

// Columns of the pass: these, then the options, then, if rows are handed over, the progress.
constexpr char plan_columns[] = "id, slot, url, state, added_at, ";
constexpr int first_option = 5;
constexpr std::int64_t most_slots = std::int64_t{1} << 28;

class Planner {
 public:
  Planner(const Connection& connection, const std::vector<PageSpec>& pages,
          const ReconcileHooks& hooks)
      : connection_(connection), pages_(pages), positions_(pages), each_(hooks.each) {
    plan_.listed.resize(pages.size());
  }
  Result<Plan> plan();

 private:
  std::string take(const Cells& row);
  std::string take_slot(std::int64_t id, std::int64_t slot);
  std::string hand_over(const Cells& row, std::uint32_t position);

  const Connection& connection_;
  const std::vector<PageSpec>& pages_;
  ListPositions positions_;
  const Store::EachPage* each_;
  Plan plan_;
  std::unique_ptr<PageRow> page_ = std::make_unique<PageRow>();  // used again for every row
  int first_progress_ = first_option + option_count();
  // Memory is taken for every slot below the largest: a page that is left of a list a multiple of
  // this one gets another one.
  const std::int64_t far_slot_ = 65'536 + 4 * static_cast<std::int64_t>(pages_.size());
};

Result<Plan> Planner::plan() {
  const std::string progress = each_ != nullptr ? ", " + remembered_list() : "";
  std::string flaw;
  const Result<bool> all = connection_.for_each_row((plan_columns + option_list()) + progress,
                                                    "page", [&](const Cells& row) {
                                                      flaw = take(row);
                                                      return flaw.empty();
                                                    });
  if (!all) return all.error();
  if (!flaw.empty()) return damaged(connection_, flaw);
  if (plan_.known == pages_.size()) return std::move(plan_);
  if (const auto twice = positions_.repeated()) {
    return Error{"page " + printable_url(pages_[*twice].url) + " is listed twice; keep one of them",
                 ExitCode::configuration};
  }
  return std::move(plan_);
}

// What is wrong with the row; "" for nothing.
std::string Planner::take(const Cells& row) {
  ++plan_.rows;
  const std::int64_t id = row.integer(0);
  const std::string_view state = row.text(3);
  const bool removed = state == "removed";
  const bool active = state == "active";
  if (!removed && !active && state != "paused") return fmt::format("page {}: {}", id, no_state);
  const std::optional<std::uint32_t> position = positions_.find(row.text(2));
  if (!position) {
    if (!removed) plan_.remove.push_back(id);
    return "";
  }
  if (plan_.listed[*position]) return fmt::format("page {}: another one has its URL", id);
  plan_.listed[*position] = true;
  ++plan_.known;
  if (removed) {
    plan_.revive.push_back({id, *position});
    return "";
  }
  const std::int64_t slot = row.integer(1);
  if (active && slot >= far_slot_ && slot < most_slots) {
    plan_.revive.push_back({id, *position});
    return "";
  }
  if (std::string flaw = take_slot(id, slot); !flaw.empty()) return flaw;
  ++(active ? plan_.active : plan_.paused);
  if (pages_[*position].source == "live") ++plan_.live;
  if (!same_options(row, first_option, pages_[*position])) {
    plan_.update.push_back({id, *position});
    return "";
  }
  return active && each_ != nullptr ? hand_over(row, *position) : "";
}

std::string Planner::take_slot(std::int64_t id, std::int64_t slot) {
  if (slot < 0 || slot >= most_slots) return fmt::format("page {}: its slot is {}", id, slot);
  const auto at = static_cast<std::size_t>(slot);
  std::vector<bool>& taken = plan_.slot_taken;
  if (at >= taken.size()) taken.resize(at + at / 2 + 64);
  if (taken[at]) return fmt::format("page {}: another one has its slot {}", id, slot);
  taken[at] = true;
  return "";
}

std::string Planner::hand_over(const Cells& row, std::uint32_t position) {
  PageRow& page = *page_;
  page.id = PageId(row.integer(0));
  page.slot = PageSlot(static_cast<std::uint32_t>(row.integer(1)));
  page.spec = pages_[position];
  page.state = "active";
  page.added_at = row.time(4).value_or(WallTime{});
  read_remembered(row, first_progress_, page.progress);
  if (std::string flaw = flaw_of(page); !flaw.empty()) return flaw;
  (*each_)(page_, position);
  return "";
}

// Keeping the indexes of URLs and hosts up to date row by row, in random order, costs most of the
// time of a first start with a million pages (five times the rest): for many new rows they are
// dropped and built anew, inside the transaction.
bool rebuild_is_cheaper(std::size_t added, std::size_t already_there) {
  return added > 20'000 && added > already_there;
}

Status remove_pages(const Connection& connection, const Plan& plan) {
  Result<Statement> remove = connection.prepare(
      "UPDATE page SET state = 'removed', slot = NULL, share = 0, next_due_at = NULL, "
      "retry_at = NULL, fresh_until = NULL, paused_until = NULL WHERE id = ?1");
  if (!remove) return remove.error();
  for (const std::int64_t id : plan.remove) {
    if (Status done = remove->bind(1, id).run(); !done) return done;
  }
  return success();
}

// People pause a page by hand, and the share it had stays behind.
Status settle_paused(const Connection& connection) {
  return connection.execute(
      "UPDATE page SET share = 0, next_due_at = NULL WHERE state = 'paused' AND share <> 0");
}

// Pauses that have an end, and are past it.
Status end_pauses(const Connection& connection, WallTime now) {
  Result<Statement> resume = connection.prepare(end_due_pauses);
  if (!resume) return resume.error();
  return resume->bind(1, std::optional(now)).run();
}

// A file lists what was added live: it is the file's now, and as the file says.
Status take_over(const Connection& connection, const Plan& plan,
                 const std::vector<PageSpec>& pages) {
  const Result<std::int64_t> any = connection.integer(
      "SELECT EXISTS (SELECT 1 FROM page WHERE source = 'live' AND "
      "state <> 'removed')");
  if (!any) return any.error();
  if (*any == 0) return success();
  Result<Statement> drop = connection.prepare(
      "DELETE FROM page_override WHERE url = ?1 AND EXISTS (SELECT 1 FROM page WHERE id = ?2 AND "
      "source = 'live')");
  if (!drop) return drop.error();
  for (const Known& known : plan.update) {
    const PageSpec& page = pages[known.position];
    if (page.source == "live") continue;
    drop->bind(1, std::string_view(page.url)).bind(2, known.id);
    if (Status done = drop->run(); !done) return done;
  }
  return success();
}

Status update_pages(const Connection& connection, const Plan& plan,
                    const std::vector<PageSpec>& pages) {
  Result<Statement> update =
      connection.prepare("UPDATE page SET " + option_assignments(2) + " WHERE id = ?1");
  if (!update) return update.error();
  for (const Known& known : plan.update) {
    bind_options(update->bind(1, known.id), 2, pages[known.position]);
    if (Status done = run_row(connection, *update); !done) return done;
  }
  return success();
}

Status revive_pages(const Connection& connection, const Plan& plan,
                    const std::vector<PageSpec>& pages, FreeSlots& slots) {
  Result<Statement> revive = connection.prepare("UPDATE page SET state = 'active', slot = ?2, " +
                                                option_assignments(3) + " WHERE id = ?1");
  if (!revive) return revive.error();
  for (const Known& known : plan.revive) {
    bind_options(revive->bind(1, known.id).bind(2, slots.next()), 3, pages[known.position]);
    if (Status done = run_row(connection, *revive); !done) return done;
  }
  return success();
}

// The id and the slot of a page that was added, by its position in the list.
struct Added {
  std::int64_t id = 0, slot = 0;
  std::uint32_t position = 0;
};

Status add_rows(const Connection& connection, const Plan& plan, const std::vector<PageSpec>& pages,
                FreeSlots& slots, WallTime now, std::vector<Added>& added) {
  Result<Statement> add =
      connection.prepare("INSERT INTO page (url, slot, added_at, state, " + option_list() +
                         ") VALUES (?1, ?2, ?3, 'active', " + option_parameters(4) + ")");
  if (!add) return add.error();
  for (std::size_t position = 0; position < pages.size(); ++position) {
    if (plan.listed[position]) continue;
    const std::int64_t slot = slots.next();
    add->bind(1, std::string_view(pages[position].url))
        .bind(2, slot)
        .bind(3, std::optional<WallTime>(now));
    bind_options(*add, 4, pages[position]);
    if (Status done = run_row(connection, *add); !done) return done;
    added.push_back({sqlite3_last_insert_rowid(connection.handle()), slot,
                     static_cast<std::uint32_t>(position)});
  }
  return success();
}

Status add_pages(const Connection& connection, const Plan& plan, const std::vector<PageSpec>& pages,
                 FreeSlots& slots, WallTime now, std::vector<Added>& added) {
  if (!rebuild_is_cheaper(pages.size() - plan.known, plan.rows)) {
    return add_rows(connection, plan, pages, slots, now, added);
  }
  const Result<std::string> definitions = connection.text(
      "SELECT group_concat(sql, ';') FROM sqlite_schema "
      "WHERE name IN ('page_by_url', 'page_by_host')");
  if (!definitions) return definitions.error();
  if (Status dropped = connection.execute("DROP INDEX page_by_url; DROP INDEX page_by_host");
      !dropped) {
    return dropped;
  }
  if (Status done = add_rows(connection, plan, pages, slots, now, added); !done) return done;
  return connection.execute(*definitions);
}

// Those that the pass could not hand over, because they were about to change.
Status hand_over_changed(const Connection& connection, const Plan& plan,
                         const Store::EachPage& each) {
  Result<Statement> rows = connection.prepare("SELECT " + page_column_list() +
                                              " FROM page WHERE id = ?1 AND state = 'active'");
  if (!rows) return rows.error();
  auto page = std::make_unique<PageRow>();
  for (const std::vector<Known>* changed : {&plan.update, &plan.revive}) {
    for (const Known& known : *changed) {
      rows->bind(1, known.id);
      const Result<bool> row = rows->step();
      if (!row) return row.error();
      if (!*row) continue;  // paused
      read_page(*rows, *page);
      rows->reset();
      if (const std::string flaw = flaw_of(*page); !flaw.empty()) return damaged(connection, flaw);
      each(page, known.position);
    }
  }
  return success();
}

void hand_over_added(const std::vector<Added>& added, const std::vector<PageSpec>& pages,
                     WallTime now, const Store::EachPage& each) {
  auto page = std::make_unique<PageRow>();
  for (const Added& one : added) {
    *page = {};
    page->state = "active";
    page->added_at = now;
    page->id = PageId(one.id);
    page->slot = PageSlot(static_cast<std::uint32_t>(one.slot));
    page->spec = pages[one.position];
    each(page, one.position);
  }
}

}  // namespace

Result<Reconciled> reconcile_pages(const Connection& connection, const std::vector<PageSpec>& pages,
                                   WallTime now, const ReconcileHooks& hooks) {
  Transaction transaction(connection);
  if (Status begun = transaction.begin_writing(); !begun) return begun.error();
  if (Status done = end_pauses(connection, now); !done) return done.error();
  Result<Plan> plan = Planner(connection, pages, hooks).plan();
  if (!plan) return plan.error();
  const std::size_t before = plan->active + plan->paused - plan->live + plan->remove.size();
  const Shrinking& allowed = hooks.allowed;
  if (!allowed.allows(plan->remove.size(), before)) {
    return Error{
        fmt::format("{} of {} pages would be removed, more than reload.max_removed ({:.4g}%) "
                    "allows, because a list that was cut short looks like that; if it is "
                    "meant, set reload.max_removed: 100%, or restart",
                    plan->remove.size(), before, allowed.most * 100),
        ExitCode::configuration};
  }
  FreeSlots slots(std::move(plan->slot_taken));
  std::vector<Added> added;
  // Removals first: their slots are free again for the others.
  if (Status done = remove_pages(connection, *plan); !done) return done.error();
  if (plan->paused > 0) {
    if (Status done = settle_paused(connection); !done) return done.error();
  }
  if (Status done = take_over(connection, *plan, pages); !done) return done.error();
  if (Status done = update_pages(connection, *plan, pages); !done) return done.error();
  if (Status done = revive_pages(connection, *plan, pages, slots); !done) return done.error();
  if (Status done = add_pages(connection, *plan, pages, slots, now, added); !done)
    return done.error();
  if (hooks.each != nullptr) {
    if (Status done = hand_over_changed(connection, *plan, *hooks.each); !done) return done.error();
    hand_over_added(added, pages, now, *hooks.each);
  }
  if (hooks.before_commit) {
    if (Status may = hooks.before_commit(); !may) return may.error();
  }
  if (Status done = transaction.commit(); !done) return done.error();
  return Reconciled{.added = added.size(),
                    .revived = plan->revive.size(),
                    .updated = plan->update.size(),
                    .removed = plan->remove.size(),
                    .active = plan->active + plan->revive.size() + added.size(),
                    .before = before};
}

}  // namespace pollux::store

#include "store/reconcile.hpp"

#include "pollux/base/text.hpp"
#include "store/page_row.hpp"
#include "store/url_index.hpp"

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
};

void take_slot(std::vector<bool>& taken, std::size_t slot) {
  if (slot >= taken.size()) taken.resize(slot + slot / 2 + 64);
  taken[slot] = true;
}

Result<Plan> make_plan(const Connection& connection, const std::vector<PageSpec>& pages) {
  Plan plan;
  UrlIndex index(pages);
  for (std::uint32_t position = 0; position < pages.size(); ++position) {
    if (!index.add(position)) {
      return Error{
          "page " + printable_url(pages[position].url) + " is listed twice; keep one of them",
          ExitCode::bad_data};
    }
  }
  plan.listed.resize(pages.size());
  Result<Statement> rows =
      connection.prepare("SELECT id, url, state, slot, " + option_list() + " FROM page");
  if (!rows) return rows.error();
  while (true) {
    const Result<bool> row = rows->step();
    if (!row) return row.error();
    if (!*row) return plan;
    ++plan.rows;
    const bool removed = rows->text(2) == "removed";
    const std::optional<std::uint32_t> position = index.find(rows->text(1));
    if (!position) {
      if (!removed) plan.remove.push_back(rows->integer(0));
      continue;
    }
    plan.listed[*position] = true;
    ++plan.known;
    if (removed) {
      plan.revive.push_back({rows->integer(0), *position});
      continue;
    }
    take_slot(plan.slot_taken, static_cast<std::size_t>(rows->integer(3)));
    if (!same_options(*rows, 4, pages[*position]))
      plan.update.push_back({rows->integer(0), *position});
    ++(rows->text(2) == "active" ? plan.active : plan.paused);
  }
}

// Hands out the free slots, the smallest first, so that the learner's arrays stay dense.
class FreeSlots {
 public:
  explicit FreeSlots(std::vector<bool> taken) : taken_(std::move(taken)) {}
  std::int64_t next() {
    while (at_ < taken_.size() && taken_[at_]) ++at_;
    return static_cast<std::int64_t>(at_++);
  }

 private:
  std::vector<bool> taken_;
  std::size_t at_ = 0;
};

// Keeping the indexes of URLs and hosts up to date row by row, in random order, costs most of the
// time of a first start with a million pages (five times the rest): for many new rows they are
// dropped and built anew, inside the transaction.
bool rebuild_is_cheaper(std::size_t added, std::size_t already_there) {
  return added > 20'000 && added > already_there;
}

Status remove_pages(const Connection& connection, const Plan& plan) {
  Result<Statement> remove = connection.prepare(
      "UPDATE page SET state = 'removed', slot = NULL, share = 0, next_due_at = NULL, "
      "retry_at = NULL, fresh_until = NULL WHERE id = ?1");
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

Status update_pages(const Connection& connection, const Plan& plan,
                    const std::vector<PageSpec>& pages) {
  Result<Statement> update =
      connection.prepare("UPDATE page SET " + option_assignments(2) + " WHERE id = ?1");
  if (!update) return update.error();
  for (const Known& known : plan.update) {
    bind_options(update->bind(1, known.id), 2, pages[known.position]);
    if (Status done = update->run(); !done) return done;
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
    if (Status done = revive->run(); !done) return done;
  }
  return success();
}

Status add_rows(const Connection& connection, const Plan& plan, const std::vector<PageSpec>& pages,
                FreeSlots& slots, WallTime now) {
  Result<Statement> add =
      connection.prepare("INSERT INTO page (url, slot, added_at, state, " + option_list() +
                         ") VALUES (?1, ?2, ?3, 'active', " + option_parameters(4) + ")");
  if (!add) return add.error();
  for (std::size_t position = 0; position < pages.size(); ++position) {
    if (plan.listed[position]) continue;
    add->bind(1, std::string_view(pages[position].url))
        .bind(2, slots.next())
        .bind(3, std::optional<WallTime>(now));
    bind_options(*add, 4, pages[position]);
    if (Status done = add->run(); !done) return done;
  }
  return success();
}

Status add_pages(const Connection& connection, const Plan& plan, const std::vector<PageSpec>& pages,
                 FreeSlots& slots, WallTime now) {
  if (!rebuild_is_cheaper(pages.size() - plan.known, plan.rows)) {
    return add_rows(connection, plan, pages, slots, now);
  }
  const Result<std::string> definitions = connection.text(
      "SELECT group_concat(sql, ';') FROM sqlite_schema "
      "WHERE name IN ('page_by_url', 'page_by_host')");
  if (!definitions) return definitions.error();
  if (Status dropped = connection.execute("DROP INDEX page_by_url; DROP INDEX page_by_host");
      !dropped) {
    return dropped;
  }
  if (Status done = add_rows(connection, plan, pages, slots, now); !done) return done;
  return connection.execute(*definitions);
}

}  // namespace

Result<Reconciled> reconcile_pages(const Connection& connection, const std::vector<PageSpec>& pages,
                                   WallTime now, const Shrinking& allowed) {
  Transaction transaction(connection);
  if (Status begun = transaction.begin_writing(); !begun) return begun.error();
  Result<Plan> plan = make_plan(connection, pages);
  if (!plan) return plan.error();
  const std::size_t before = plan->active + plan->paused + plan->remove.size();
  if (!allowed.allows(plan->remove.size(), before)) {
    return Error{
        fmt::format("{} of {} pages would be removed, more than reload.max_removed ({:.4g}%) "
                    "allows, because a list that was cut short looks like that; if it is "
                    "meant, set reload.max_removed: 100%, or restart",
                    plan->remove.size(), before, allowed.most * 100),
        ExitCode::configuration};
  }
  FreeSlots slots(std::move(plan->slot_taken));
  // Removals first: their slots are free again for the others.
  if (Status done = remove_pages(connection, *plan); !done) return done.error();
  if (plan->paused > 0) {
    if (Status done = settle_paused(connection); !done) return done.error();
  }
  if (Status done = update_pages(connection, *plan, pages); !done) return done.error();
  if (Status done = revive_pages(connection, *plan, pages, slots); !done) return done.error();
  if (Status done = add_pages(connection, *plan, pages, slots, now); !done) return done.error();
  if (Status done = transaction.commit(); !done) return done.error();
  const std::size_t added = pages.size() - plan->known;
  return Reconciled{.added = added,
                    .revived = plan->revive.size(),
                    .updated = plan->update.size(),
                    .removed = plan->remove.size(),
                    .active = plan->active + plan->revive.size() + added,
                    .before = before};
}

}  // namespace pollux::store

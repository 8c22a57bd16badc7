#include "store/outbox.hpp"

#include <algorithm>
#include <utility>

#include <spdlog/fmt/fmt.h>

namespace pollux::store {
namespace {

constexpr char find_label[] = "SELECT name, tags FROM page WHERE id = ?1";
constexpr char has_wanted_tag[] =
    "SELECT EXISTS (SELECT 1 FROM json_each(CASE WHEN json_valid(?1) THEN ?1 ELSE '[]' END) AS own "
    "JOIN json_each(?2) AS wanted ON own.value = wanted.value)";
// An error that is over before it has lasted long enough to be told; then its end is no news.
constexpr char drop_held_failure[] =
    "UPDATE delivery SET state = 'dropped', last_error = 'over before failing_after' "
    "WHERE rule = ?1 AND state = 'waiting' AND message IS NULL AND not_before > ?3 AND "
    "notification_id IN (SELECT id FROM notification WHERE page_id = ?2 AND event = 'failing')";
constexpr char insert_notice[] =
    "INSERT OR IGNORE INTO notification (page_id, change_id, event, at, since, name, url, tags, "
    "summary, diff, why, link, key) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, "
    "?13)";
constexpr char insert_delivery[] =
    "INSERT INTO delivery (notification_id, rule, not_before) VALUES (?1, ?2, ?3)";

// ?1 message, ?2 rule, ?3 at, ?4 last, next_attempt_at or nothing, ?5 error
constexpr char group_waiting[] =
    "UPDATE delivery SET message = ?1 WHERE rule = ?2 AND state = 'waiting' AND message IS NULL "
    "AND "
    "id <= ?4 AND (not_before IS NULL OR not_before <= ?3)";
constexpr char note_sent[] =
    "UPDATE delivery SET state = 'sent', sent_at = ?3, message = ?1, attempts = attempts + 1, "
    "first_attempt_at = coalesce(first_attempt_at, ?3), next_attempt_at = NULL, last_error = NULL "
    "WHERE (id = ?1 OR message = ?1) AND rule = ?2 AND state = 'waiting'";
constexpr char note_failed[] =
    "UPDATE delivery SET message = ?1, attempts = attempts + 1, "
    "first_attempt_at = coalesce(first_attempt_at, ?3), next_attempt_at = ?4, last_error = ?5 "
    "WHERE (id = ?1 OR message = ?1) AND rule = ?2 AND state = 'waiting'";
constexpr char note_dead[] =
    "UPDATE delivery SET state = 'dead', message = ?1, attempts = attempts + 1, "
    "first_attempt_at = coalesce(first_attempt_at, ?3), next_attempt_at = NULL, last_error = ?5 "
    "WHERE (id = ?1 OR message = ?1) AND rule = ?2 AND state = 'waiting'";

struct PageLabel {
  std::string name, tags;
};

Result<PageLabel> label_of(const Connection& connection, PageId page) {
  if (page == PageId{}) return PageLabel{};
  Result<Statement> row = connection.prepare(find_label);
  if (!row) return row.error();
  row->bind(1, value(page));
  const Result<bool> there = row->step();
  if (!there) return there.error();
  if (!*there) return PageLabel{};
  return PageLabel{std::string(row->text(0)), std::string(row->text(1))};
}

Result<bool> has_tag_of(const Connection& connection, const std::string& own,
                        const std::string& wanted) {
  Result<Statement> row = connection.prepare(has_wanted_tag);
  if (!row) return row.error();
  row->bind(1, std::string_view(own)).bind(2, std::string_view(wanted));
  const Result<bool> there = row->step();
  if (!there) return there.error();
  return *there && row->integer(0) != 0;
}

Result<bool> was_held(const Connection& connection, const NoticeRow& notice,
                      const NoticeWish& wish) {
  if (notice.event != "recovered") return false;
  Result<Statement> drop = connection.prepare(drop_held_failure);
  if (!drop) return drop.error();
  drop->bind(1, std::string_view(wish.rule))
      .bind(2, value(notice.page))
      .bind(3, std::optional<WallTime>(notice.at));
  if (Status done = drop->run(); !done) return done.error();
  return sqlite3_changes(connection.handle()) > 0;
}

Result<std::vector<const NoticeWish*>> wishes_that_hold(const Connection& connection,
                                                        const NoticeRow& notice,
                                                        const std::string& tags) {
  std::vector<const NoticeWish*> hold;
  for (const NoticeWish& wish : notice.wishes) {
    if (!wish.tags.empty()) {
      const Result<bool> tagged = has_tag_of(connection, tags, wish.tags);
      if (!tagged) return tagged.error();
      if (!*tagged) continue;
    }
    const Result<bool> over = was_held(connection, notice, wish);
    if (!over) return over.error();
    if (!*over) hold.push_back(&wish);
  }
  return hold;
}

const char* sql_of(DeliveryChange::What what) {
  switch (what) {
    case DeliveryChange::What::grouped:
      return group_waiting;
    case DeliveryChange::What::sent:
      return note_sent;
    case DeliveryChange::What::failed:
      return note_failed;
    case DeliveryChange::What::dead:
      break;
  }
  return note_dead;
}

void bind_number_or_nothing(Statement& statement, int at, std::int64_t number) {
  if (number != 0) statement.bind(at, number);
}

}  // namespace

Status write_notice(const Connection& connection, const NoticeRow& notice, const ChangeRow* change,
                    std::int64_t change_id, RejectedRows& rejected) {
  const Result<PageLabel> label = label_of(connection, notice.page);
  if (!label) return label.error();
  const auto wishes = wishes_that_hold(connection, notice, label->tags);
  if (!wishes) return wishes.error();
  if (wishes->empty()) return success();
  Result<Statement> row = connection.prepare(insert_notice);
  if (!row) return row.error();
  const std::string& summary = change != nullptr ? change->summary : notice.summary;
  bind_number_or_nothing(*row, 1, value(notice.page));
  bind_number_or_nothing(*row, 2, change_id);
  row->bind(3, std::string_view(notice.event))
      .bind(4, std::optional(change != nullptr ? change->found_at : notice.at))
      .bind(5, change != nullptr ? std::optional(change->previous_poll_at) : notice.since);
  row->bind_or_null(6, label->name).bind_or_null(7, notice.url).bind_or_null(8, label->tags);
  row->bind_or_null(9, summary).bind_or_null(10, notice.diff).bind_or_null(11, notice.why);
  row->bind_or_null(12, notice.link).bind_or_null(13, notice.key);
  const auto name = [&] { return fmt::format("a notice of page {}", value(notice.page)); };
  const Result<bool> written = rejected.judge(connection, row->run(), name);
  if (!written) return written.error();
  if (!*written || sqlite3_changes(connection.handle()) == 0) return success();  // told before
  const std::int64_t id = sqlite3_last_insert_rowid(connection.handle());
  for (const NoticeWish* wish : *wishes) {
    Result<Statement> delivery = connection.prepare(insert_delivery);
    if (!delivery) return delivery.error();
    delivery->bind(1, id).bind(2, std::string_view(wish->rule)).bind(3, wish->not_before);
    const Result<bool> added = rejected.judge(connection, delivery->run(), name);
    if (!added) return added.error();
  }
  return success();
}

Status write_deliveries(const Connection& connection, const std::vector<DeliveryChange>& changes,
                        RejectedRows& rejected) {
  for (const DeliveryChange& change : changes) {
    Result<Statement> statement = connection.prepare(sql_of(change.what));
    if (!statement) return statement.error();
    statement->bind(1, change.message).bind(2, std::string_view(change.rule));
    statement->bind(3, std::optional(change.at));
    if (change.what == DeliveryChange::What::grouped) {
      statement->bind(4, change.last);
    } else if (change.what == DeliveryChange::What::failed) {
      statement->bind(4, change.next_attempt_at);
    }
    if (change.what == DeliveryChange::What::failed || change.what == DeliveryChange::What::dead)
      statement->bind_or_null(5, change.error);
    const auto name = [&] { return fmt::format("delivery {}", change.message); };
    if (const Result<bool> done = rejected.judge(connection, statement->run(), name); !done)
      return done.error();
  }
  return success();
}

Result<std::string> retry_delivery(const Connection& connection, std::int64_t delivery,
                                   WallTime now) {
  Transaction transaction(connection);
  if (Status begun = transaction.begin_writing(); !begun) return begun.error();
  Result<Statement> row = connection.prepare(
      "SELECT coalesce(message, delivery.id), state, rule, event, coalesce(url, summary) FROM "
      "delivery JOIN notification ON notification.id = notification_id WHERE delivery.id = ?1");
  if (!row) return row.error();
  row->bind(1, delivery);
  const Result<bool> there = row->step();
  if (!there) return there.error();
  if (!*there) {
    return Error{fmt::format("there is no delivery {}; `pollux notify --failed` and --pending list "
                             "them",
                             delivery),
                 ExitCode::missing_input};
  }
  const std::int64_t message = row->integer(0);
  const std::string state(row->text(1));
  std::string what = fmt::format("{}: {} {}", row->text(2), row->text(3), row->text(4));
  row->reset();
  if (state != "dead" && state != "waiting")
    return Error{fmt::format("delivery {} was {}; there is nothing to retry", delivery, state),
                 ExitCode::missing_input};
  Result<Statement> again = connection.prepare(
      "UPDATE delivery SET by_hand = iif(state = 'dead', 1, by_hand), state = 'waiting', "
      "message = ?1, next_attempt_at = ?2, not_before = NULL, "
      "first_attempt_at = iif(state = 'dead', NULL, first_attempt_at) "
      "WHERE (id = ?1 OR message = ?1) AND state IN ('dead', 'waiting')");
  if (!again) return again.error();
  again->bind(1, message).bind(2, std::optional(now));
  if (Status done = again->run(); !done) return done.error();
  if (Status done = transaction.commit(); !done) return done.error();
  return what;
}

Result<std::int64_t> give_up_deliveries(const Connection& connection,
                                        const std::vector<std::string>& rules) {
  std::string known;
  for (std::size_t i = 0; i < rules.size(); ++i)
    known += (i == 0 ? "?" : ", ?") + std::to_string(i + 1);
  Result<Statement> drop = connection.prepare(
      "UPDATE delivery SET state = 'dead', message = coalesce(message, id), next_attempt_at = "
      "NULL, "
      "last_error = 'no rule of this name is configured any more' "
      "WHERE state = 'waiting' AND rule NOT IN (" +
      known + ")");
  if (!drop) return drop.error();
  for (std::size_t i = 0; i < rules.size(); ++i)
    drop->bind(static_cast<int>(i + 1), std::string_view(rules[i]));
  Transaction transaction(connection);
  if (Status begun = transaction.begin_writing(); !begun) return begun.error();
  if (Status done = drop->run(); !done) return done.error();
  const std::int64_t given_up = sqlite3_changes(connection.handle());
  if (Status done = transaction.commit(); !done) return done.error();
  return given_up;
}

// Groups may be told apart: what is left of one says how many went with it.
Result<bool> drop_old_notices(const Connection& connection, std::int64_t sent_before,
                              std::int64_t dead_before, std::int64_t most) {
  Result<Statement> old = connection.prepare(
      "SELECT id FROM notification WHERE at < ?1 AND NOT EXISTS (SELECT 1 FROM delivery WHERE "
      "notification_id = notification.id AND (state = 'waiting' OR (state = 'dead' AND "
      "notification.at >= ?2))) ORDER BY at LIMIT ?3");
  if (!old) return old.error();
  old->bind(1, sent_before).bind(2, dead_before).bind(3, most);
  std::vector<std::int64_t> ids;
  while (true) {
    const Result<bool> row = old->step();
    if (!row) return row.error();
    if (!*row) break;
    ids.push_back(old->integer(0));
  }
  for (const std::int64_t id : ids) {
    for (const char* sql : {"DELETE FROM delivery WHERE notification_id = ?1",
                            "DELETE FROM notification WHERE id = ?1"}) {
      Result<Statement> drop = connection.prepare(sql);
      if (!drop) return drop.error();
      if (Status done = drop->bind(1, id).run(); !done) return done.error();
    }
  }
  return static_cast<std::int64_t>(ids.size()) >= most;
}

}  // namespace pollux::store

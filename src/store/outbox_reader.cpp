// What whoever delivers, and whoever asks about it, wants to know of the outbox.
#include "store/outbox.hpp"

#include <utility>

namespace pollux::store {
namespace {

constexpr char message_under_way[] =
    "SELECT message, attempts, next_attempt_at, first_attempt_at, by_hand FROM delivery "
    "WHERE rule = ?1 AND state = 'waiting' AND message IS NOT NULL "
    "ORDER BY by_hand DESC, message LIMIT 1";
constexpr char free_ones[] =
    "SELECT count(*), min(id), max(id) FROM (SELECT id FROM delivery WHERE rule = ?1 AND "
    "state = 'waiting' AND message IS NULL AND (not_before IS NULL OR not_before <= ?2) "
    "ORDER BY id LIMIT ?3)";
constexpr char first_free[] =
    "SELECT coalesce(not_before, at) FROM delivery JOIN notification ON "
    "notification.id = notification_id WHERE delivery.id = ?1";
constexpr char next_held[] =
    "SELECT min(not_before) FROM delivery WHERE rule = ?1 AND state = 'waiting' AND "
    "message IS NULL AND not_before IS NOT NULL AND not_before > ?2";
constexpr char sent_lately[] =
    "SELECT sent_at FROM delivery WHERE rule = ?1 AND state = 'sent' AND id = message AND "
    "sent_at > ?2 ORDER BY sent_at";
constexpr char events_of[] =
    "SELECT notification.id, page_id, change_id, event, at, since, name, url, tags, summary, diff, "
    "why, link FROM notification WHERE id IN (SELECT notification_id FROM delivery WHERE "
    "id = ?1 OR message = ?1) ORDER BY at DESC, id DESC LIMIT ?2";

Status read_current(const Connection& connection, const OutboxQuery& query, OutboxHead& head) {
  Result<Statement> row = connection.prepare(message_under_way);
  if (!row) return row.error();
  row->bind(1, std::string_view(query.rule));
  const Result<bool> there = row->step();
  if (!there) return there.error();
  if (!*there) return success();
  head.current = OutboxHead::Message{.id = row->integer(0),
                                     .attempts = row->integer(1),
                                     .next_attempt_at = row->time(2),
                                     .first_attempt_at = row->time(3),
                                     .by_hand = row->integer(4) != 0};
  return success();
}

Status read_free(const Connection& connection, const OutboxQuery& query, OutboxHead& head) {
  Result<Statement> row = connection.prepare(free_ones);
  if (!row) return row.error();
  row->bind(1, std::string_view(query.rule)).bind(2, std::optional(query.now)).bind(3, query.most);
  const Result<bool> there = row->step();
  if (!there) return there.error();
  if (!*there || row->integer(0) == 0) return success();
  head.waiting = row->integer(0);
  head.first = row->integer(1);
  head.last = row->integer(2);
  Result<Statement> first = connection.prepare(first_free);
  if (!first) return first.error();
  first->bind(1, head.first);
  const Result<bool> known = first->step();
  if (!known) return known.error();
  if (*known) head.oldest = first->time(0);
  return success();
}

Status read_times(const Connection& connection, const OutboxQuery& query, OutboxHead& head) {
  Result<Statement> held = connection.prepare(next_held);
  if (!held) return held.error();
  held->bind(1, std::string_view(query.rule)).bind(2, std::optional(query.now));
  const Result<bool> there = held->step();
  if (!there) return there.error();
  if (*there) head.next_held = held->time(0);
  if (!query.sent_since) return success();
  Result<Statement> sent = connection.prepare(sent_lately);
  if (!sent) return sent.error();
  sent->bind(1, std::string_view(query.rule)).bind(2, query.sent_since);
  while (true) {
    const Result<bool> row = sent->step();
    if (!row) return row.error();
    if (!*row) return success();
    if (const auto at = sent->time(0)) head.sent.push_back(*at);
  }
}

NoticeView read_notice(const Statement& row) {
  NoticeView view;
  view.id = row.integer(0);
  view.change_id = row.integer(2);
  view.name = row.text(6);
  view.tags = row.text(8);
  view.row.page = PageId(row.integer(1));
  view.row.event = row.text(3);
  view.row.at = row.time(4).value_or(WallTime{});
  view.row.since = row.time(5);
  view.row.url = row.text(7);
  view.row.summary = row.text(9);
  view.row.diff = row.text(10);
  view.row.why = row.text(11);
  view.row.link = row.text(12);
  return view;
}

}  // namespace

Result<OutboxHead> read_outbox(const Connection& connection, const OutboxQuery& query) {
  OutboxHead head;
  for (const auto read : {&read_current, &read_free, &read_times}) {
    if (Status done = read(connection, query, head); !done) return done.error();
  }
  return head;
}

Result<MessageView> read_message(const Connection& connection, std::int64_t message,
                                 std::int64_t most) {
  MessageView view;
  view.id = message;
  Result<Statement> count = connection.prepare(
      "SELECT count(*), min(at) FROM delivery JOIN notification ON notification.id = "
      "notification_id WHERE delivery.id = ?1 OR message = ?1");
  if (!count) return count.error();
  const Result<bool> there = count->bind(1, message).step();
  if (!there) return there.error();
  view.count = count->integer(0);
  view.first_at = count->time(1).value_or(WallTime{});
  Result<Statement> rows = connection.prepare(events_of);
  if (!rows) return rows.error();
  rows->bind(1, message).bind(2, most);
  while (true) {
    const Result<bool> row = rows->step();
    if (!row) return row.error();
    if (!*row) return view;
    view.notices.push_back(read_notice(*rows));
  }
}

Result<std::vector<DeliveryView>> read_deliveries(const Connection& connection,
                                                  const std::string& state, std::int64_t limit) {
  Result<Statement> rows = connection.prepare(
      "SELECT delivery.id, rule, state, event, at, name, url, summary, attempts, "
      "coalesce(next_attempt_at, not_before), last_error, coalesce(message, delivery.id), "
      "first_attempt_at FROM delivery JOIN notification ON notification.id = notification_id "
      "WHERE state = ?1 ORDER BY delivery.id DESC LIMIT ?2");
  if (!rows) return rows.error();
  rows->bind(1, std::string_view(state)).bind(2, limit);
  std::vector<DeliveryView> all;
  while (true) {
    const Result<bool> row = rows->step();
    if (!row) return row.error();
    if (!*row) return all;
    all.push_back({.id = rows->integer(0),
                   .message = rows->integer(11),
                   .rule = std::string(rows->text(1)),
                   .state = std::string(rows->text(2)),
                   .event = std::string(rows->text(3)),
                   .at = rows->time(4).value_or(WallTime{}),
                   .name = std::string(rows->text(5)),
                   .url = std::string(rows->text(6)),
                   .summary = std::string(rows->text(7)),
                   .attempts = rows->integer(8),
                   .first_attempt_at = rows->time(12),
                   .next_attempt_at = rows->time(9),
                   .last_error = std::string(rows->text(10))});
  }
}

Result<DeliveryCounts> count_deliveries(const Connection& connection) {
  DeliveryCounts counts;
  Result<Statement> rows =
      connection.prepare("SELECT state, count(*) FROM delivery GROUP BY state");
  if (!rows) return rows.error();
  while (true) {
    const Result<bool> row = rows->step();
    if (!row) return row.error();
    if (!*row) return counts;
    const std::string_view state = rows->text(0);
    if (state == "waiting") counts.waiting = rows->integer(1);
    if (state == "sent") counts.sent = rows->integer(1);
    if (state == "dead") counts.dead = rows->integer(1);
  }
}

}  // namespace pollux::store

// The migration that adds the outbox: what people want to be told, and what became of telling it.
// Never edited once released.
#pragma once

namespace pollux::store::migration {

inline constexpr char notifications[] = R"sql(
-- What there is to tell, as it was when it happened. event: change, failing, recovered, suspect,
-- selector, moved, noisy, system. It happened between since and at.
CREATE TABLE notification (
  id INTEGER PRIMARY KEY,
  page_id INTEGER,
  change_id INTEGER,
  event TEXT NOT NULL,
  at INTEGER NOT NULL,
  since INTEGER,
  name TEXT,
  url TEXT,
  tags TEXT,
  summary TEXT,
  diff TEXT,
  why TEXT,
  link TEXT,
  key TEXT UNIQUE
) STRICT;
CREATE INDEX notification_by_time ON notification (at);

-- One for each rule that wants it. state: waiting, sent, dead (given up), dropped (it was over
-- before it was to be told). message: the first of the deliveries that go out together.
CREATE TABLE delivery (
  id INTEGER PRIMARY KEY,
  notification_id INTEGER NOT NULL REFERENCES notification (id),
  rule TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'waiting',
  not_before INTEGER,
  message INTEGER,
  attempts INTEGER NOT NULL DEFAULT 0,
  first_attempt_at INTEGER,
  next_attempt_at INTEGER,
  sent_at INTEGER,
  last_error TEXT,
  by_hand INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX delivery_by_notification ON delivery (notification_id);
CREATE INDEX delivery_by_message ON delivery (message) WHERE message IS NOT NULL;
CREATE INDEX delivery_waiting ON delivery (rule, id) WHERE state = 'waiting' AND message IS NULL;
CREATE INDEX delivery_held ON delivery (rule, not_before)
  WHERE state = 'waiting' AND message IS NULL AND not_before IS NOT NULL;
CREATE INDEX delivery_under_way ON delivery (rule, message)
  WHERE state = 'waiting' AND message IS NOT NULL;
CREATE INDEX delivery_sent ON delivery (rule, sent_at) WHERE state = 'sent' AND id = message;
CREATE INDEX delivery_dead ON delivery (id) WHERE state = 'dead';
)sql";

}  // namespace pollux::store::migration

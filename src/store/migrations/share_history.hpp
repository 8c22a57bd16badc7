// The migration by which it can be seen how the learner learnt: what hosts and directories had of
// the budget, every few minutes. Never edited once released. Described in README.md.
#pragma once

namespace pollux::store::migration {

inline constexpr char share_history[] = R"sql(
CREATE TABLE share_history (
  at INTEGER NOT NULL,
  prefix TEXT NOT NULL,
  share REAL NOT NULL,
  PRIMARY KEY (at, prefix)
) STRICT, WITHOUT ROWID;
)sql";

}  // namespace pollux::store::migration

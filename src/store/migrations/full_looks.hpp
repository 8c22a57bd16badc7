// The migration that remembers when a page last came in full, how many 304s there were since, and
// whether its server's 304s are believed. Never edited once released.
#pragma once

namespace pollux::store::migration {

inline constexpr char full_looks[] = R"sql(
ALTER TABLE page ADD COLUMN last_full_at INTEGER;
ALTER TABLE page ADD COLUMN not_modified INTEGER NOT NULL DEFAULT 0;
ALTER TABLE page ADD COLUMN distrusted INTEGER NOT NULL DEFAULT 0;
)sql";

}  // namespace pollux::store::migration

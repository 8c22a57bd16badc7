// The migration that remembers when a host was asked for a path that cannot exist. Never edited
// once released. Described in README.md.
#pragma once

namespace pollux::store::migration {

inline constexpr char missing_pages[] = R"sql(
ALTER TABLE host ADD COLUMN missing_asked_at INTEGER;
)sql";

}  // namespace pollux::store::migration

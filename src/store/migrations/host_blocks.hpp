// The migration that lets a host remember whose redirect made it ask us to wait. Never edited once
// released. Described in README.md.
#pragma once

namespace pollux::store::migration {

inline constexpr char host_blocks[] = R"sql(
ALTER TABLE host ADD COLUMN blocked_by TEXT;
)sql";

}  // namespace pollux::store::migration

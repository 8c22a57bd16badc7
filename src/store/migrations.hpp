// The schema and how old databases reach it. The list is append-only: a migration that was ever
// released is never edited, and the number of migrations is the schema's version (user_version).
#pragma once

#include "pollux/base/result.hpp"
#include "store/sqlite.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace pollux::store {

inline constexpr std::int64_t application_id = 0x506f6c6c;  // "Poll"

struct Migration {
  const char* name;  // of its file in migrations/
  const char* sql;
};
// The one at index i leads from version i to version i + 1.
std::span<const Migration> migrations();

// What the file at the other end of a connection is.
struct Identity {
  bool empty = false;        // a new file: nothing in it
  std::int64_t version = 0;  // of the schema
  // Not empty: the file's header says another thing than the tables, which hold the version, too.
  std::string damage = {};
};
// Refuses (bad_data) what is not a database, not one of Pollux, or of a newer schema than `newest`.
Result<Identity> identify(const Connection& connection, std::size_t newest);

// Brings the database to the newest version in one transaction. One that holds anything is first
// copied to `<path>.backup-vN`, N the version it had. An error names the migration.
Status migrate(const Connection& connection, const Identity& identity,
               std::span<const Migration> steps);
// Notes the version in the tables too, where that has not been done: see Identity::damage.
Status note_version(const Connection& connection, std::size_t version);

}  // namespace pollux::store

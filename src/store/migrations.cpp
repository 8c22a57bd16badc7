#include "store/migrations.hpp"

#include "pollux/base/text.hpp"
#include "store/backup_files.hpp"
#include "store/migrations/access_points.hpp"
#include "store/migrations/age_models.hpp"
#include "store/migrations/first_tables.hpp"
#include "store/migrations/full_looks.hpp"
#include "store/migrations/host_blocks.hpp"
#include "store/migrations/hosts.hpp"
#include "store/migrations/kept_content.hpp"
#include "store/migrations/live_pages.hpp"
#include "store/migrations/missing_pages.hpp"
#include "store/migrations/named_nodes.hpp"
#include "store/migrations/notifications.hpp"
#include "store/migrations/page_noise.hpp"
#include "store/migrations/page_report.hpp"
#include "store/migrations/planned_shares.hpp"
#include "store/migrations/politeness.hpp"
#include "store/migrations/share_history.hpp"
#include "store/migrations/what_was_seen.hpp"

#include <string>

namespace pollux::store {
namespace {

Error refused(const Connection& connection, const std::string& why) {
  return {"database " + printable(connection.path()) + ": " + why, ExitCode::bad_data};
}

// 0 when the tables do not say: not ours, or not written by us yet.
Result<std::int64_t> noted_version(const Connection& connection) {
  Result<std::int64_t> there = connection.integer(
      "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'meta' AND "
      "sql LIKE '%key TEXT NOT NULL PRIMARY KEY%value TEXT NOT NULL%'");
  if (!there || *there == 0) return there;
  return connection.integer("SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'schema_version'");
}

}  // namespace

std::span<const Migration> migrations() {
  static constexpr Migration steps[] = {
      {"first_tables", migration::first_tables},
      {"politeness", migration::politeness},
      {"age_models", migration::age_models},
      {"access_points", migration::access_points},
      {"hosts", migration::hosts},
      {"page_report", migration::page_report},
      {"what_was_seen", migration::what_was_seen},
      {"host_blocks", migration::host_blocks},
      {"full_looks", migration::full_looks},
      {"kept_content", migration::kept_content},
      {"missing_pages", migration::missing_pages},
      {"planned_shares", migration::planned_shares},
      {"page_noise", migration::page_noise},
      {"named_nodes", migration::named_nodes},
      {"live_pages", migration::live_pages},
      {"notifications", migration::notifications},
      {"share_history", migration::share_history},
  };
  return steps;
}

Result<Identity> identify(const Connection& connection, std::size_t newest) {
  const Result<std::int64_t> tables = connection.integer("SELECT count(*) FROM sqlite_schema");
  if (!tables) return tables.error();
  const Result<std::int64_t> application = connection.integer("PRAGMA application_id");
  if (!application) return application.error();
  const Result<std::int64_t> version = connection.integer("PRAGMA user_version");
  if (!version) return version.error();
  if (*tables == 0 && *version == 0) return Identity{.empty = true, .version = 0};
  const Result<std::int64_t> noted = noted_version(connection);
  if (!noted) return noted.error();
  if (*noted > 0 && (*application != application_id || *version != *noted)) {
    return Identity{.version = *noted,
                    .damage = "its header says schema " + std::to_string(*version) +
                              " of program " + std::to_string(*application) +
                              ", its tables are ours, of schema " + std::to_string(*noted)};
  }
  if (*application != application_id) {
    return refused(connection, "a database of another program; name another file");
  }
  if (*version < 1 || *version > static_cast<std::int64_t>(newest)) {
    return refused(connection, "written by a newer Pollux (schema " + std::to_string(*version) +
                                   ", this one knows " + std::to_string(newest) +
                                   "); use that version, or a backup made before the upgrade");
  }
  return Identity{.empty = false, .version = *version};
}

Status migrate(const Connection& connection, const Identity& identity,
               std::span<const Migration> steps) {
  if (identity.version == static_cast<std::int64_t>(steps.size())) return success();
  if (!identity.empty) {
    const std::string copy = connection.path() + ".backup-v" + std::to_string(identity.version);
    if (Status done = write_copy(connection, copy); !done) return done;
  }
  Transaction transaction(connection);
  if (Status begun = transaction.begin_writing(); !begun) return begun;
  for (std::size_t i = static_cast<std::size_t>(identity.version); i < steps.size(); ++i) {
    if (Status done = connection.execute(steps[i].sql); !done) {
      return Error{done.error().message + " (migration " + steps[i].name + ")",
                   done.error().exit_code};
    }
  }
  const std::string marks = "PRAGMA application_id = " + std::to_string(application_id) +
                            "; PRAGMA user_version = " + std::to_string(steps.size());
  if (Status done = connection.execute(marks); !done) return done;
  if (Status done = note_version(connection, steps.size()); !done) return done;
  return transaction.commit();
}

Status note_version(const Connection& connection, std::size_t version) {
  const std::string number = std::to_string(version);
  return connection.execute("INSERT INTO meta (key, value) VALUES ('schema_version', '" + number +
                            "') ON CONFLICT (key) DO UPDATE SET value = excluded.value "
                            "WHERE value <> excluded.value");
}

}  // namespace pollux::store

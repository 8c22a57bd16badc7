#include "store/migrations.hpp"

#include "pollux/base/text.hpp"
#include "store/schema_access_points.hpp"
#include "store/schema_v1.hpp"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace pollux::store {
namespace {

Error refused(const Connection& connection, const std::string& why) {
  return {"database " + printable(connection.path()) + ": " + why, ExitCode::bad_data};
}

bool sync_to_disk(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool done = ::fsync(descriptor) == 0;
  ::close(descriptor);
  return done;
}

// Written under another name first: a backup that bears its name is complete and on disk.
Status back_up(const Connection& connection, std::int64_t version) {
  const std::string target = connection.path() + ".backup-v" + std::to_string(version);
  const std::string unfinished = target + ".unfinished";
  std::error_code problem;
  std::filesystem::remove(unfinished, problem);
  Result<Statement> copy = connection.prepare("VACUUM INTO ?1");
  if (!copy) return copy.error();
  copy->bind(1, std::string_view(unfinished));
  if (Status done = copy->run(); !done) {
    return Error{done.error().message + " (while backing it up to " + printable(target) + ")",
                 done.error().exit_code};
  }
  const std::string folder = std::filesystem::path(target).parent_path().string();
  if (!sync_to_disk(unfinished) || std::rename(unfinished.c_str(), target.c_str()) != 0 ||
      !sync_to_disk(folder.empty() ? "." : folder)) {
    return Error{"cannot write the backup " + printable(target) + ": " +
                     std::generic_category().message(errno),
                 ExitCode::io};
  }
  return success();
}

}  // namespace

std::span<const char* const> migrations() {
  static constexpr const char* steps[] = {schema_v1, schema_access_points};
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
               std::span<const char* const> steps) {
  if (identity.version == static_cast<std::int64_t>(steps.size())) return success();
  if (!identity.empty) {
    if (Status done = back_up(connection, identity.version); !done) return done;
  }
  Transaction transaction(connection);
  if (Status begun = transaction.begin_writing(); !begun) return begun;
  for (std::size_t i = static_cast<std::size_t>(identity.version); i < steps.size(); ++i) {
    if (Status done = connection.execute(steps[i]); !done) return done;
  }
  const std::string marks = "PRAGMA application_id = " + std::to_string(application_id) +
                            "; PRAGMA user_version = " + std::to_string(steps.size());
  if (Status done = connection.execute(marks); !done) return done;
  return transaction.commit();
}

}  // namespace pollux::store

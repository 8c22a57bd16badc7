#include "cli/database_option.hpp"

#include "pollux/cli/command_line.hpp"
#include "pollux/config/config.hpp"
#include "pollux/store/reader.hpp"

#include <filesystem>
#include <system_error>

namespace pollux::cli {
namespace {

constexpr const char* here = "pollux.db";
constexpr const char* of_the_service = "/var/lib/pollux/pollux.db";

}  // namespace

void add_database_options(CommandLine& line, DatabaseOption& option) {
  line.option(
          "--database", option.database,
          "The database to read (default: ./pollux.db, then " + std::string(of_the_service) + ")")
      .called("FILE");
  line.option("--config", option.config, "Read the database that this configuration names")
      .not_with("--database")
      .called("FILE");
}

Result<std::string> database_path(const DatabaseOption& option) {
  if (!option.database.empty()) return option.database;
  if (!option.config.empty()) {
    // Only that key is looked at: whoever asks for the daemon may be editing the file.
    return config::database_of(option.config);
  }
  std::error_code ignored;
  for (const char* candidate : {here, of_the_service}) {
    if (std::filesystem::exists(candidate, ignored)) return std::string(candidate);
  }
  return Error{"no database found (looked for ./pollux.db and " + std::string(of_the_service) +
                   "); name one with --database or --config",
               ExitCode::missing_input};
}

Result<OpenDatabase> open_database(const DatabaseOption& option) {
  const Result<std::string> path = database_path(option);
  if (!path) return path.error();
  Result<std::unique_ptr<store::Reader>> reader = store::Reader::open(*path);
  if (!reader) return reader.error();
  return OpenDatabase{*path, std::move(*reader)};
}

}  // namespace pollux::cli

// Which database a command reads.
#pragma once

#include "pollux/base/result.hpp"

#include <memory>
#include <string>

namespace pollux::store {
class Reader;
}

namespace pollux::cli {

class CommandLine;

struct DatabaseOption {
  std::string database;  // --database
  std::string config;    // --config
};

// Declares --database and --config. The option must outlive the parsing.
void add_database_options(CommandLine& line, DatabaseOption& option);

// The file named by --database, else the one that --config names, else ./pollux.db, else the
// service's. missing_input when none of the last two exists.
Result<std::string> database_path(const DatabaseOption& option);

struct OpenDatabase {
  std::string path;
  std::unique_ptr<store::Reader> reader;
};
Result<OpenDatabase> open_database(const DatabaseOption& option);

}  // namespace pollux::cli

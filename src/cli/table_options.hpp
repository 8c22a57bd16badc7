// --wide and --columns: how much of a table is shown.
#pragma once

#include "cli/output.hpp"

#include <string>

namespace pollux::cli {

class CommandLine;

struct TableOptions {
  std::string columns;  // names with commas; empty: what fits
  bool wide = false;
};

// `example` shows how names are written: "url,share". The options must outlive the parsing.
void add_table_options(CommandLine& line, TableOptions& options, const std::string& example);

// As much as fits on the screen, or what was asked for; the result is the exit code.
int print_table(Table table, const TableOptions& options);

}  // namespace pollux::cli

// What `pollux import` writes: the list, files of their own for secrets, and its report.
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/import/import.hpp"

#include <string>
#include <vector>

#include <boost/json/value.hpp>

namespace pollux::cli {

struct ImportFiles {
  std::string list;                        // empty: none is written
  std::vector<std::string> secrets;        // as the list names them, in the order of secrets_of()
  std::vector<std::string> notifications;  // of Imported::notifications
};

// The list at `out`, secrets in a folder beside it, readable by their owner alone. Nothing that
// exists is overwritten. The list is read again, as the daemon would.
Result<ImportFiles> write_import(const import::Imported& imported, const std::string& source,
                                 const std::string& out);

std::string import_heading(const import::Imported& imported, const std::string& source);
std::string import_report(const import::Imported& imported, const std::string& source,
                          const ImportFiles& files);
boost::json::value import_json(const import::Imported& imported, const std::string& source,
                               const ImportFiles& files);

}  // namespace pollux::cli

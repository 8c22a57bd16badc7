// The database file of `pollux demo`: a new one for each demonstration, at nobody's cost.
#pragma once

#include "pollux/base/result.hpp"

#include <string>

namespace pollux::cli {

// Makes a new database at `path`, marked as a demo's. One of an earlier demo is replaced. Anything
// else that stands there stays and is an error (cannot_create), as is a database in use
// (temporary).
Status create_demo_database(const std::string& path);

}  // namespace pollux::cli

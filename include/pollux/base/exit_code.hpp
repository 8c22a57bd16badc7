// Exit codes after sysexits.h, the ones Pollux uses.
#pragma once

namespace pollux {

enum class ExitCode : int {
  ok = 0,
  usage = 64,          // wrong command line
  bad_data = 65,       // an input file's contents are wrong
  missing_input = 66,  // an input file is not there
  unavailable = 69,    // no healthy daemon (`status --check`)
  software = 70,       // a defect in Pollux
  cannot_create = 73,  // an output file cannot be created
  io = 74,             // reading or writing failed
  temporary = 75,      // try again later: another daemon holds the database
  configuration = 78   // the configuration is wrong
};

}  // namespace pollux

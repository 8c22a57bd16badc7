#include "cli/notify_retry.hpp"

#include "pollux/base/text.hpp"
#include "pollux/store/reader.hpp"

namespace pollux::cli {

Result<std::string> retry_delivery(const DatabaseOption& option, std::int64_t delivery) {
  const Result<std::string> database = database_path(option);
  if (!database) return database.error();
  if (!store::daemon_pid(*database)) {
    return Error{"no daemon runs on " + printable(*database) +
                     ", and nobody else may write to it; start one: pollux run --config FILE",
                 ExitCode::unavailable};
  }
  return Error{"the daemon on " + printable(*database) + " cannot be asked to retry delivery " +
                   std::to_string(delivery),
               ExitCode::unavailable};
}

}  // namespace pollux::cli

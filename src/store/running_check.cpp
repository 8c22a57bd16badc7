#include "store/running_check.hpp"

#include "store/migrations.hpp"

#include <utility>

namespace pollux::store {
namespace {

Result<std::string> check_file(const std::string& path, Depth depth, const CheckLimits& limits) {
  const Result<Connection> connection = Connection::open(path, SQLITE_OPEN_READONLY);
  if (!connection) return connection.error();
  sqlite3_busy_timeout(connection->handle(), 5000);
  return find_damage(*connection, static_cast<std::int64_t>(migrations().size()), depth, limits);
}

}  // namespace

RunningCheck::RunningCheck(std::string path, Depth depth, const CheckLimits& limits) {
  CheckLimits mine{.may_take = limits.may_take, .cancelled = [this, asked = limits.cancelled] {
                     return given_up_ || (asked && asked());
                   }};
  thread_ = std::thread([this, path = std::move(path), depth, mine = std::move(mine)] {
    verdict_ = check_file(path, depth, mine);
  });
}

RunningCheck::~RunningCheck() {
  given_up_ = true;
  if (thread_.joinable()) thread_.join();
}

Result<std::string> RunningCheck::verdict() {
  if (thread_.joinable()) thread_.join();
  return verdict_;
}

}  // namespace pollux::store

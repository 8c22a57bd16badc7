#include "cli/control_socket.hpp"

#include "pollux/store/reader.hpp"

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace pollux::cli {
namespace {

std::string absolute(const std::string& path) {
  std::error_code problem;
  const std::filesystem::path whole = std::filesystem::absolute(path, problem);
  return problem ? path : whole.lexically_normal().string();
}

std::string beside(const std::string& database) {
  return absolute(database) + "-socket";
}

}  // namespace

std::string control_socket_for(const config::Config& config) {
  if (config.control_socket == config::no_control_socket) return "";
  if (!config.control_socket.empty()) return absolute(config.control_socket);
  // NOLINTNEXTLINE(concurrency-mt-unsafe): one thread yet
  if (const char* folders = std::getenv("RUNTIME_DIRECTORY"); folders != nullptr && *folders != 0) {
    const std::string all = folders;
    return all.substr(0, all.find(':')) + "/control.socket";
  }
  return beside(config.database);
}

Result<MeetingPoint> meeting_point(const DatabaseOption& option) {
  const Result<std::string> database = database_path(option);
  if (!database) {
    const bool missing = database.error().exit_code == ExitCode::missing_input;
    return Error{missing ? "no daemon to be found: " + database.error().message +
                               "; `pollux run --config FILE` starts one"
                         : database.error().message,
                 missing ? ExitCode::unavailable : database.error().exit_code};
  }
  MeetingPoint point{*database, beside(*database)};
  // What the daemon itself says is better than any guess: it knows its environment.
  if (const auto reader = store::Reader::open(*database); reader.ok()) {
    const auto meta = (*reader)->meta();
    if (meta.ok()) {
      const auto said = meta->find(control_socket_row);
      if (said != meta->end() && !said->second.empty()) {
        point.socket = said->second;
        return point;
      }
    }
  }
  if (option.config.empty()) return point;
  const Result<std::string> configured = config::control_socket_of(option.config);
  if (!configured) return configured.error();
  if (*configured == config::no_control_socket) {
    point.socket = *configured;
  } else if (!configured->empty()) {
    point.socket = absolute(*configured);
  }
  return point;
}

}  // namespace pollux::cli

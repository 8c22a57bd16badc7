// Where a daemon and its commands meet.
#pragma once

#include "cli/database_option.hpp"
#include "pollux/base/result.hpp"
#include "pollux/config/config.hpp"

#include <string>

namespace pollux::cli {

// The row of the meta table that says where the daemon that started last listens: a path, or
// config::no_control_socket.
inline constexpr char control_socket_row[] = "control_socket";

// Where a daemon with this configuration listens, as an absolute path: control.socket, else in
// systemd's runtime directory, else beside the database. Empty: nowhere.
std::string control_socket_for(const config::Config& config);

// Where the daemon on this database says that it listens, else where it would by default.
struct MeetingPoint {
  std::string database;
  std::string socket;  // config::no_control_socket: it has none
};
// unavailable when there is no database, so that no daemon can be found.
Result<MeetingPoint> meeting_point(const DatabaseOption& option);

}  // namespace pollux::cli

#include "cli/daemon_client.hpp"

#include "pollux/base/text.hpp"
#include "pollux/store/reader.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <grp.h>
#include <spdlog/fmt/fmt.h>
#include <sys/stat.h>

namespace pollux::cli {
namespace {

namespace json = boost::json;

constexpr std::string_view api = "/api/v1";

std::string group_name(gid_t id) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): one thread
  const group* found = getgrgid(id);
  return found == nullptr ? std::to_string(id) : found->gr_name;
}

Error not_allowed(const std::string& socket) {
  struct stat file {};
  if (stat(socket.c_str(), &file) != 0) {
    return {fmt::format("you may not use the daemon's socket {}: its folder is closed to you; join "
                        "the group it belongs to, or ask its owner",
                        printable(socket)),
            ExitCode::unavailable};
  }
  const std::string name = printable(group_name(file.st_gid), 60);
  return {fmt::format("you may not use the daemon's socket {} (group {}, mode {:04o}); join the "
                      "group (adduser YOU {}, then log in again), or ask its owner",
                      printable(socket), name, file.st_mode & 07777, name),
          ExitCode::unavailable};
}

Error nobody_there(const MeetingPoint& point) {
  const std::string database = printable(point.database);
  const std::optional<std::int64_t> pid = store::daemon_pid(point.database);
  if (!pid) {
    return {fmt::format("no daemon runs on {}; start it with `pollux run --config FILE`, or, as a "
                        "service, `systemctl start pollux`",
                        database),
            ExitCode::unavailable};
  }
  const bool none = point.socket == config::no_control_socket;
  return {fmt::format("the daemon on {} (process {}) {}", database, *pid,
                      none ? "cannot be steered: its configuration says control: { socket: none }"
                           : "does not listen on " + printable(point.socket) +
                                 ": it is starting or stopping, or its log says why it could not"),
          ExitCode::unavailable};
}

ExitCode code_of(unsigned status) {
  switch (status) {
    case 400:
      return ExitCode::usage;
    case 404:
      return ExitCode::missing_input;
    case 413:
      return ExitCode::bad_data;
    case 422:
      return ExitCode::configuration;
    case 408:
    case 503:
    case 504:
      return ExitCode::temporary;
    default:
      return ExitCode::software;
  }
}

std::string text_in(const json::object& object, const char* name) {
  const json::value* value = object.if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->as_string()) : "";
}

}  // namespace

Result<DaemonClient> DaemonClient::connect(const DatabaseOption& option) {
  Result<MeetingPoint> point = meeting_point(option);
  if (!point) return point.error();
  if (point->socket == config::no_control_socket) return nobody_there(*point);
  Result<http::Client> client = http::Client::connect(point->socket);
  if (client) return DaemonClient(std::move(*client), point->socket, point->database);
  if (client.error().exit_code == ExitCode::io) return not_allowed(point->socket);
  return nobody_there(*point);
}

Result<json::object> DaemonClient::ask(const http::ClientRequest& request) {
  Result<http::ClientAnswer> answer = client_.ask(request);
  if (!answer) return answer.error();
  boost::system::error_code problem;
  json::value value = json::parse(answer->body, problem);
  if (problem || !value.is_object()) {
    return Error{fmt::format("the daemon answered {} with what is no JSON", answer->status),
                 ExitCode::software};
  }
  json::object& object = value.get_object();
  if (answer->status < 300) return std::move(object);
  const std::string cure = text_in(object, "cure");
  return Error{printable(text_in(object, "error") + (cure.empty() ? "" : "; " + cure), 2000),
               code_of(answer->status)};
}

Result<json::object> DaemonClient::get(const std::string& path) {
  return ask({.target = std::string(api) + path});
}

Result<json::object> DaemonClient::post(const std::string& path, const json::object& body) {
  return ask({.method = "POST",
              .target = std::string(api) + path,
              .content_type = "application/json",
              .body = json::serialize(body)});
}

Result<http::Client> DaemonClient::open_events(const std::string& query) const {
  Result<http::Client> client = http::Client::connect(socket_);
  if (!client) return client.error();
  const Result<http::ClientAnswer> head =
      client->begin_stream({.target = std::string(api) + "/events" + query});
  if (!head) return head.error();
  if (head->status != 200) {
    return Error{fmt::format("the daemon answered {} to a wish for its events", head->status),
                 code_of(head->status)};
  }
  return client;
}

std::string query_word(std::string_view text) {
  static constexpr char digits[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.' || c == '_' || c == '~';
    const auto byte = static_cast<unsigned char>(c);
    if (plain) {
      out += c;
    } else {
      out += {'%', digits[byte >> 4], digits[byte & 15]};
    }
  }
  return out;
}

}  // namespace pollux::cli

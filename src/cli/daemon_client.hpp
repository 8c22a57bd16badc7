// The daemon as commands speak with it: over its control socket, in JSON.
#pragma once

#include "cli/control_socket.hpp"
#include "cli/database_option.hpp"
#include "pollux/base/result.hpp"
#include "pollux/http/client.hpp"

#include <string>
#include <string_view>

#include <boost/json/object.hpp>

namespace pollux::cli {

// Errors name the cure: how a daemon is started, who may steer it.
class DaemonClient {
 public:
  static Result<DaemonClient> connect(const DatabaseOption& option,
                                      const http::ClientOptions& options = {});

  // `path` below /api/v1, with its query. What the daemon refuses is an error.
  Result<boost::json::object> get(const std::string& path);
  Result<boost::json::object> post(const std::string& path, const boost::json::object& body);

  const std::string& database() const { return database_; }
  // On a connection of its own, of which only the bytes are to be read.
  Result<http::Client> open_events(const std::string& query) const;

 private:
  DaemonClient(http::Client client, std::string socket, std::string database)
      : client_(std::move(client)), socket_(std::move(socket)), database_(std::move(database)) {}
  Result<boost::json::object> ask(const http::ClientRequest& request);

  http::Client client_;
  std::string socket_, database_;
};

std::string query_word(std::string_view text);  // percent-encoded

}  // namespace pollux::cli

// A small HTTP/1.1 client of a server on a Unix socket: how commands speak with a running daemon.
// Blocks; one thread. Bounds: `patience` without a byte, and the bytes of an answer.
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/base/time.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pollux::http {

struct ClientRequest {
  std::string method = "GET";
  std::string target = "/";
  std::string content_type = {};  // empty: there is no body
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
};

struct ClientAnswer {
  unsigned status = 0;
  std::string content_type;
  std::string body;
};

struct ClientOptions {
  Duration patience = std::chrono::minutes(6);  // of ask(); longer than a server's answer_limit
  std::size_t max_answer_bytes = 256u << 20;
};

class Client {
 public:
  // unavailable: nobody listens there; io: this user may not connect.
  static Result<Client> connect(const std::string& socket_path, ClientOptions options = {});
  Client(Client&&) noexcept;
  Client& operator=(Client&&) = delete;
  ~Client();

  // One after the other on the same connection. An error: there was no whole answer.
  Result<ClientAnswer> ask(const ClientRequest& request);

  // An answer that goes on: its head is the result, its bytes are handed to read().
  Result<ClientAnswer> begin_stream(const ClientRequest& request);
  // What has come since, as soon as there is something.
  enum class Read { bytes, nothing_yet, end };
  Read read(std::string& bytes, Duration at_most);

 private:
  struct State;
  explicit Client(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace pollux::http

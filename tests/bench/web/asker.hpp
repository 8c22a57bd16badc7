// Asks a web server on loopback: one request after the other on one connection, or many per second
// on several.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace pollux::bench {

struct Reply {
  int status = 0;  // 0: there was none
  std::string body;
};

// Blocks. Connects anew where the server has closed.
class Asker {
 public:
  explicit Asker(std::uint16_t port);
  ~Asker();
  Reply get(const std::string& target, const std::string& fields = "");  // "Name: value\r\n" each
  double milliseconds(const std::string& target);  // until all of a 200 is there; else aborts

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::uint16_t free_port();
void wait_until_ready(std::uint16_t port);  // of a daemon: /readyz

// Sends so many requests per second, half of them to /api/v1/status, half to /metrics, on 16
// connections. Prints "ANSWERED_PER_SECOND P50_MS P99_MS FAILED"; times count from when a request
// was due.
int run_load(std::uint16_t port, double per_second, int seconds);

}  // namespace pollux::bench

// One attack of the benchmark: a pollux on a configuration of its own, and what it cost.
#pragma once

#include "support/origin.hpp"
#include "support/program.hpp"
#include "support/temp_folder.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace pollux::hostile {

struct Cost {
  int exit_code = -1;
  double peak_mb = 0, stall_p999_ms = 0, stall_longest_ms = 0;
};

class Watched {
 public:
  // `configuration` is all of it but `database` and `network`.
  explicit Watched(const std::string& configuration, const std::string& trusted = "");
  Cost stop();

 private:
  test::TempFolder folder_;
  std::unique_ptr<test::Program> daemon_;
};

const char* verdict(bool ok);
// Waits for something, at most so many seconds; whether it came.
template <typename Condition>
bool within(int seconds, Condition condition);
// The most that arrived in any second. Where the origin's own thread was late (which it must
// measure), what it saw together had come one after the other, and is not counted.
std::size_t fullest_second(const test::Origin& origin);

// --- The attacks. Each prints its figure beside the wanted one.
void stalls();
void bombs();
void wildcards();
void redirects();
void handshakes();
void crumbs();

struct Attack {
  std::string_view name;
  void (*run)();
};
inline constexpr Attack attacks[] = {{"stalls", stalls},         {"bombs", bombs},
                                     {"wildcards", wildcards},   {"redirects", redirects},
                                     {"handshakes", handshakes}, {"crumbs", crumbs}};

template <typename Condition>
bool within(int seconds, Condition condition) {
  for (int i = 0; i < 50 * seconds; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

}  // namespace pollux::hostile
